import assert from "node:assert/strict";
import { test } from "node:test";

import { Hand } from "../../../web/js/hand.js";

const DECK = { "red 7": { count: 2, points: 7 }, wild: { count: 4, points: 50 } };
const hand = (...cards) => {
  const made = new Hand((card) => DECK[card]);
  for (const card of cards) made.add(card);
  return made;
};

test("a hand is worth what its cards are worth", () => {
  assert.equal(hand("red 7", "wild").points, 57);
  assert.equal(hand().points, 0);
});

test("more of a card than the deck holds hinder confirming, and are named", () => {
  const three = hand("red 7", "red 7", "red 7", "wild");
  assert.deepEqual(three.surplus, ["red 7"]);
  assert.deepEqual(three.hindrance(4), { card: "red 7" });
  three.remove(0);
  assert.equal(three.hindrance(4), null);
});

test("an empty hand is confirmed only where none is expected", () => {
  assert.equal(hand().hindrance(3), "empty");
  assert.equal(hand().hindrance(0), null);
  assert.equal(hand().hindrance(null), null);
});

test("of tapped cards none is hidden; of read cards one may be", () => {
  const made = hand("red 7");
  assert.equal(made.difference(2), "differs");
  made.read = true;
  assert.equal(made.difference(2), "missing");
  assert.equal(made.difference(0), "surplus");
  assert.equal(made.difference(1), null);
  assert.equal(made.difference(null), null);
  assert.equal(hand().difference(2), null);
});

test("a corrected card is certain", () => {
  const made = hand("wild");
  made.cards[0].other = "red 7";
  made.correct(0, "red 7");
  assert.deepEqual(made.cards[0], { card: "red 7", other: null, quad: null, picture: -1, confidence: 1 });
});
