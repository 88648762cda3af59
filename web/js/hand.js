/** The cards of a hand that is counted, read from pictures or tapped. Calculates; draws nothing. */

/** @typedef {import("./types").Held} Held */
/** @typedef {{ count: number, points: number }} Kind what the deck says of a card */

/** A card that was tapped: it is in no picture. @param {string} card @returns {Held} */
export const tapped = (card) => ({ card, other: null, quad: null, picture: -1, confidence: 1 });

export class Hand {
  /** @param {(card: string) => Kind | undefined} kind looks a card up in the deck */
  constructor(kind) {
    this.kind = kind;
    /** @type {Held[]} */
    this.cards = [];
    /** Whether the cards were read from pictures; else they were all tapped. */
    this.read = false;
  }

  get names() {
    return this.cards.map(({ card }) => card);
  }

  get points() {
    return this.cards.reduce((total, { card }) => total + (this.kind(card)?.points ?? 0), 0);
  }

  /** How many of a card the deck holds. @param {string} card */
  copies(card) {
    return this.kind(card)?.count ?? 0;
  }

  /** The cards of which there are more than the deck holds. */
  get surplus() {
    const { names } = this;
    return [...new Set(names)].filter((card) => names.filter((one) => one === card).length > this.copies(card));
  }

  /** @param {string} card */
  add(card) {
    this.cards = [...this.cards, tapped(card)];
  }

  /** @param {number} place */
  remove(place) {
    this.cards = this.cards.filter((_, i) => i !== place);
  }

  /** A person has said which card it is. @param {number} place @param {string} card */
  correct(place, card) {
    this.cards = this.cards.map((one, i) => (i === place ? { ...one, card, other: null } : one));
  }

  /**
   * How the number of cards differs from what is expected, null where it does not, or nothing is known.
   * @param {number | null} expected
   * @returns {"differs" | "missing" | "surplus" | null} where cards were read, one may be hidden or counted twice
   */
  difference(expected) {
    const { length } = this.cards;
    if (expected === null || expected === length || (!this.read && length === 0)) return null;
    if (!this.read) return "differs";
    return length < expected ? "missing" : "surplus";
  }

  /**
   * Why the hand cannot be confirmed yet, null where it can.
   * @param {number | null} expected
   * @returns {{ card: string } | "empty" | null} card: one of which there are too many
   */
  hindrance(expected) {
    const [card] = this.surplus;
    if (card !== undefined) return { card };
    return this.cards.length === 0 && (expected ?? 0) > 0 ? "empty" : null;
  }
}
