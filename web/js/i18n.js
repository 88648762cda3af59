/** The pages' words in four languages. */

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

/** @type {Record<string, string>} */
let words = {};

/** The language of this screen: its own choice, or else the caller's. @param {string} callers */
export function languageHere(callers) {
  const own = localStorage.getItem("language");
  return own && own in LANGUAGES ? own : callers;
}

/** Loads a language's words. @param {string} language */
export async function load(language) {
  const response = await fetch(`/web/i18n/${language}.json`);
  words = await response.json();
  document.documentElement.lang = language;
}

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
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.getAttribute("data-t") ?? "");
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.getAttribute("data-label") ?? ""));
  }
}

/** The name of a card in this language. @param {string} card */
export function cardName(card) {
  const [color, ...rest] = card.split(" ");
  if (color === "wild") return t(`card.${card}`);
  const face = rest.join(" ");
  return t("card.colored", { color: t(`color.${color}`), face: /^\d$/.test(face) ? face : t(`card.${face}`) });
}
