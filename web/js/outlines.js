/** The pictures of a hand, with the cards that were found outlined and named. */

import { h, pen as pen2d } from "./dom.js";
import { cardName, t } from "./i18n.js";

/** @typedef {{ x: number, y: number, width: number, height: number }} Box in pixels of the picture */

/** The outline's colours: a certain card's, and one's that may be another. */
const SURE = "#4dff88";
const UNSURE = "#ffb43c";

/** @param {Box} one @param {Box} other */
const overlap = (one, other) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/**
 * Where a card's name stands: above the card or, where the picture ends, below it, so that it covers no digit. Where
 * another name stands already, it moves on the same way.
 * @param {number[][]} quad the card's corners @param {{ width: number, height: number }} text
 * @param {Box[]} taken @param {{ width: number, height: number }} picture @returns {Box}
 */
export function besides(quad, text, taken, picture) {
  const ys = quad.map(([, y]) => y);
  const left = Math.min(...quad.map(([x]) => x));
  const x = Math.max(0, Math.min(left, picture.width - text.width));
  const above = Math.min(...ys) - text.height;
  const below = Math.min(Math.max(...ys), picture.height - text.height);
  const free = (/** @type {number} */ y) => !taken.some((one) => overlap(one, { x, y, ...text }));
  for (let y = above; y >= 0; y -= text.height / 2) if (free(y)) return { x, y, ...text };
  let y = below;
  while (y + text.height < picture.height && !free(y)) y += text.height / 2;
  return { x, y, ...text };
}

/**
 * Draws an outline that is seen on any ground: a bright line on a broad dark one.
 * @param {CanvasRenderingContext2D} pen @param {number[][]} quad @param {{ line: number, dashed: boolean }} how
 */
function drawOutline(pen, quad, { line, dashed }) {
  pen.setLineDash(dashed ? [line * 4, line * 3] : []);
  pen.beginPath();
  for (const [x, y] of quad) pen.lineTo(x, y);
  pen.closePath();
  for (const [width, color] of /** @type {const} */ ([
    [line * 2.4, "rgb(20 18 14 / 85%)"],
    [line, dashed ? UNSURE : SURE],
  ])) {
    pen.lineWidth = width;
    pen.strokeStyle = color;
    pen.stroke();
  }
}

/** @param {Blob} picture @param {number} number of the picture, from 0 @returns {HTMLImageElement} */
function imageOf(picture, number) {
  /** @type {HTMLImageElement} */
  const image = h("img", {
    src: URL.createObjectURL(picture),
    alt: t("scan.picture", { n: number + 1 }),
    onload: () => URL.revokeObjectURL(image.src),
  });
  return image;
}

/**
 * Draws a picture with the outline and the name of each card that was found in it.
 * @param {Blob} picture
 * @param {number} number of the picture, from 0
 * @param {WeakMap<Blob, HTMLImageElement>} decoded the pictures drawn before: none is decoded again
 * @param {{ size?: { width: number, height: number }, cards: import("./types").Held[] }} found
 *   size: of the picture as it was read, in pixels; cards: those of all pictures
 */
export function drawOutlined(picture, number, decoded, { size, cards }) {
  const image = decoded.get(picture) ?? imageOf(picture, number);
  decoded.set(picture, image);
  if (!size) return h("div", { class: "outlined" }, image);
  const canvas = h("canvas", { width: size.width, height: size.height, "aria-hidden": "true" });
  const pen = pen2d(canvas);
  const line = Math.max(4, size.width / 160);
  /**
   * Where names stand already: fanned cards lie closer than their names are long.
   * @type {Box[]}
   */
  const names = [];
  cards.forEach((held) => {
    if (held.picture !== number || !held.quad) return;
    drawOutline(pen, held.quad, { line, dashed: held.other !== null });
    const text = cardName(held.card) + (held.other ? "?" : "");
    pen.font = `600 ${Math.max(16, size.width / 45)}px system-ui`;
    const high = size.width / 32;
    const wide = pen.measureText(text).width + line * 4;
    const box = besides(held.quad, { width: wide, height: high }, names, size);
    names.push(box);
    pen.fillStyle = "rgb(20 18 14 / 85%)";
    pen.fillRect(box.x, box.y, box.width, box.height);
    pen.fillStyle = "#ffffff";
    pen.fillText(text, box.x + line * 2, box.y + high * 0.73);
  });
  return h("div", { class: "outlined" }, image, canvas);
}
