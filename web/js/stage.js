/** The parts of the table that large screens share: the caption, the pile, and movements between seats. */

import { colorChip, drawCard } from "./card.js";
import { $, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { flyToPile, flyToSeat } from "./motion.js";
import { sceneOver } from "./theatre.js";
import { whatNext } from "./voice.js";

/**
 * The sizes that a caption is set in, as shares of its usual one, until it fits its two lines. What is too long for the
 * second loses its oldest sentences; only a single sentence is set in the last.
 */
const SIZES = [1, 0.76, 0.62];

/**
 * The sentences of the caption: the last ruling and what the table waits for.
 * @param {import("./types").Running} view
 * @returns {string[]}
 */
function headline(view) {
  const { ruling, history } = view;
  const last = history.at(-1);
  const said = [...(ruling?.sentences ?? [])];
  if (!said.length && last) {
    const what = last.move.card
      ? capital(`${cardName(last.move.card)}.`)
      : t(`did.${last.move.do}`, { player: last.player ?? "" });
    said.push(what);
  }
  return [...said, ...whatNext(view, said)];
}

const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Shows the caption, and what stands beside it. What does not fit on its two lines is left to the history, the oldest
 * sentence first.
 * @param {import("./types").Running} view
 * @param {{ beside?: import("./types").Child, next?: boolean }} [how] next: whether it says what the table waits for
 */
export function drawCaption(view, { beside = null, next = true } = {}) {
  const all = headline(view).filter((sentence) => next || sentence !== view.prompt);
  for (let first = 0; first === 0 || first < all.length; first++) {
    const words = all.slice(first);
    fill($("#caption"), words.length > 0 && captionLines(words, view.prompt), beside);
    const lines = $("#caption .caption-lines");
    if (!lines || SIZES.slice(0, words.length > 1 ? 2 : 3).some((size) => fits(lines, size))) return;
  }
}

/** @param {string[]} words @param {string} prompt what the table waits for */
function captionLines(words, prompt) {
  return h(
    "div",
    // Other words are another element: they come in their place, rather than moving from the last ones' place.
    { class: "caption-lines", "data-key": words.join(" ") },
    words.map((sentence, i) => [
      i > 0 && " ",
      h("span", { class: i && sentence === prompt ? "caption-next" : "" }, sentence),
    ]),
  );
}

/** Whether the caption's words fit its two lines in a size. @param {HTMLElement} lines @param {number} size */
function fits(lines, size) {
  lines.style.setProperty("--smaller", String(size));
  // Letters reach a little beyond their line.
  return lines.scrollHeight - lines.clientHeight < parseFloat(getComputedStyle(lines).fontSize) / 3;
}

/** Shows the card on top of the pile with what is in force. @param {import("./answers").StateAnswer} state */
export function drawPile(state) {
  fill(
    $("#top"),
    drawCard(state.top),
    h(
      "div",
      { class: "in-force" },
      state.debt > 0 && h("strong", { class: "debt" }, t("table.debt", { count: state.debt })),
      state.color ? colorChip(state.color) : h("span", { class: "soft" }, t("table.nocolor")),
    ),
  );
}

/**
 * Shows what has changed as movement, after the scene that may be running: a card laid, cards drawn.
 * @param {import("./types").Running} before
 * @param {import("./types").Running} view
 */
export async function animate(before, view) {
  const seat = (/** @type {string | null | undefined} */ player) =>
    player ? document.querySelector(`#ring [data-player="${CSS.escape(player)}"]`) : null;
  const [old, { state, history }] = [before.state, view];
  const last = history.at(-1);
  const longer = history.length > before.history.length;
  if (longer && last?.move.card && state.top) flyToPile(document.querySelector("#top .card"), seat(last.player));
  if (!longer || state.round !== old.round) return;
  await sceneOver();
  for (const [player, count] of Object.entries(state.hands))
    if (count > old.hands[player]) flyToSeat($("#top"), seat(player), count - old.hands[player]);
}
