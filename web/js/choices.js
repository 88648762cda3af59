/** The choices of a set-up: editions with their decks, options, languages. Fetched once per page. */

import { get, Refused } from "./api.js";

/** @typedef {import("./answers").EditionDetailAnswer} Detail */

/** @type {Promise<import("./answers").ChoicesAnswer> | null} */
let asked = null;

/** What was asked for of each edition, for the match that it was asked for. */
const known = { match: "", /** @type {Map<string, Promise<Detail>>} */ editions: new Map() };

export function choices() {
  asked ??= get(`/api/choices?language=${document.documentElement.lang}`).catch((refused) => {
    asked = null; // the next caller asks again
    throw refused;
  });
  return asked;
}

/** An edition that nobody knows: nothing is in its deck. */
const UNKNOWN = /** @type {Detail} */ (
  /** @type {unknown} */ ({ colors: [], marks: [], deck: [], defaults: {}, choices: [], rules: [], file: "" })
);

/** An edition of this ID with its deck, as the running match has it. @param {string} name @returns {Promise<Detail>} */
export function edition(name) {
  const found =
    known.editions.get(name) ??
    get(`/api/editions/${encodeURIComponent(name)}?playing=true&language=${document.documentElement.lang}`).catch(
      (refused) => {
        known.editions.delete(name);
        if (refused instanceof Refused && refused.status === 404) return UNKNOWN;
        throw refused;
      },
    );
  known.editions.set(name, found);
  return found;
}

/** Asks again for editions in another match: a deck may have been edited since. @param {string} match */
export function renew(match) {
  if (match !== known.match) known.editions.clear();
  known.match = match;
}

/** The cards of an edition's deck: how many of each. @param {string} name @returns {Promise<Record<string, number>>} */
export async function deckOf(name) {
  return Object.fromEntries((await edition(name)).deck.map((one) => [one.card, one.count]));
}
