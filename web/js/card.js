/** Cards drawn as SVG: a colour always comes with its own shape and its name. All drawings are our own. */

import { h, svg } from "./dom.js";
import { cardName, colorName, t } from "./i18n.js";
import { colorOf, colorShape, colors, faceDrawing, faceOf, markDrawing, markOf, pictureOf, signed } from "./signs.js";

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

/** The shape that goes with a colour. @param {string} color */
export function shape(color) {
  return svg(`<g fill="currentColor">${colorShape(color)}</g>`, "0 0 20 20");
}

/** A mark's icon: its own, or the sign of what it does. @param {string} item */
export function itemIcon(item) {
  return svg(itemDrawing(item), "0 0 100 100");
}

/** @param {string} item */
const itemDrawing = (item) => ITEMS[item] ?? `<g color="#38343f" transform="scale(1.667)">${markDrawing(item)}</g>`;

/**
 * Draws a card; null is a place where none lies.
 * @param {string | null} card @param {{ decorative?: boolean, sign?: string | null }} [how]
 *   decorative: named by what stands beside it; sign: of its face, where it is none of the edition that is played
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
  const color = colorOf(card);
  const picture = how.sign === undefined ? pictureOf(card) : null;
  if (picture) return photographed(picture, how.decorative ? "" : cardName(card));
  const show = how.sign === undefined ? shown(card) : signed(how.sign);
  const element = svg(
    ground(color) +
      middle(show) +
      corner(card, color, show, "") +
      corner(card, color, show, ' transform="rotate(180 50 75)"'),
    "0 0 100 150",
    how.decorative ? "" : cardName(card),
  );
  element.classList.add("card", `card-${color}`);
  return element;
}

/** One part of a wild's middle, in the edition's colours in turn. @param {string} path @param {number} place */
const quarter = (path, place) => `<path class="fill-${colors()[place % colors().length]}" d="${path}"/>`;

/** @param {string} color */
function ground(color) {
  const quarters =
    color === "wild"
      ? `<g class="card-quarters">${QUARTERS.map(quarter).join("")}</g>`
      : '<rect class="card-panel" x="19" y="29" width="62" height="92" rx="14"/>';
  return (
    `<rect class="card-edge" x="1" y="1" width="98" height="148" rx="13"/>` +
    `<rect class="card-ground" x="5.5" y="5.5" width="89" height="139" rx="9.5"/>${quarters}`
  );
}

/**
 * What a card shows: a text, or a drawing in a box of 60.
 * @param {string} card @returns {{ text: string, drawing: string }}
 */
function shown(card) {
  const face = faceOf(card);
  const text = { "draw two": "+2", "wild draw four": "+4" }[face] ?? face;
  if (/^(\d|\+\d)$/.test(text)) return { text, drawing: "" };
  return face === "wild" ? { text: "", drawing: "" } : faceDrawing(face, card);
}

/** A card as its learnt deck shows it. @param {string} address @param {string} name */
function photographed(address, name) {
  const element = svg(
    '<rect class="card-edge" x="1" y="1" width="98" height="148" rx="13"/>' +
      '<image class="card-photo" x="4" y="4" width="92" height="142" preserveAspectRatio="xMidYMid slice"/>',
    "0 0 100 150",
    name,
  );
  element.querySelector("image")?.setAttribute("href", address);
  element.classList.add("card", "card-wild");
  return element;
}

/** @param {ReturnType<typeof shown>} show */
function middle({ text, drawing }) {
  if (text) {
    const mark = text === "6" || text === "9" ? '<path class="card-line" d="M38 107h24"/>' : "";
    const size = [60, 36, 27][text.length - 1];
    return `<text class="card-number" x="50" y="${75 + size * 0.34}" font-size="${size}">${text}</text>${mark}`;
  }
  return drawing && `<g class="card-symbol" transform="translate(22 47) scale(0.93)">${drawing}</g>`;
}

/** The four parts of a wild's middle. */
const QUARTERS = [
  "M50 75V29H30a11 11 0 0 0-11 11v35z",
  "M50 75V29h20a11 11 0 0 1 11 11v35z",
  "M50 75v46H30a11 11 0 0 1-11-11V75z",
  "M50 75v46h20a11 11 0 0 0 11-11V75z",
];

/** Where the colour's shape stands: below the index beside an item, or in the free corner. */
const OWN_CORNER = "translate(9 29) scale(0.62)";
const FREE_CORNER = "translate(74 9) scale(0.85)";

/** @param {string} card @param {string} color @param {ReturnType<typeof shown>} show @param {string} turn */
function corner(card, color, { text, drawing }, turn) {
  const own = markOf(card);
  const index = text
    ? `<text class="card-index" x="9" y="24" font-size="${text.length > 2 ? 15 : 19}">${text}</text>`
    : drawing && `<g class="card-corner" transform="translate(8 9) scale(0.27)">${drawing}</g>`;
  const sign =
    color === "wild"
      ? ""
      : `<g class="card-shape" transform="${own ? OWN_CORNER : FREE_CORNER}">${colorShape(color)}</g>`;
  const item = own
    ? '<circle cx="81" cy="19" r="12.5" fill="#fffdf8"/>' +
      `<g transform="translate(71 9) scale(0.2)">${itemDrawing(own)}</g>`
    : "";
  return `<g${turn}>${index}${sign}${item}</g>`;
}

/** What a card shows, small: its digit or its symbol. @param {string} card */
export function faceSign(card) {
  const { text, drawing } = shown(card);
  return text || svg(drawing, "0 0 60 60");
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
  return h("span", { class: `chip chip-${color}` }, shape(color), colorName(color));
}
