/** The dialog in which cards are chosen: a colour first, then what it shows. */

import { drawCard, shape } from "./card.js";
import { edition } from "./choices.js";
import { ask, fill, h } from "./dom.js";
import { cardName, colorName, t } from "./i18n.js";
import { colors, isWild, wear } from "./signs.js";

/**
 * Asks for a card of the edition.
 * @param {string} title
 * @param {{ edition: string, allowed?: Set<string>, color?: string | null, extra?: (close:
 *   import("./types").Close<string>) => import("./types").Child }} how
 *   allowed: the cards that fit, all where absent; color: the one to begin with
 * @returns {Promise<string | null>} its name, or null, or what `extra` closes with
 */
export async function pickCard(title, how) {
  const deck = await dressed(how.edition);
  return ask(
    title,
    (/** @type {import("./types").Close<string>} */ close) => {
      const cards = palette(deck, { color: how.color, allowed: how.allowed, tap: close });
      return h("div", { class: "picker" }, how.extra?.(close), cards);
    },
    t("close"),
  );
}

/**
 * Lets cards be tapped one after the other until all are there: the dialog stays open. What is there is shown, and one
 * tap takes it away again.
 * @param {string} title
 * @param {{ edition: string, cards: () => string[], says: () => string, add: (card: string) => void, remove: (place:
 *   number) => void, allowed?: Set<string> }} how
 *   cards: those that are there; says: what they come to, in words; allowed: the cards that fit, all where absent
 * @returns {Promise<boolean>} whether it was confirmed
 */
export async function pickCards(title, how) {
  const deck = await dressed(how.edition);
  const done = await ask(
    title,
    (/** @type {import("./types").Close<boolean>} */ close) => {
      const there = h("div", { class: "picker-there" });
      const draw = () =>
        fill(
          there,
          h("p", { class: "picker-sum", role: "status" }, how.says()),
          h(
            "div",
            { class: "picker-chosen" },
            how.cards().map((card, place) =>
              h(
                "button",
                {
                  type: "button",
                  class: "card-button",
                  "data-place": place,
                  "aria-label": t("picker.remove", { card: cardName(card) }),
                  onclick: () => {
                    how.remove(place);
                    draw();
                  },
                },
                drawCard(card, { decorative: true }),
              ),
            ),
          ),
        );
      draw();
      return h(
        "div",
        { class: "picker" },
        palette(deck, {
          allowed: how.allowed,
          tap: (card) => {
            how.add(card);
            draw();
          },
        }),
        there,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "primary", id: "picked", onclick: () => close(true) }, t("picker.done")),
        ),
      );
    },
    t("close"),
  );
  return done === true;
}

/** The cards of an edition, which are drawn as it has them from now on. @param {string} name */
async function dressed(name) {
  const found = await edition(name);
  wear(found);
  return found.deck.map((one) => one.card);
}

/**
 * The cards of a deck to be tapped, a colour at a time.
 * @param {string[]} deck @param {{ color?: string | null, allowed?: Set<string>, tap: (card: string) => void }} how
 */
function palette(deck, { color = null, allowed, tap }) {
  let shown = color ?? colors()[0];
  const place = h("div", { class: "picker" });
  const draw = () =>
    fill(
      place,
      h(
        "div",
        { class: "picker-colors", role: "group", "aria-label": t("picker.color") },
        colors().map((one) =>
          h(
            "button",
            {
              type: "button",
              class: `chip-${one}`,
              "aria-pressed": one === shown,
              onclick: () => {
                shown = one;
                draw();
              },
            },
            shape(one),
            colorName(one),
          ),
        ),
      ),
      h(
        "div",
        { class: "picker-cards" },
        deck
          .filter((card) => card.startsWith(`${shown} `) || isWild(card))
          .map((card) =>
            h(
              "button",
              {
                type: "button",
                class: "card-button",
                "data-card": card,
                disabled: allowed !== undefined && !allowed.has(card),
                onclick: () => tap(card),
              },
              drawCard(card, { decorative: true }),
              h("span", { class: "visually-hidden" }, cardName(card)),
            ),
          ),
      ),
    );
  draw();
  return place;
}
