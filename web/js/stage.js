/** The parts of the table that every large screen shows: the caption, the pile, and what moves between the seats. */

import { colorChip, drawCard } from "./card.js";
import { $, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { flyToPile, flyToSeat } from "./motion.js";
import { sceneOver } from "./theatre.js";
import { whatNext } from "./voice.js";

/** From how many characters on the caption is set smaller, so that it keeps to its lines. */
const LONG_CAPTION = 56;
/** How many characters the two lines of a caption hold. */
const ROOM = 100;

/**
 * The sentences of the caption: the last ruling and what the table waits for. What does not fit on its two lines is
 * left to the history, the oldest sentence first.
 * @param {import("./types").Running} view
 * @returns {string[]}
 */
export function headline(view) {
  const { ruling, history } = view;
  const last = history.at(-1);
  const said = [...(ruling?.sentences ?? [])];
  if (!said.length && last) {
    const what = last.move.card
      ? capital(`${cardName(last.move.card)}.`)
      : t(`did.${last.move.do}`, { player: last.player ?? "" });
    said.push(what);
  }
  const all = [...said, ...whatNext(view, said)];
  while (all.length > 1 && all.join(" ").length > ROOM) all.shift();
  return all;
}

const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Shows the caption, and what stands beside it.
 * @param {import("./types").Running} view @param {import("./types").Child} [beside]
 */
export function drawCaption(view, beside = null) {
  const words = headline(view);
  fill(
    $("#caption"),
    h(
      "div",
      // Other words are another element: they come in their place, rather than moving from the last ones' place.
      { class: "caption-lines", "data-key": words.join(" ") },
      words.map((sentence, i) => [
        i > 0 && " ",
        h("span", { class: i && sentence === view.prompt ? "caption-next" : "" }, sentence),
      ]),
    ),
    beside,
  );
  $("#caption").classList.toggle("caption-long", words.join(" ").length > LONG_CAPTION);
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
