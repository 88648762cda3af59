/** The pictures of a hand, with the cards that were found outlined and named. */

import { h, pen as pen2d } from "./dom.js";
import { cardName, t } from "./i18n.js";

/**
 * Draws a picture with the outline and the name of each card that was found in it.
 * @param {Blob} picture
 * @param {number} number of the picture, from 0
 * @param {{ size?: { width: number, height: number }, cards: import("./types").Held[] }} found
 *   size: of the picture as it was read, in pixels; cards: those of all pictures
 */
export function drawOutlined(picture, number, { size, cards }) {
  /** @type {HTMLImageElement} */
  const image = h("img", {
    src: URL.createObjectURL(picture),
    alt: t("scan.picture", { n: number + 1 }),
    onload: () => URL.revokeObjectURL(image.src),
  });
  if (!size) return h("div", { class: "outlined" }, image);
  const canvas = h("canvas", { width: size.width, height: size.height, "aria-hidden": "true" });
  const pen = pen2d(canvas);
  const line = Math.max(3, size.width / 220);
  /**
   * Where names stand already: fanned cards lie closer than their names are long.
   * @type {{ x: number, y: number, width: number, height: number }[]}
   */
  const names = [];
  cards.forEach((held) => {
    if (held.picture !== number || !held.quad) return;
    pen.lineWidth = line;
    pen.setLineDash(held.other ? [line * 4, line * 3] : []);
    pen.strokeStyle = held.other ? "#ffb43c" : "#ffffff";
    pen.beginPath();
    for (const [x, y] of held.quad) pen.lineTo(x, y);
    pen.closePath();
    const color = pen.strokeStyle;
    pen.lineWidth = line * 2;
    pen.strokeStyle = "rgb(20 18 14 / 80%)";
    pen.stroke();
    pen.lineWidth = line;
    pen.strokeStyle = color;
    pen.stroke();
    const [x, y] = held.quad[0];
    const text = cardName(held.card) + (held.other ? "?" : "");
    pen.font = `600 ${Math.max(16, size.width / 45)}px system-ui`;
    pen.fillStyle = "rgb(20 18 14 / 78%)";
    const wide = pen.measureText(text).width;
    const box = { x: Math.min(x, size.width - wide - line * 4), y, width: wide + line * 4, height: size.width / 32 };
    while (
      names.some(
        (one) =>
          box.x < one.x + one.width &&
          one.x < box.x + box.width &&
          box.y < one.y + one.height &&
          one.y < box.y + box.height,
      )
    )
      box.y += 2;
    names.push(box);
    pen.fillRect(box.x, box.y, box.width, box.height);
    pen.fillStyle = "#ffffff";
    pen.fillText(text, box.x + line * 2, box.y + size.width / 43);
  });
  return h("div", { class: "outlined" }, image, canvas);
}
