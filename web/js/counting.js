/** Numbers that count up to a new value. */

import { moves } from "./motion.js";

/** How long (ms) a number counts. */
const DURATION = 900;

/**
 * Counts an element's number up from an earlier one. Without movement, or where the element has got another text
 * meanwhile, it is left as it is.
 * @param {Element} element holds the number it has become
 * @param {number} from
 */
function countUp(element, from) {
  const to = Number(element.textContent);
  let shown = String(to);
  if (!moves() || from === to) return;
  let start = 0;
  const step = (/** @type {number} */ now) => {
    if (!element.isConnected || element.textContent !== shown) return;
    start ||= now;
    const part = Math.min(1, (now - start) / DURATION);
    shown = String(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
    element.textContent = shown;
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/**
 * Counts the numbers of players up.
 * @param {Element} place
 * @param {string} selector of the numbers, each within an element that names its player
 * @param {Record<string, number>} before by player; who is not in it has begun at 0
 */
export function countUpAll(place, selector, before) {
  for (const element of place.querySelectorAll(selector)) {
    const player = element.closest("[data-player]")?.getAttribute("data-player");
    if (player) countUp(element, before[player] ?? 0);
  }
}
