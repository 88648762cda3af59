/** The names that the form of an edition uses: colours, faces, kinds of card, conditions of steps. */

import { textIn } from "./edition-draft.js";
import { colorName, has, t } from "./i18n.js";

/** @typedef {import("./edition-form.js").Making} Making */

export const language = () => document.documentElement.lang;

/** Faces whose rules are printed: a file says no more of them than their names. */
export const STANDARD = new Set([..."0123456789", "draw two", "reverse", "skip", "wild", "wild draw four"]);

/** The colours of the draft. @param {Making} making @returns {string[]} */
export const colorsOf = ({ draft, base }) =>
  draft.colors ? Object.keys(/** @type {object} */ (draft.colors)) : base.colors.map((one) => one.color);

/** The faces of the base: how many of each, of each colour or in all. @param {Making} making */
export function baseFaces({ base }) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const { card, count, wild } of base.deck) found[wild ? card : card.slice(card.indexOf(" ") + 1)] ??= count;
  return found;
}

/** @param {string} face */
export const faceName = (face) => (has(`card.${face}`) ? t(`card.${face}`) : face);

/**
 * The kinds of card that a sentence can name, as JSON.
 * @param {Making} making @param {boolean} [bears] of a mark, which names no mark
 */
export function filtersOf(making, bears = false) {
  const { draft } = making;
  const one = (/** @type {unknown} */ value, /** @type {string} */ text) =>
    /** @type {[string, string]} */ ([JSON.stringify(value), text]);
  const marks = Object.entries(draft.marks);
  return [
    one("any", t("filter.any")),
    ...(bears ? [] : [one({ color: "in force" }, t("filter.in force"))]),
    ...colorsOf(making).map((color) => one({ color }, t("filter.color", { color: colorName(color) }))),
    one({ number: true }, t("filter.number")),
    one({ wild: true }, t("filter.wild")),
    ...(bears
      ? []
      : marks.map(([mark, { name }]) => one({ mark }, t("filter.mark", { mark: textIn(name, language()) || mark })))),
    ...["draw two", "skip", "reverse"].map((face) => one({ face }, t("filter.face", { face: faceName(face) }))),
    ...Object.entries(draft.faces).map(([face, { name }]) =>
      one({ face }, t("filter.face", { face: textIn(name, language()) || face })),
    ),
  ];
}

/** When a step may be left out: by the flags that the deck has of its own. @param {Making} making */
export function conditionsOf({ draft }) {
  const own = Object.entries(/** @type {Record<string, { values?: unknown[] }>} */ (draft.choices ?? {}));
  return own
    .filter(([, { values }]) => values?.every((value) => typeof value === "boolean"))
    .flatMap(([name]) => [
      /** @type {[string, string]} */ ([name, t("edition.if.on", { option: name })]),
      /** @type {[string, string]} */ ([`not ${name}`, t("edition.if.off", { option: name })]),
    ]);
}
