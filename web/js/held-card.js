/** One card of a hand: its button, and the choices for its name. */

import { drawCard } from "./card.js";
import { h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { pickCard } from "./picker.js";
import { colorOf, isWild } from "./signs.js";

/** @typedef {import("./types").Held} Held */

/** The button of a card. @param {Held} held @param {number} place @param {() => void} onTap */
export function drawHeld(held, place, onTap) {
  const name = cardName(held.card);
  return h(
    "button",
    { type: "button", class: `card-button ${held.other ? "unsure" : ""}`, "data-place": place, onclick: onTap },
    drawCard(held.card, { decorative: true }),
    h("span", { class: "small" }, held.other ? t("scan.or", { card: name, other: cardName(held.other) }) : name),
  );
}

/**
 * Asks which card it is: resolves to its name, "remove", or a false value if nothing was chosen.
 * @param {Held} held @param {string} edition
 */
export function chooseHeld({ card, other }, edition) {
  const extra = (/** @type {import("./types").Close<string>} */ close) =>
    h(
      "div",
      { class: "row" },
      other && h("button", { type: "button", onclick: () => close(other) }, t("scan.is", { card: cardName(other) })),
      h(
        "button",
        { type: "button", class: "warning", id: "remove-card", onclick: () => close("remove") },
        t("scan.remove"),
      ),
    );
  return pickCard(cardName(card), { edition, color: isWild(card) ? null : colorOf(card), extra });
}
