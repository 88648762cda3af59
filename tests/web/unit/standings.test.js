import assert from "node:assert/strict";
import { test } from "node:test";

import { headToHead, leadersOf, streaksOf } from "../../../web/js/standings.js";

const match = (scores, more = {}) => ({
  players: Object.keys(scores),
  scores,
  scoring: "winner-takes-all",
  left: [],
  totals: [scores],
  ...more,
});
const past = (started, players, winners, over = true) => ({ started, players: [...players], winners, over });

test("the most points lead, the fewest where low totals win", () => {
  assert.deepEqual(leadersOf(match({ Ann: 10, Ben: 40, Cy: 40 })), {
    order: ["Ben", "Cy", "Ann"],
    leads: ["Ben", "Cy"],
  });
  assert.deepEqual(leadersOf(match({ Ann: 10, Ben: 40 }, { scoring: "low-total" })).leads, ["Ann"]);
});

test("nobody leads before a round is scored, and never who has left", () => {
  assert.deepEqual(leadersOf(match({ Ann: 0, Ben: 0 }, { totals: [] })).leads, []);
  assert.deepEqual(leadersOf(match({ Ann: 50, Ben: 40 }, { left: ["Ann"] })).leads, ["Ben"]);
});

test("a streak counts the latest matches in a row, whatever order they are listed in", () => {
  const matches = [past(1, "AB", ["A"]), past(3, "AB", ["A"]), past(2, "AB", ["A"]), past(4, "BC", ["C"])];
  assert.deepEqual(streaksOf(matches), { A: 3 });
});

test("a lost match breaks a streak, an unfinished one does not", () => {
  assert.deepEqual(streaksOf([past(1, "AB", ["A"]), past(2, "AB", ["B"]), past(3, "AB", ["A"])]), {});
  assert.deepEqual(streaksOf([past(1, "AB", ["A"]), past(2, "AB", [], false), past(3, "AB", ["A"])]), { A: 2 });
});

test("who wins beats everybody else at the table, but nobody who shares the win", () => {
  const wins = headToHead([past(1, "ABC", ["A"]), past(2, "ABC", ["A", "B"]), past(3, "AB", ["B"])]);
  assert.deepEqual(wins, { A: { B: 1, C: 2 }, B: { C: 1, A: 1 } });
});
