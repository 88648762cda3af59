/** Cards drawn as SVG: a colour always comes with its own shape and its name. All drawings are our own. */

import { h, svg } from "./dom.js";
import { cardName, t } from "./i18n.js";

/** @type {import("./types").Color[]} */
export const COLORS = ["red", "yellow", "green", "blue"];

/**
 * The item in the corner of each card of the deck that is played with, by the card's name.
 * @type {Record<string, string>}
 */
let items = {};

/**
 * Draws cards as they are in this deck from now on: with items in their corners, or without.
 * @param {import("./answers").DeckCardAnswer[]} deck
 */
export function showItems(deck) {
  items = Object.fromEntries(deck.flatMap(({ card, item }) => (item === null ? [] : [[card, item]])));
}

/** One shape per colour, in a box of 20. @type {Record<string, string>} */
const SHAPES = {
  red: '<path d="M10 2.5 18 17H2z"/>',
  yellow: '<rect x="3.2" y="3.2" width="13.6" height="13.6" rx="1.5"/>',
  green: '<circle cx="10" cy="10" r="7.4"/>',
  blue: '<path d="M10 1.6 18.4 10 10 18.4 1.6 10z"/>',
};

/** The items' icons, in a box of 100. @type {Record<string, string>} */
const ITEMS = {
  mushroom:
    '<path d="M33 56h34l6 27c1 6-3 9-8 9H35c-5 0-9-3-8-9z" fill="#f7ead2" stroke="#4a3526" stroke-width="4"/>' +
    '<path d="M8 58C8 28 26 10 50 10s42 18 42 48c0 5-4 6-8 6H16c-4 0-8-1-8-6z" fill="#c9443a" ' +
    'stroke="#4a3526" stroke-width="4"/>' +
    '<circle cx="50" cy="32" r="10" fill="#fff"/><circle cx="24" cy="48" r="7" fill="#fff"/>' +
    '<circle cx="76" cy="48" r="7" fill="#fff"/>',
  "banana peel":
    '<path d="M50 14c5 16 6 28 6 40 14 4 26 14 34 30-18 2-30-4-38-14-2 10-2 14-2 22-8-6-12-14-12-24-8 ' +
    '10-18 15-30 14 5-16 16-28 32-30 0-14 2-26 10-38z" fill="#f0c437" stroke="#5c4712" stroke-width="4" ' +
    'stroke-linejoin="round"/>' +
    '<path d="M46 10h9v10h-9z" fill="#5c4712"/>',
  "green shell":
    '<path d="M10 66c0-30 18-48 40-48s40 18 40 48z" fill="#3f9a58" stroke="#1d4029" stroke-width="4"/>' +
    '<path d="M50 24 66 42 60 62H40L34 42z" fill="#6cc083" stroke="#1d4029" stroke-width="3"/>' +
    '<path d="M34 42 16 48M66 42 84 48" stroke="#1d4029" stroke-width="3"/>' +
    '<rect x="6" y="64" width="88" height="16" rx="8" fill="#f5efe2" stroke="#1d4029" stroke-width="4"/>',
  lightning:
    '<path d="M58 6 18 56h24l-8 38 48-54H54z" fill="#f2c531" stroke="#4b3c08" stroke-width="4" ' +
    'stroke-linejoin="round"/>',
  "bob-omb":
    '<circle cx="46" cy="60" r="32" fill="#33323b" stroke="#14131a" stroke-width="4"/>' +
    '<path d="M64 32 72 22" stroke="#14131a" stroke-width="10"/>' +
    '<path d="M74 20c4-8 12-8 16-4" fill="none" stroke="#8a7444" stroke-width="5"/>' +
    '<path d="m90 6 2 6 6 2-6 3-2 6-3-6-6-3 6-2z" fill="#f2a531"/>' +
    '<path d="M30 48c3-8 8-11 14-12" stroke="#7d7b8a" stroke-width="5" fill="none" ' +
    'stroke-linecap="round"/>',
};

/** The faces' symbols in a box of 60, drawn with the card's ink. @type {Record<string, string>} */
const SYMBOLS = {
  skip:
    '<circle cx="30" cy="30" r="21" fill="none" stroke="currentColor" stroke-width="7"/>' +
    '<path d="M15.5 44.5 44.5 15.5" stroke="currentColor" stroke-width="7"/>',
  reverse:
    '<path d="M12 26c2-9 10-14 19-14h6M37 3l11 9-11 10" fill="none" stroke="currentColor" ' +
    'stroke-width="6.5" stroke-linecap="round" stroke-linejoin="round"/>' +
    '<path d="M48 34c-2 9-10 14-19 14h-6M23 57 12 48l11-10" fill="none" stroke="currentColor" ' +
    'stroke-width="6.5" stroke-linecap="round" stroke-linejoin="round"/>',
  "wild item box":
    '<rect x="8" y="20" width="44" height="34" rx="5" fill="none" stroke="currentColor" ' +
    'stroke-width="5"/><path d="M8 32h44M30 20v34M30 20c-5-14-18-12-14-4 2 4 8 4 14 4 6 0 12 0 14-4 ' +
    '4-8-9-10-14 4z" fill="none" stroke="currentColor" stroke-width="4.5" stroke-linejoin="round"/>',
  "wild creeper":
    '<path d="m30 4 6 13 13-5-5 13 13 6-13 6 5 13-13-5-6 13-6-13-13 5 5-13-13-6 13-6-5-13 13 5z" ' +
    'fill="currentColor"/><circle cx="30" cy="31" r="8" fill="#38343f"/>',
};

/** The shape that goes with a colour. @param {string} color */
export function shape(color) {
  return svg(`<g fill="currentColor">${SHAPES[color]}</g>`, "0 0 20 20");
}

/** An item's icon. @param {string} item */
export function itemIcon(item) {
  return svg(ITEMS[item] ?? "", "0 0 100 100");
}

/**
 * Draws a card; null is a place where none lies.
 * @param {string | null} card @param {{ decorative?: boolean }} [how] decorative: named by what stands beside it
 */
export function drawCard(card, how = {}) {
  if (card === null) {
    const empty = svg(
      '<rect x="3" y="3" width="94" height="144" rx="12" class="card-empty"/>',
      "0 0 100 150",
      how.decorative ? "" : t("card.none"),
    );
    empty.classList.add("card");
    return empty;
  }
  const wild = card.startsWith("wild");
  const color = wild ? "wild" : card.split(" ")[0];
  const face = wild ? card : card.slice(color.length + 1);
  const element = svg(
    ground(color) +
      middle(face) +
      corner(card, color, face, "") +
      corner(card, color, face, 'transform="rotate(180 50 75)"'),
    "0 0 100 150",
    how.decorative ? "" : cardName(card),
  );
  element.classList.add("card", `card-${color}`);
  return element;
}

/** @param {string} color */
function ground(color) {
  const quarters =
    color === "wild"
      ? '<g class="card-quarters"><path class="fill-red" d="M50 75V29H30a11 11 0 0 0-11 11v35z"/>' +
        '<path class="fill-yellow" d="M50 75V29h20a11 11 0 0 1 11 11v35z"/>' +
        '<path class="fill-green" d="M50 75v46H30a11 11 0 0 1-11-11V75z"/>' +
        '<path class="fill-blue" d="M50 75v46h20a11 11 0 0 0 11-11V75z"/></g>'
      : '<rect class="card-panel" x="19" y="29" width="62" height="92" rx="14"/>';
  return (
    `<rect class="card-edge" x="1" y="1" width="98" height="148" rx="13"/>` +
    `<rect class="card-ground" x="5.5" y="5.5" width="89" height="139" rx="9.5"/>${quarters}`
  );
}

/** @param {string} face */
function short(face) {
  return { "draw two": "+2", "wild draw four": "+4" }[face] ?? face;
}

/** @param {string} face */
function middle(face) {
  const text = short(face);
  if (/^(\d|\+\d)$/.test(text)) {
    const mark = text === "6" || text === "9" ? '<path class="card-line" d="M38 107h24"/>' : "";
    return (
      `<text class="card-number" x="50" y="${text.length > 1 ? 87 : 96}" ` +
      `font-size="${text.length > 1 ? 36 : 60}">${text}</text>${mark}`
    );
  }
  if (face === "wild") return "";
  return `<g class="card-symbol" transform="translate(22 47) scale(0.93)">${SYMBOLS[face] ?? ""}</g>`;
}

/** Where the colour's shape stands: below the index beside an item, or in the free corner. */
const OWN_CORNER = "translate(9 29) scale(0.62)";
const FREE_CORNER = "translate(74 9) scale(0.85)";

/** @param {string} card @param {string} color @param {string} face @param {string} turn */
function corner(card, color, face, turn) {
  const own = items[card];
  const text = short(face);
  const index = /^(\d|\+\d)$/.test(text)
    ? `<text class="card-index" x="9" y="24" font-size="19">${text}</text>`
    : SYMBOLS[face]
      ? `<g class="card-corner" transform="translate(8 9) scale(0.27)">${SYMBOLS[face]}</g>`
      : "";
  const sign =
    color === "wild" ? "" : `<g class="card-shape" transform="${own ? OWN_CORNER : FREE_CORNER}">${SHAPES[color]}</g>`;
  const item = own
    ? `<circle cx="81" cy="19" r="12.5" fill="#fffdf8"/><g transform="translate(71 9) scale(0.2)">${ITEMS[own]}</g>`
    : "";
  return `<g ${turn}>${index}${sign}${item}</g>`;
}

/** What a card shows, small: its digit or its symbol. @param {string} card */
export function faceSign(card) {
  const face = card.startsWith("wild") ? card : card.slice(card.indexOf(" ") + 1);
  const text = short(face);
  return /^(\d|\+\d)$/.test(text) ? text : svg(SYMBOLS[face] ?? "", "0 0 60 60");
}

/** The cards of a hand, side by side. @param {string[]} cards */
export function handCards(cards) {
  return h(
    "ul",
    { class: "plain hand-cards" },
    cards.map((card) => h("li", {}, drawCard(card))),
  );
}

/** A chip that names a colour, with its shape. @param {string} color */
export function colorChip(color) {
  return h("span", { class: `chip chip-${color}` }, shape(color), t(`color.${color}`));
}
