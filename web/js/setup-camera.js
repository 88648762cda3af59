/** The third step of a set-up: the camera, its picture, and the worst obstacle to reading it. */

import { post } from "./api.js";
import { attempt } from "./attempt.js";
import { fill, h } from "./dom.js";
import { help } from "./helper.js";
import { t } from "./i18n.js";
import { marking } from "./marking.js";
import { Picture } from "./picture.js";
import { drawSources } from "./sources.js";

/**
 * Draws the step.
 * @param {HTMLElement} place @param {import("./answers").DecksAnswer} decks the learnt ones
 * @param {(source: string | null) => void} chosen called with what watches, at first and after each change
 * @returns {{ health: Picture["health"], show: (frame: import("./types").Frame) => void, ready: Promise<void> }}
 *   ready: once what there is to choose is drawn
 */
export function drawCamera(place, decks, chosen) {
  const sources = h("div", { class: "stack" });
  const seen = h("div", { class: "preview stack", hidden: true });
  const hint = h("p", { class: "small soft", id: "camera-hint", hidden: true }, t("setup.place"));
  const picture = new Picture(seen);
  const [overlay, marks] = [h("canvas", { "aria-hidden": "true" }), h("canvas", { "aria-hidden": "true" })];
  seen.querySelector(".live")?.append(overlay, marks);
  help(
    seen,
    overlay,
    () => !seen.hidden,
    () => picture.gone,
  );
  seen.append(marking(marks));
  const teach = h("a", { class: "small", href: "/deck", id: "deck-link" }, t("setup.deck"));
  fill(place, seen, hint, sources, learntDeck(decks), teach);
  const listed = (/** @type {string | null} */ source) => {
    hint.hidden = source === null || !seen.hidden;
    chosen(source);
  };
  const turn = (/** @type {string | null} */ source) => {
    seen.hidden = true;
    listed(source);
  };
  return {
    health: (camera) => picture.health(camera),
    show: (frame) => {
      picture.show(frame);
      seen.hidden = false;
      hint.hidden = true;
    },
    ready: drawSources(sources, { simulated: true, none: true, again: true, listed, chosen: turn }),
  };
}

/** Which learnt deck is read with, where there are any; a choice holds at once. */
function learntDeck(/** @type {import("./answers").DecksAnswer} */ decks) {
  let { chosen } = decks;
  return (
    decks.decks.length > 0 &&
    h(
      "label",
      { class: "field" },
      t("deck.decks"),
      h(
        "select",
        {
          id: "learnt-deck",
          onchange: async (event) => {
            const now = await attempt(() => post("/api/decks/choose", { name: event.target.value || null }));
            if (now) chosen = now.chosen;
            event.target.value = chosen ?? "";
          },
        },
        h("option", { value: "" }, t("deck.without")),
        decks.decks.map((one) =>
          h(
            "option",
            { value: one.name, selected: one.name === chosen },
            t("deck.one", { name: one.name, cards: one.cards, faces: one.faces }),
          ),
        ),
      ),
    )
  );
}
