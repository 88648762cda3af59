import assert from "node:assert/strict";
import { test } from "node:test";

import { challengeAddress, handAddress, wantedHand } from "../../../web/js/scan-address.js";

const search = (address) => new URL(address, "http://table.local").search;

test("a hand's address names its player, whatever is in the name", () => {
  for (const player of ["Ann", "Ben & Cy", "Zoë #2", "a=b?n=7"])
    assert.deepEqual(wantedHand(search(handAddress(player))), { isChallenge: false, player, ruling: null });
});

test("the address of an entered hand names its ruling", () => {
  assert.deepEqual(wantedHand(search(handAddress("Ann & n=3", 12))), {
    isChallenge: false,
    player: "Ann & n=3",
    ruling: 12,
  });
});

test("a challenge has its own address, without a player", () => {
  assert.deepEqual(wantedHand(search(challengeAddress())), { isChallenge: true, player: null, ruling: null });
});

test("an address without a hand, or with a ruling that is no number, asks for none", () => {
  for (const plain of ["", "?n=", "?n=x", "?n=0"])
    assert.deepEqual(wantedHand(plain), { isChallenge: false, player: null, ruling: null });
});
