/** What there is to choose: editions with their decks, options, languages. Asked for once per page. */

import { get } from "./api.js";

/** @type {Promise<any> | null} */
let asked = null;

/** @returns {Promise<any>} */
export function choices() {
  asked ??= get(`/api/choices?language=${document.documentElement.lang}`);
  return asked;
}

/** An edition of this name, with its deck. @param {string} name @returns {Promise<any>} */
export async function edition(name) {
  const { editions } = await choices();
  return editions.find((/** @type {any} */ one) => one.name === name) ?? { deck: [], items: false };
}

/** The cards of an edition's deck: how many of each. @param {string} name @returns {Promise<Record<string, number>>} */
export async function deckOf(name) {
  return Object.fromEntries((await edition(name)).deck.map((/** @type {any} */ one) => [one.card, one.count]));
}
