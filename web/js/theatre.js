/** A moment of theatre: for what the item box turned up, and for the karts when a round was scored. */

import { itemIcon } from "./card.js";
import { fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { drawRace } from "./race.js";

/** How long an item is shown at least, also where what it asks for is chosen at once. */
const SECONDS = 2.4;
const RACE_SECONDS = 5;

/** @type {HTMLElement | null} */
let scene = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let ending;

/** When the scene began, in ms of the page. */
let began = 0;

/**
 * Shows a scene over the table, or over the page where there is none: the buttons beside the table stay free. It ends
 * by time, or by a tap on it.
 * @param {HTMLElement} element
 * @param {number} seconds
 */
function show(element, seconds) {
  end();
  scene = element;
  (document.querySelector(".table-page .felt") ?? document.body).append(element);
  element.addEventListener("pointerdown", tapped);
  began = performance.now();
  ending = setTimeout(end, seconds * 1000);
}

/** @param {Event} event */
function tapped(event) {
  if (!(/** @type {Element} */ (event.target).closest("button"))) end();
}

function end() {
  clearTimeout(ending);
  scene?.remove();
  scene = null;
}

/** Shows the item of an update's ruling, if there is one. @param {import("./types").Update} update */
export function playItem(update) {
  const effect = update.ruling?.effects.find((one) => one.effect === "item");
  if (!effect || update.kind !== "ruling") return;
  show(
    h(
      "div",
      { class: `theatre theatre-${effect.item.replace(" ", "-")}`, "aria-hidden": "true" },
      h("div", { class: "theatre-rays" }),
      h("div", { class: "theatre-item" }, itemIcon(effect.item)),
      h("p", { class: "theatre-name" }, t(`item.${effect.item}`)),
      h("p", { class: "theatre-what" }, update.sentences.slice(1).join(" ")),
      h("div", { class: "theatre-choice row" }),
    ),
    SECONDS,
  );
}

/**
 * Puts what must be chosen now into the item's scene, which then stays until it is.
 * @param {import("./actions.js").Action[]} choices
 */
export function offerChoice(choices) {
  const place = scene?.querySelector(".theatre-choice");
  if (!place) return;
  clearTimeout(ending);
  if (!choices.length) ending = setTimeout(end, Math.max(0, began + SECONDS * 1000 - performance.now()));
  // The same buttons are on the page beneath for who does not point.
  fill(
    place,
    choices.map((one) =>
      h(
        "button",
        {
          type: "button",
          class: `big ${one.class ?? ""}`,
          tabindex: "-1",
          "data-choose": one.id,
          onclick: async () => {
            end();
            await one.do();
          },
        },
        one.icon,
        one.label,
      ),
    ),
  );
}

/** The match and the totals that were shown last. */
let shown = { match: "", scores: /** @type {Record<string, number> | null} */ (null) };

/** Lets the karts drive where a round has been scored. @param {import("./types").Running} view */
export function playRace({ match, state }) {
  const before = shown.match === match.id ? shown.scores : null;
  shown = { match: match.id, scores: state.scores };
  const risen = before && match.players.some((/** @type {string} */ player) => state.scores[player] > before[player]);
  if (!risen || match.scoring === "single-round") return;
  const place = h("div", { class: "theatre-race" }, drawRace({ ...match, scores: before, winners: [] }));
  show(h("div", { class: "theatre theatre-scored", "aria-hidden": "true" }, place), RACE_SECONDS);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => fill(place, drawRace({ ...match, scores: state.scores, winners: state.winners }))),
  );
}
