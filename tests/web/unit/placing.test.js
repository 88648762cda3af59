import assert from "node:assert/strict";
import { test } from "node:test";

import { podium } from "../../../web/js/placing.js";

const match = (scores, winners, scoring = "points") => ({ players: Object.keys(scores), scores, winners, scoring });
const shown = (found) => found.map(({ player, place }) => `${place} ${player}`);

test("two who share the third place both stand on the podium", () => {
  const found = podium(match({ Ann: 510, Ben: 300, Cy: 120, Dee: 120, Eve: 10 }, ["Ann"]));
  assert.deepEqual(shown(found), ["1 Ann", "2 Ben", "3 Cy", "3 Dee"]);
});

test("after a shared second place there is no third", () => {
  assert.deepEqual(shown(podium(match({ Ann: 500, Ben: 90, Cy: 90, Dee: 20 }, ["Ann"]))), ["1 Ann", "2 Ben", "2 Cy"]);
});

test("where low totals win, fewer points stand higher", () => {
  const found = podium(match({ Ann: 510, Ben: 40, Cy: 200 }, ["Ben"], "low-total"));
  assert.deepEqual(shown(found), ["1 Ben", "2 Cy", "3 Ann"]);
});

test("a single round has winners alone", () => {
  assert.deepEqual(shown(podium(match({ Ann: 0, Ben: 0 }, ["Ben"], "single-round"))), ["1 Ben"]);
});
