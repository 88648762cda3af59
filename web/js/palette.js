/** All cards of the edition at once, for a table without a camera: one tap is one card, what fits is bright. */

import { COLORS, drawCard, faceSign, shape } from "./card.js";
import { h } from "./dom.js";
import { cardName, t } from "./i18n.js";

/** Turned up by it is another card, so that no colour is chosen with it. */
const BOX = "wild item box";

/**
 * Draws the palette.
 * @param {{ deck: Record<string, number>, fits: Set<string>, tap: (card: string, color: import("./answers").Color |
 *   null) => void }} how
 *   fits: the cards that may be laid; tap: takes the card, and for a wild the colour tapped with it
 */
export function drawPalette({ deck, fits, tap }) {
  const cards = Object.keys(deck);
  const wilds = cards.filter((card) => card.startsWith("wild"));
  return h(
    "div",
    { class: "palette", role: "group", "aria-label": t("palette") },
    COLORS.map((color) =>
      h(
        "div",
        { class: "palette-color", "data-key": color, role: "group", "aria-label": t(`color.${color}`) },
        cards
          .filter((card) => card.startsWith(`${color} `))
          .map((card) => tile(card, color, fits, () => tap(card, null))),
      ),
    ),
    wilds.length > 0 &&
      h(
        "div",
        { class: "palette-wilds" },
        wilds.map((card) =>
          h(
            "div",
            { class: "palette-wild", "data-key": card, role: "group", "aria-label": cardName(card) },
            h("span", { class: "palette-sample", "aria-hidden": "true" }, drawCard(card, { decorative: true })),
            card === BOX
              ? tile(card, "wild", fits, () => tap(card, null))
              : COLORS.map((color) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: `tile ${fits.has(card) ? `chip-${color}` : ""}`,
                      "data-card": `${card}/${color}`,
                      onclick: () => tap(card, color),
                    },
                    h(
                      "span",
                      { class: "visually-hidden" },
                      t("palette.wild", { card: cardName(card), color: t(`color.${color}`) }),
                    ),
                    shape(color),
                  ),
                ),
          ),
        ),
      ),
  );
}

/** @param {string} card @param {string} color @param {Set<string>} fits @param {() => void} tap */
function tile(card, color, fits, tap) {
  const bright = fits.has(card);
  return h(
    "button",
    {
      type: "button",
      class: `tile ${bright ? (color === "wild" ? "tile-wild" : `chip-${color}`) : `tile-pale tile-${color}`}`,
      "data-card": card,
      onclick: tap,
    },
    h("span", { class: "visually-hidden" }, cardName(card)),
    h("span", { "aria-hidden": "true", class: "sign" }, faceSign(card)),
  );
}
