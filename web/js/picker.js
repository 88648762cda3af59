/** The dialog in which a card is chosen: a colour first, then what it shows. */

import { COLORS, drawCard, shape } from "./card.js";
import { deckOf } from "./choices.js";
import { ask, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";

/**
 * Asks for a card of the edition.
 * @param {string} title
 * @param {{ edition: string, allowed?: Set<string>, color?: string | null, extra?: (close: (value: any) => void) => any }} how
 *   allowed: the cards that fit, all where absent; color: the one to begin with
 * @returns {Promise<any>} its name, or null, or what `extra` closes with
 */
export async function pickCard(title, how) {
  const deck = Object.keys(await deckOf(how.edition));
  let color = how.color ?? "red";
  return ask(title, (close) => {
    const place = h("div", { class: "picker" });
    const draw = () => {
      const cards = deck.filter((card) => card.startsWith(`${color} `) || card.startsWith("wild"));
      fill(place,
        how.extra?.(close),
        h("div", { class: "picker-colors", role: "group", "aria-label": t("picker.color") }, COLORS.map((one) =>
          h("button", { type: "button", class: `chip-${one}`, "aria-pressed": one === color, onclick: () => {
            color = one;
            draw();
          } }, shape(one), t(`color.${one}`)))),
        h("div", { class: "picker-cards" }, cards.map((card) =>
          h("button", { type: "button", class: "card-button", "data-card": card,
            disabled: how.allowed !== undefined && !how.allowed.has(card), onclick: () => close(card) },
          drawCard(card, { decorative: true }), h("span", { class: "visually-hidden" }, cardName(card))))));
    };
    draw();
    return place;
  }, t("close"));
}
