/** The moment of a win: the last card of the match flies up to the podium and bursts. */

import { drawCard } from "./card.js";
import { h, svg } from "./dom.js";
import { middle, moves } from "./motion.js";
import { colorShape, colors } from "./signs.js";

/** How long (ms) the card flies to the podium, and its pieces fly apart. */
const FLIGHT = 520;
const BURST = 900;
const PIECES = 18;
const CENTER = "translate(-50%, -50%)";

/**
 * Lets the last card fly to each winner as soon as the podium stands, and burst there.
 * @param {Element | null} podium
 * @param {string | null} card
 */
export function celebrate(podium, card) {
  if (!podium || !card || !moves()) return;
  for (const step of podium.querySelectorAll(".step-1")) crown(step, card);
}

/** @param {Element} step a winner's place @param {string} card */
async function crown(step, card) {
  const face = /** @type {Element} */ (step.querySelector(".avatar"));
  // The winner shows up out of the burst.
  const shown = face.animate([{ transform: "scale(0)" }, { transform: "none" }], {
    duration: FLIGHT,
    easing: "cubic-bezier(0.3, 1.8, 0.5, 1)",
  });
  shown.pause();
  await Promise.allSettled(step.getAnimations().map((one) => one.finished));
  const [x, y] = middle(/** @type {Element} */ (step.querySelector(".step-mark")));
  const all = colors();
  const pieces = Array.from({ length: PIECES }, (_, nth) => {
    const color = all[nth % all.length];
    const piece = svg(colorShape(color), "0 0 20 20");
    piece.classList.add("burst-piece", `fill-${color}`);
    return piece;
  });
  const flying = h("div", { class: "burst-card" }, drawCard(card, { decorative: true }));
  const layer = h("div", { class: "burst", "aria-hidden": "true" }, pieces, flying);
  Object.assign(layer.style, { left: `${x}px`, top: `${y}px` });
  document.body.append(layer);
  await flying.animate(
    [
      { transform: `${CENTER} translateY(60vh) rotate(-200deg) scale(0.5)`, opacity: 0, easing: "ease-out" },
      { transform: `${CENTER} scale(1.1)`, opacity: 1, offset: 0.8 },
      { transform: `${CENTER} rotate(6deg) scale(1.8)`, opacity: 0 },
    ],
    { duration: FLIGHT, fill: "forwards" },
  ).finished;
  shown.play();
  await Promise.all(pieces.map((piece, nth) => scatter(piece, nth).finished));
  layer.remove();
}

/** Lets a piece fly apart from the others. @param {Element} piece @param {number} nth */
function scatter(piece, nth) {
  const angle = (nth / PIECES) * 2 * Math.PI;
  // Every other one flies farther, so that they form no circle.
  const far = nth % 2 ? 9 : 5.5;
  const [x, y] = [far * Math.cos(angle), far * Math.sin(angle)];
  return piece.animate(
    [
      { transform: `${CENTER} scale(0.4)`, opacity: 1, easing: "ease-out" },
      { transform: `${CENTER} translate(${x}em, ${y - 1}em) rotate(${nth * 47}deg)`, opacity: 1, offset: 0.6 },
      { transform: `${CENTER} translate(${x * 1.1}em, ${y + 4}em) rotate(${nth * 90}deg)`, opacity: 0 },
    ],
    { duration: BURST, fill: "both" },
  );
}
