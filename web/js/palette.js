/** The cards of the edition, for a table without a camera: one tap is one card. What fits lies large. */

import { drawCard, faceSign, shape } from "./card.js";
import { h } from "./dom.js";
import { cardName, colorName, t } from "./i18n.js";
import { choosesColor, colors, isWild } from "./signs.js";

/** The key that moves the focus -> how far, in tiles; rows are found by their place. */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Draws the palette.
 * @param {{
 *   deck: Record<string, number>, fits: Set<string>,
 *   tap: (card: string, color: import("./types").Color | null) => void
 * }} how
 *   deck: the number of each card; fits: the cards that may be laid; tap: takes the card, and for a wild the colour
 *   tapped with it
 */
export function drawPalette({ deck, fits, tap }) {
  const cards = Object.keys(deck);
  const group = (/** @type {string[]} */ shown, /** @type {string} */ size) => [
    colors().map((color) => {
      const own = shown.filter((card) => card.startsWith(`${color} `));
      return (
        own.length > 0 &&
        h(
          "div",
          { class: "palette-color", "data-key": `${size}-${color}`, role: "group", "aria-label": colorName(color) },
          own.map((card) => tile(card, color, fits, () => tap(card, null))),
        )
      );
    }),
    shown.filter((card) => isWild(card)).map((card) => wild(card, fits, tap)),
  ];
  const [fitting, rest] = [cards.filter((card) => fits.has(card)), cards.filter((card) => !fits.has(card))];
  return h(
    "div",
    { class: "palette", role: "group", "aria-label": t("palette"), onkeydown: step },
    h(
      "div",
      { class: `palette-fits ${rest.length ? "palette-large" : ""}`, "data-key": `fits ${fitting.join()}` },
      group(fitting, "fits"),
    ),
    rest.length > 0 &&
      h(
        "details",
        { class: "palette-rest", "data-key": "rest" },
        h("summary", {}, t("palette.rest")),
        h("div", { class: "palette-fits" }, group(rest, "rest")),
      ),
  );
}

/**
 * Moves the focus with the arrow keys, so that every card is a few keys away.
 * @param {KeyboardEvent} event
 */
function step(event) {
  const palette = /** @type {Element} */ (event.currentTarget);
  const tiles = [...palette.querySelectorAll("button")].filter((one) => one.offsetParent !== null);
  const at = tiles.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  if (at < 0) return;
  let to = tiles[at + (STEPS[/** @type {keyof typeof STEPS} */ (event.key)] ?? 0)];
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const here = tiles[at].getBoundingClientRect();
    const down = event.key === "ArrowDown";
    const beyond = tiles
      .map((one) => ({ one, box: one.getBoundingClientRect() }))
      .filter(({ box }) => (down ? box.top >= here.bottom : box.bottom <= here.top));
    const far = (/** @type {{ box: DOMRect }} */ { box }) =>
      Math.abs(box.top - here.top) * 10 + Math.abs(box.left - here.left);
    to = beyond.sort((a, b) => far(a) - far(b))[0]?.one ?? tiles[at];
  } else if (!(event.key in STEPS)) return;
  event.preventDefault();
  to?.focus();
}

/**
 * A wild: one tile for each colour that is chosen with it, or one where something else comes first.
 * @param {string} card
 * @param {Set<string>} fits
 * @param {(card: string, color: import("./types").Color | null) => void} tap
 */
function wild(card, fits, tap) {
  return h(
    "div",
    { class: "palette-wild", "data-key": card, role: "group", "aria-label": cardName(card) },
    h("span", { class: "palette-sample", "aria-hidden": "true" }, drawCard(card, { decorative: true })),
    !choosesColor(card)
      ? tile(card, "wild", fits, () => tap(card, null))
      : colors().map((color) =>
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
              t("palette.wild", { card: cardName(card), color: colorName(color) }),
            ),
            shape(color),
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
