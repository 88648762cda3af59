/** Takes still pictures out of a video, evenly over its first two seconds. */

import { h } from "./dom.js";

/** @param {Blob} video @param {number} count @returns {Promise<Blob[]>} */
export async function stills(video, count) {
  const player = h("video", { muted: true, playsinline: true, preload: "auto", src: URL.createObjectURL(video) });
  player.playsInline = true;
  const heard = (/** @type {string} */ name) => new Promise((resolve, reject) => {
    player.addEventListener(name, resolve, { once: true });
    player.addEventListener("error", reject, { once: true });
  });
  /** @type {Blob[]} */
  const found = [];
  try {
    await heard("loadeddata");
    const length = Math.min(2, Number.isFinite(player.duration) ? player.duration : 2);
    for (let i = 0; i < count; i++) {
      const seeked = heard("seeked");
      player.currentTime = ((i + 0.5) / count) * length;
      await seeked;
      const canvas = h("canvas", { width: player.videoWidth, height: player.videoHeight });
      canvas.getContext("2d").drawImage(player, 0, 0);
      const still = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
      if (still instanceof Blob) found.push(still);
    }
  } catch {
    // A video that this browser cannot play gives no pictures; what it gave so far is still of use.
  }
  URL.revokeObjectURL(player.src);
  return found;
}
