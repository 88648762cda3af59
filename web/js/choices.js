/** What there is to choose: editions with their decks, options, languages. Asked for once per page. */

import { get } from "./api.js";

/** @type {Promise<any> | null} */
let asked = null;

/** @returns {Promise<any>} */
export function choices() {
  asked ??= get("/api/choices");
  return asked;
}

/** An edition's deck: how many of each card. @param {string} edition @returns {Promise<Record<string, number>>} */
export async function deckOf(edition) {
  const { editions } = await choices();
  return editions.find((/** @type {any} */ one) => one.name === edition)?.deck ?? {};
}
