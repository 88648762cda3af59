/** Panels for what a special card waits for: an answer, a number, cards that are laid off. */

import { acts, move } from "./actions.js";
import { may } from "./attempt.js";
import { drawCard } from "./card.js";
import { h } from "./dom.js";
import { cardName, has, t } from "./i18n.js";
import { pickCards } from "./picker.js";
import { isWild, markTitle } from "./signs.js";

/** Up to which number there is a button for each. */
const BUTTONS = 8;

/**
 * Draws the panel of what waits, nothing where nothing does or somebody else is asked.
 * @param {import("./types").Running} view @param {import("./shell.js").Me} me @param {boolean} [own]
 *   own: whether only this device's player is meant
 */
export function drawAsk(view, me, own = false) {
  const { legal } = view;
  const asked = legal?.asked;
  if (!asked || !may(me.role, "player") || !acts(legal, me, own)) return null;
  const ways = legal.outcome ? answer(asked.verb) : legal.took ? took(legal.took) : shed(view);
  const title = `ask-${asked.verb}`;
  return h(
    "section",
    {
      class: "panel question ask",
      "data-key": `ask-${view.history_length}`,
      "data-ask": asked.verb,
      "aria-labelledby": title,
    },
    h(
      "div",
      { class: "ask-head" },
      isWild(asked.why) && h("span", { class: "ask-card" }, drawCard(asked.why, { decorative: true })),
      h("div", {}, h("p", { class: "small soft" }, nameOf(asked.why)), h("h2", { id: title }, view.prompt)),
    ),
    ways,
  );
}

/** The name of the face or mark that asks. @param {string} why */
const nameOf = (why) => (isWild(why) || has(`card.${why}`) ? cardName(why) : markTitle(why));

/** Yes or no. @param {string} verb */
function answer(verb) {
  const one = (/** @type {boolean} */ yes) => {
    const key = `ask.${verb}.${yes ? "yes" : "no"}`;
    return h(
      "button",
      {
        type: "button",
        class: yes ? "primary big" : "big",
        "data-act": yes ? "yes" : "no",
        onclick: () => move({ do: "outcome", yes }),
      },
      has(key) ? t(key) : t(yes ? "ask.yes" : "ask.no"),
    );
  };
  return h("div", { class: "actions ask-ways" }, one(true), one(false));
}

/** How many were drawn. @param {number[]} limits the least and the most */
const took = ([least, most]) => count(least, most, t("ask.drawn"), (cards) => move({ do: "took", cards }));

/** How many were laid off, or which. @param {import("./types").Running} view */
function shed(view) {
  const most = view.legal.shed ?? 0;
  return [
    count(0, most, t("ask.shed"), (number) => move({ do: "shed", count: number })),
    h(
      "button",
      { type: "button", class: "quiet", "data-act": "choose-shed", onclick: () => chooseShed(view, most) },
      t("ask.cards"),
    ),
  ];
}

/** Lets the cards that are laid off be tapped. @param {import("./types").Running} view @param {number} most */
async function chooseShed(view, most) {
  /** @type {string[]} */
  let cards = [];
  const done = await pickCards(view.prompt, {
    edition: view.match.edition,
    allowed: new Set(view.legal.cards),
    cards: () => cards,
    says: () => t("ask.chosen", { count: cards.length, most }),
    add: (card) => {
      if (cards.length < most) cards = [...cards, card];
    },
    remove: (place) => {
      cards = cards.filter((_, at) => at !== place);
    },
  });
  if (done) await move({ do: "shed", cards });
}

/**
 * A button for each number, and a field for larger ones.
 * @param {number} least @param {number} most @param {string} label @param {(number: number) => unknown} enter
 */
function count(least, most, label, enter) {
  const last = Math.min(most, least + BUTTONS - 1);
  const numbers = Array.from({ length: last - least + 1 }, (_, at) => least + at);
  return h(
    "div",
    { class: "ask-ways", role: "group", "aria-label": label },
    h(
      "div",
      { class: "ask-numbers" },
      numbers.map((number) =>
        h(
          "button",
          { type: "button", class: "big", "data-act": `number-${number}`, onclick: () => enter(number) },
          number === 0 ? t("ask.none") : String(number),
        ),
      ),
    ),
    most > last &&
      h(
        "form",
        {
          class: "row",
          onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const field = /** @type {HTMLFormElement} */ (event.currentTarget).querySelector("input");
            if (field?.value) enter(Number(field.value));
          },
        },
        h("input", {
          type: "number",
          id: "ask-number",
          min: String(last + 1),
          max: String(most),
          required: true,
          "aria-label": t("ask.more"),
          placeholder: t("ask.more"),
        }),
        h("button", {}, t("ask.enter")),
      ),
  );
}
