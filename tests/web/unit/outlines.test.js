import assert from "node:assert/strict";
import { test } from "node:test";

import { besides } from "../../../web/js/outlines.js";

const PICTURE = { width: 1000, height: 800 };
const TEXT = { width: 120, height: 30 };
const card = (x, y) => [
  [x, y],
  [x + 100, y],
  [x + 100, y + 150],
  [x, y + 150],
];
const place = (x, y, taken = []) => besides(card(x, y), TEXT, taken, PICTURE);

test("a name stands above its card and covers nothing of it", () => {
  assert.deepEqual(place(200, 300), { x: 200, y: 270, ...TEXT });
});

test("at the upper edge it stands below, at the right edge it stays in the picture", () => {
  assert.deepEqual(place(200, 10), { x: 200, y: 160, ...TEXT });
  assert.equal(place(950, 300).x, 880);
});

test("names of fanned cards do not cover each other", () => {
  const first = place(200, 300);
  const second = place(220, 300, [first]);
  assert.ok(second.y + second.height <= first.y);
});
