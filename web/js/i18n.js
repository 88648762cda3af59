/** The pages' texts, in the language of this screen. */

import { unlessLeft } from "./api.js";
import { cardTitle, colorOf, colorTitle, faceOf } from "./signs.js";

/** What there is, by code, with what each language calls itself. @type {Record<string, string>} */
let known = {};

/** @type {Record<string, string>} */
let words = {};

/** The languages that there are. */
export const languages = () => Object.entries(known);

/**
 * The language of this screen: its own choice, or else the caller's.
 * @param {string} callers
 * @param {Record<string, string>} offered
 */
export function languageHere(callers, offered) {
  known = offered;
  const own = localStorage.getItem("language");
  return own && own in offered ? own : callers;
}

/** Loads a language's words; where it has none yet, English ones. @param {string} language */
export async function load(language) {
  const wordsOf = (/** @type {string} */ code) => unlessLeft(fetch(new URL(`../i18n/${code}.json`, import.meta.url)));
  let response = await wordsOf(language);
  if (!response.ok) response = await wordsOf("en");
  words = await unlessLeft(response.json());
  document.documentElement.lang = language;
}

/** Whether there is a word for this. @param {string} key */
export const has = (key) => key in words;

/**
 * Returns the text of a key with its values put in. `count` chooses between `key.one` and `key.many`.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const plural = "count" in values ? words[`${key}.${values.count === 1 ? "one" : "many"}`] : undefined;
  const text = plural ?? words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Puts words into all elements that name a key. @param {ParentNode} [root] */
export function translate(root = document) {
  for (const element of root.querySelectorAll("[data-t]"))
    element.textContent = t(element.getAttribute("data-t") ?? "");
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.getAttribute("data-label") ?? ""));
  }
}

/** The name of a colour in this language, or as the edition has it. @param {string} color */
export const colorName = (color) => (has(`color.${color}`) ? t(`color.${color}`) : colorTitle(color));

/** The name of a card in this language, or as the edition has it. @param {string} card */
export function cardName(card) {
  const [color, face] = [colorOf(card), faceOf(card)];
  const number = /^\d$/.test(face);
  if (!number && !has(`card.${face}`)) return cardTitle(card);
  if (color === "wild") return t(`card.${card}`);
  return t("card.colored", { color: colorName(color), face: number ? face : t(`card.${face}`) });
}
