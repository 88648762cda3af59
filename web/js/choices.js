/** What there is to choose: editions with their decks, options, languages. Asked for once per page. */

import { get } from "./api.js";

/** @type {Promise<import("./answers").ChoicesAnswer> | null} */
let asked = null;

export function choices() {
  asked ??= get(`/api/choices?language=${document.documentElement.lang}`).catch((refused) => {
    asked = null; // the next one to need them asks anew
    throw refused;
  });
  return asked;
}

/** An edition of this name, with its deck. @param {string} name */
export async function edition(name) {
  const { editions } = await choices();
  return editions.find((one) => one.name === name) ?? { deck: [], items: false };
}

/** The cards of an edition's deck: how many of each. @param {string} name @returns {Promise<Record<string, number>>} */
export async function deckOf(name) {
  return Object.fromEntries((await edition(name)).deck.map((one) => [one.card, one.count]));
}
