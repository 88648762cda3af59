import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { roundStarts, Tape } from "../../../web/js/tape.js";

test("a tape stays within its ends and shows each position", () => {
  const shown = [];
  const tape = new Tape(3, 100, (place) => shown.push(place));
  for (const place of [1, 9, -4]) tape.go(place);
  assert.deepEqual(shown, [1, 2, 0]);
});

test("it plays to the end, stops there, and plays again from the start", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const shown = [];
  const tape = new Tape(3, 100, (place) => shown.push(place));
  tape.toggle();
  assert.ok(tape.isPlaying);
  for (const _ of "1234") mock.timers.tick(100);
  assert.deepEqual(shown, [0, 1, 2]);
  assert.ok(!tape.isPlaying);
  tape.toggle();
  assert.equal(shown.at(-1), 0);
  tape.toggle();
  mock.timers.tick(1000);
  assert.equal(tape.place, 0);
  mock.timers.reset();
});

test("a round begins where its number changes", () => {
  assert.deepEqual(roundStarts([1, 1, 2, 2, 3]), [
    { round: 1, place: 0 },
    { round: 2, place: 2 },
    { round: 3, place: 4 },
  ]);
});
