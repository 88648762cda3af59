/** The look of the cards of the edition in play: signs of special faces, colours, names. Our own drawings. */

import { hexRules, hueOf } from "./hues.js";

/** Lines of a sign in a box of 60, drawn with the card's ink. @param {string} path @param {number} [width] */
const line = (path, width = 5) =>
  `<path d="${path}" fill="none" stroke="currentColor" stroke-width="${width}" stroke-linecap="round" ` +
  'stroke-linejoin="round"/>';
/** A filled part of a sign. @param {string} path */
const solid = (path) => `<path d="${path}" fill="currentColor"/>`;
/** A small card. @param {number} x @param {number} y @param {string} [turn] */
const leaf = (x, y, turn = "") =>
  `<rect x="${x}" y="${y}" width="22" height="31" rx="4" fill="none" stroke="currentColor" stroke-width="4.5" ` +
  `transform="${turn}"/>`;

/** The signs by what they stand for: a verb, `answer`, `drawn`, or nothing. @type {Record<string, string>} */
const SIGNS = {
  skip:
    '<circle cx="30" cy="30" r="21" fill="none" stroke="currentColor" stroke-width="7"/>' +
    '<path d="M15.5 44.5 44.5 15.5" stroke="currentColor" stroke-width="7"/>',
  reverse:
    line("M12 26c2-9 10-14 19-14h6M37 3l11 9-11 10", 6.5) + line("M48 34c-2 9-10 14-19 14h-6M23 57 12 48l11-10", 6.5),
  turn_up:
    '<rect x="8" y="20" width="44" height="34" rx="5" fill="none" stroke="currentColor" stroke-width="5"/>' +
    line("M8 32h44M30 20v34M30 20c-5-14-18-12-14-4 2 4 8 4 14 4 6 0 12 0 14-4 4-8-9-10-14 4z", 4.5),
  drawn: solid(
    "m30 4 6 13 13-5-5 13 13 6-13 6 5 13-13-5-6 13-6-13-13 5 5-13-13-6 13-6-5-13 13 5z" + "M30 23a8 8 0 1 0 .01 0z",
  ),
  draw: leaf(8, 20, "rotate(-10 19 36)") + leaf(22, 14) + line("M51 12v14M44 19h14"),
  draw_until: leaf(6, 22) + line("M36 44V14M27 23l9-9 9 9") + line("M52 14v30"),
  draw_to: leaf(4, 24) + leaf(15, 16) + line("M43 50V14M36 20l7-7 7 7"),
  again: line("M48 20a20 20 0 1 0 3 14M50 7v14H36", 6),
  shed: leaf(19, 6) + line("M30 36v18M21 46l9 9 9-9"),
  swap: leaf(4, 8) + leaf(34, 21) + line("M33 11h16M44 5l6 6-6 6M27 49H11M16 43l-6 6 6 6", 4.5),
  rotate:
    line("M12 25a19 19 0 0 1 33-8M46 6v12H34M48 35a19 19 0 0 1-33 8M14 54V42h12") +
    '<circle cx="30" cy="30" r="6" fill="currentColor"/>',
  pool: line("M6 16h10c14 0 14 28 28 28h8M46 37l7 7-7 7M6 44h10c4 0 7-2 9-6M37 22c2-4 4-6 8-6h8M46 9l7 7-7 7"),
  refresh: leaf(19, 15) + line("M8 34a22 22 0 0 0 40 8M52 26a22 22 0 0 0-40-8M50 52V41H39M10 8v11h11", 4),
  take:
    leaf(6, 10, "rotate(-8 17 25)") + line("M30 54c-6-6-8-10-4-13 2-1 4 0 6 2V26M32 34h6M38 34h6M44 34c5 0 7 8 4 20"),
  peek:
    line("M4 30c8-13 17-18 26-18s18 5 26 18c-8 13-17 18-26 18S12 43 4 30z") +
    '<circle cx="30" cy="30" r="8" fill="currentColor"/>',
  reveal: leaf(6, 17) + leaf(19, 12) + leaf(32, 17) + line("M30 50v6M22 56h16", 4),
  dare: solid("M31 3c3 11 15 16 15 32a17 17 0 0 1-33 5c-3-10 2-16 6-22 1 6 3 8 6 9 3-8 1-16 6-24z"),
  rule: line("M14 8h32v44H14zM21 20h18M21 30h18M21 40h11"),
  demand: `${leaf(4, 15) + line("M44 8v28", 7)}<circle cx="44" cy="48" r="4.5" fill="currentColor"/>`,
  target:
    '<circle cx="30" cy="30" r="17" fill="none" stroke="currentColor" stroke-width="5"/>' +
    '<circle cx="30" cy="30" r="5" fill="currentColor"/>' +
    line("M30 4v12M30 44v12M4 30h12M44 30h12"),
  answer: line("M30 5 50 12v16c0 14-9 22-20 27C19 50 10 42 10 28V12z") + line("m20 29 8 8 13-15"),
  plain: solid("m30 4 8 17 18 2-13 13 3 19-16-9-16 9 3-19L4 23l18-2z"),
};

/** The shapes of colours, one each, in a box of 20: a colour is never shown by its hue alone. */
const SHAPES = {
  red: '<path d="M10 2.5 18 17H2z"/>',
  yellow: '<rect x="3.2" y="3.2" width="13.6" height="13.6" rx="1.5"/>',
  green: '<circle cx="10" cy="10" r="7.4"/>',
  blue: '<path d="M10 1.6 18.4 10 10 18.4 1.6 10z"/>',
};
/** Shapes for colours that are not among these. */
const MORE_SHAPES = [
  '<path d="m10 1.5 8.1 5.9-3.1 9.6H5L1.9 7.4z"/>',
  '<path d="M5.5 2.5h9L19 10l-4.5 7.5h-9L1 10z"/>',
  '<path d="M10 18C3 13 1 9 2 6c1-4 6-4 8 0 2-4 7-4 8 0 1 3-1 7-8 12z"/>',
  '<path d="m10 1 2.6 5.9 6.4.6-4.8 4.3 1.4 6.3L10 14.8l-5.6 3.3 1.4-6.3L1 7.5l6.4-.6z"/>',
  '<path d="M7 2h6v5h5v6h-5v5H7v-5H2V7h5z"/>',
  '<path d="M15.5 16.5A8.5 8.5 0 1 1 12 2a6.5 6.5 0 1 0 3.5 14.5z"/>',
];

/** The printed colours. */
const PRINTED = Object.keys(SHAPES);

/** @typedef {import("./answers").EditionDetailAnswer} Detail */

/** What is known of the edition that cards are drawn of. */
const worn = {
  colors: PRINTED,
  /** @type {Record<string, string>} */
  colorTitles: {},
  /** @type {Record<string, import("./answers").DeckCardAnswer>} */
  cards: {},
  /** @type {Record<string, import("./answers").EditionMarkAnswer>} */
  marks: {},
  sheet: /** @type {CSSStyleSheet | null} */ (null),
  look: /** @type {Detail | null} */ (null),
};

/** Draws cards as this edition has them from now on. @param {Detail} look */
export function wear(look) {
  if (look === worn.look) return;
  worn.look = look;
  worn.colors = look.colors.length ? look.colors.map((one) => one.color) : PRINTED;
  worn.colorTitles = Object.fromEntries(look.colors.map((one) => [one.color, one.title]));
  worn.cards = Object.fromEntries(look.deck.map((one) => [one.card, one]));
  worn.marks = Object.fromEntries(look.marks.map((one) => [one.mark, one]));
  const { edition } = look;
  if (edition?.specials.length) document.documentElement.style.setProperty("--felt-hue", String(hueOf(edition.id)));
  else document.documentElement.style.removeProperty("--felt-hue");
  if (!worn.sheet) {
    worn.sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, worn.sheet];
  }
  worn.sheet.replaceSync(
    look.colors
      .filter((one) => one.hex)
      .map(hexRules)
      .join("\n"),
  );
}

/** The colours of the edition. */
export const colors = () => worn.colors;

/** Whether a card has no colour. @param {string} card */
export const isWild = (card) => card === "wild" || card.startsWith("wild ");

/** The colour of a card, "wild" for none. @param {string} card */
export const colorOf = (card) => (isWild(card) ? "wild" : card.slice(0, card.indexOf(" ")));

/** What a card shows without its colour. @param {string} card */
export const faceOf = (card) => (isWild(card) ? card : card.slice(card.indexOf(" ") + 1));

/** The edition's own name of a colour. @param {string} color */
export const colorTitle = (color) => worn.colorTitles[color] ?? color;

/** The edition's own name of a card. @param {string} card */
export const cardTitle = (card) => worn.cards[card]?.title ?? card;

/** The edition's own name of a mark. @param {string} mark */
export const markTitle = (mark) => worn.marks[mark]?.title ?? mark;

/** Whether who lays a wild chooses the colour with it. @param {string} card */
export const choosesColor = (card) => worn.cards[card]?.chooses ?? isWild(card);

/** The address of the picture learnt of a special card, null without one. @param {string} card */
export const pictureOf = (card) => worn.cards[card]?.picture ?? null;

/** The mark in a card's corner, null without one. @param {string} card */
export const markOf = (card) => worn.cards[card]?.item ?? null;

/** The shape that stands for a colour, in a box of 20. @param {string} color */
export function colorShape(color) {
  const own = SHAPES[/** @type {keyof typeof SHAPES} */ (color)];
  const others = worn.colors.filter((one) => !PRINTED.includes(one));
  return own ?? MORE_SHAPES[Math.max(0, others.indexOf(color)) % MORE_SHAPES.length];
}

/**
 * What stands for a sign: a text such as "+6", or a drawing in a box of 60.
 * @param {string | null | undefined} sign @returns {{ text: string, drawing: string }}
 */
export const signed = (sign) =>
  sign?.startsWith("+") ? { text: sign, drawing: "" } : { text: "", drawing: SIGNS[sign ?? "plain"] ?? SIGNS.plain };

/** What a special face shows. @param {string} face @param {string} card one with this face */
export const faceDrawing = (face, card) => signed(worn.cards[card]?.sign ?? (face in SIGNS ? face : "plain"));

/** The drawing of a mark that has none of its own, in a box of 60. @param {string} mark */
export function markDrawing(mark) {
  const sign = worn.marks[mark]?.sign ?? "plain";
  return SIGNS[sign] ?? SIGNS.draw;
}
