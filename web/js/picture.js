/** The live picture with the outline of what lies on top. A new picture is asked for only when one was announced. */

import { h } from "./dom.js";
import { t } from "./i18n.js";

export class Picture {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.image = h("img", { alt: t("camera.picture"), hidden: true });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.status = h("p", { class: "camera-status", role: "status" }, t("camera.none"));
    this.busy = false;
    this.known = false;
    this.off = false;
    /** Whether no new picture comes. */
    this.gone = false;
    /** @type {import("./types").Frame | null} */
    this.waiting = null;
    this.box = h("div", { class: "live" }, this.image, this.canvas);
    place.append(this.box, this.status);
  }

  /** @param {string | null} name */
  name(name) {
    if (!this.known) this.status.textContent = name ?? t("camera.none");
    this.image.hidden ||= name === null;
    // Without a camera the server has no picture any more: none of those announced before is requested.
    this.off = name === null;
    if (this.off) this.waiting = null;
  }

  /**
   * Returns what to say above the table about a camera that does not work.
   * @param {{ health: string | null, detail: string }} camera
   */
  trouble(camera) {
    return camera.health === null || camera.health === "ok" ? [] : [said(camera)];
  }

  /** Shows the newest frame as soon as the one before it has come. @param {import("./types").Frame} frame */
  show(frame) {
    if (this.off) return;
    if (this.busy) {
      this.waiting = frame;
      return;
    }
    this.busy = true;
    const next = new Image();
    const done = () => {
      this.busy = false;
      const waiting = this.waiting;
      this.waiting = null;
      if (waiting) this.show(waiting);
    };
    next.onload = () => {
      this.image.src = next.src;
      this.image.hidden = false;
      this.draw(frame);
      done();
    };
    next.onerror = done;
    next.src = `/api/camera/picture?n=${frame.n}`;
  }

  /** @param {import("./types").Frame} frame */
  draw(frame) {
    const { canvas } = this;
    canvas.width = frame.width;
    canvas.height = frame.height;
    const whole = /** @type {HTMLElement} */ (this.box.closest(".felt") ?? this.box);
    whole.style.setProperty("--ratio", (frame.width / frame.height).toFixed(4));
    if (frame.pile) outline(canvas, frame.pile, "#ffffff");
  }

  /** @param {{ health: string | null, detail: string }} camera */
  health(camera) {
    const bad = camera.health !== null && camera.health !== "ok";
    this.status.classList.toggle("warn", bad);
    this.known = camera.health !== null;
    this.gone = camera.health === "gone" || camera.health === "frozen";
    if (!this.known) return;
    this.status.textContent = said(camera);
  }
}

/**
 * Draws a dashed outline.
 * @param {HTMLCanvasElement} canvas
 * @param {number[][]} corners in its pixels
 * @param {string} color
 */
export function outline(canvas, corners, color) {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.strokeStyle = color;
  pen.lineWidth = Math.max(4, canvas.width / 160);
  pen.setLineDash([canvas.width / 40, canvas.width / 80]);
  pen.beginPath();
  for (const [x, y] of corners) pen.lineTo(x, y);
  pen.closePath();
  pen.stroke();
}

/**
 * How the camera does; details are known in English alone.
 * @param {{ health: string | null, detail: string }} camera
 */
function said(camera) {
  const detail =
    document.documentElement.lang === "en" ? `${camera.detail.charAt(0).toUpperCase()}${camera.detail.slice(1)}` : "";
  return `${t(`health.${camera.health}`)} ${detail}`.trim();
}
