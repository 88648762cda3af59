/** Marking the draw pile on the picture, by dragging a frame. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { h, toast } from "./dom.js";
import { t } from "./i18n.js";
import { outline } from "./picture.js";

/** How many pixels a frame's side has at least: less is a slip of the finger. */
const LEAST = 20;

/** @param {HTMLCanvasElement} canvas laid over the picture @returns {HTMLButtonElement} what begins it */
export function marking(canvas) {
  /** @type {[number, number] | null} */
  let from = null;
  /** @type {HTMLButtonElement} */
  const button = h(
    "button",
    {
      type: "button",
      id: "mark-draw-pile",
      "aria-pressed": false,
      onclick: () => turn(button.getAttribute("aria-pressed") !== "true"),
    },
    t("draw.mark"),
  );
  const turn = (/** @type {boolean} */ on) => {
    button.setAttribute("aria-pressed", String(on));
    canvas.classList.toggle("marking", on);
    if (on) toast(t("draw.how"));
    canvas.width = canvas.clientWidth;
    canvas.height = canvas.clientHeight;
  };
  const at = (/** @type {PointerEvent} */ event) => /** @type {[number, number]} */ ([event.offsetX, event.offsetY]);
  canvas.addEventListener("pointerdown", (event) => {
    from = at(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [[x, y], [u, v]] = [from, at(event)];
    canvas.width = canvas.clientWidth;
    outline(
      canvas,
      [
        [x, y],
        [u, y],
        [u, v],
        [x, v],
      ],
      "#ffffff",
    );
  });
  canvas.addEventListener("pointerup", async (event) => {
    if (!from) return;
    const [[x, y], [u, v]] = [from, at(event)];
    from = null;
    turn(false);
    const now = await attempt(() => get("/api/camera"));
    if (!now?.width) return;
    const scale = now.width / canvas.clientWidth;
    const region = [Math.min(x, u), Math.min(y, v), Math.abs(u - x), Math.abs(v - y)].map((one) =>
      Math.max(0, Math.round(one * scale)),
    );
    const [left, top, width, height] = region;
    if (Math.min(width, height) < LEAST) return;
    if (await attempt(() => post("/api/camera", { source: now.source, draw_pile: [left, top, width, height] })))
      toast(t("draw.marked"));
  });
  return button;
}
