import assert from "node:assert/strict";
import { test } from "node:test";

import { angles } from "../../../web/js/ring.js";

const view = (players, seats = null) => ({ match: { players }, seats });
const seat = (player, direction, certainty = 1) => ({ player, direction, certainty });

test("seats are spread evenly while the camera has not learnt them", () => {
  assert.deepEqual(angles(view(["Ann", "Ben", "Cy", "Dee"])), [0, 90, 180, 270]);
});

test("one uncertain seat keeps all of them even", () => {
  const seats = [seat("Ann", 40), seat("Ben", 200, 0.4)];
  assert.deepEqual(angles(view(["Ann", "Ben"], seats)), [0, 180]);
});

test("learnt seats are drawn where they are", () => {
  const seats = [seat("Ann", 10), seat("Ben", 130), seat("Cy", 250)];
  assert.deepEqual(angles(view(["Ann", "Ben", "Cy"], seats)), [10, 130, 250]);
});

test("close neighbours are pushed apart and keep their order, also across the top", () => {
  const [ann, ben, cy] = angles(view(["Ann", "Ben", "Cy"], [seat("Ann", 355), seat("Ben", 5), seat("Cy", 180)]));
  assert.ok((ben - ann + 360) % 360 >= 74);
  assert.ok((cy - ben + 360) % 360 > 0 && (cy - ben + 360) % 360 < 180);
});
