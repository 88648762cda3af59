/** Takes still pictures out of a video, evenly over its first two seconds. */

import { h, pen } from "./dom.js";

/** How long a browser may take to show a frame: some never show one, and say nothing. */
const PATIENCE_SECONDS = 10;
/** One for all stills: phones give a page little memory for canvases, and take it back late. */
const canvas = h("canvas");

/** @param {Blob} video @param {number} count @returns {Promise<Blob[]>} */
export async function stills(video, count) {
  const player = h("video", { muted: true, playsinline: true, preload: "auto", src: URL.createObjectURL(video) });
  player.playsInline = true;
  const heard = (/** @type {string} */ name) =>
    new Promise((resolve, reject) => {
      player.addEventListener(name, resolve, { once: true });
      player.addEventListener("error", reject, { once: true });
      setTimeout(reject, PATIENCE_SECONDS * 1000);
    });
  /** @type {Blob[]} */
  const found = [];
  try {
    const loaded = heard("loadeddata");
    // Safari loads no frame before `play`.
    player
      .play()
      .then(() => player.pause())
      .catch(() => {});
    await loaded;
    const length = Math.min(2, Number.isFinite(player.duration) ? player.duration : 2);
    for (let i = 0; i < count; i++) {
      const seeked = heard("seeked");
      player.currentTime = ((i + 0.5) / count) * length;
      await seeked;
      canvas.width = player.videoWidth;
      canvas.height = player.videoHeight;
      pen(canvas).drawImage(player, 0, 0);
      const still = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
      if (still instanceof Blob) found.push(still);
    }
  } catch {
    // A video that this browser cannot play gives no pictures; what it gave so far is still of use.
  }
  URL.revokeObjectURL(player.src);
  return found;
}
