import assert from "node:assert/strict";
import { test } from "node:test";

import { changesOf, Draft, OURS } from "../../../web/js/draft.js";

const choices = (last = {}) => ({
  editions: [{ name: "classic", defaults: { target: 500, scoring: "winner", challenge: true } }],
  profiles: [
    { name: "official", sets: {} },
    { name: "short", sets: { target: 200 } },
  ],
  options: [
    { name: "target", title: "Target score", values: [] },
    { name: "scoring", title: "Scoring", values: [{ value: "single-round", title: "first out wins" }] },
  ],
  least_players: 2,
  most_players: 3,
  last,
});
const draft = (last) => new Draft(choices(last), "en");

test("an option is what was chosen here, or what the profile has, or what the edition has", () => {
  const made = draft();
  assert.equal(made.value("target"), 500);
  made.chooseProfile("short");
  assert.equal(made.value("target"), 200);
  made.choose("target", 100);
  assert.equal(made.value("target"), 100);
  assert.ok(made.ours);
  made.chooseProfile("official");
  assert.equal(made.value("target"), 500);
  assert.ok(!made.ours);
});

test("the family's own rules come back as they were", () => {
  const made = draft({ our_rules: { target: 300 } });
  made.chooseProfile(OURS);
  assert.equal(made.value("target"), 300);
});

test("there is a target only where points are counted", () => {
  const made = draft();
  assert.deepEqual(
    made.apt.map((one) => one.name),
    ["target", "scoring"],
  );
  made.choose("scoring", "single-round");
  assert.deepEqual(
    made.apt.map((one) => one.name),
    ["scoring"],
  );
});

test("too few names and a name given twice hinder a start", () => {
  const made = draft();
  assert.deepEqual(made.fault, { fewer: 2 });
  made.seat("Ann");
  made.seat(" ann ");
  assert.deepEqual(made.fault, { twice: "ann" });
  made.players[1] = "Ben";
  assert.equal(made.fault, null);
  assert.deepEqual(made.body.players, ["Ann", "Ben"]);
});

test("who is seated takes the first free seat, or a new one", () => {
  const made = draft({ players: ["Ann", "", "Cy"] });
  made.seat("Ben");
  made.seat("Dee");
  assert.deepEqual(made.players, ["Ann", "Ben", "Cy", "Dee"]);
  assert.ok(made.isFull);
});

test("a seat moves within the row, never beyond it", () => {
  const made = draft({ players: ["Ann", "Ben", "Cy"] });
  made.move(2, 0);
  made.move(0, -1);
  assert.deepEqual(made.players, ["Cy", "Ann", "Ben"]);
});

test("a dealer who no longer plays is forgotten", () => {
  const made = draft({ players: ["Ann", "Ben"], dealer: "Ben" });
  made.checkDealer();
  assert.equal(made.dealer, "Ben");
  made.players[1] = "Cy";
  made.checkDealer();
  assert.equal(made.dealer, null);
});

test("without a camera turns are tapped unless something else is chosen", () => {
  const made = draft();
  assert.equal(made.turns, "tapped");
  made.hasCamera = true;
  assert.equal(made.turns, "camera");
  made.chosenTurns = "relaxed";
  made.hasCamera = false;
  assert.equal(made.turns, "relaxed");
});

test("what a profile changes is said by titles", () => {
  assert.deepEqual(changesOf(choices(), { target: 200, scoring: "single-round", unknown: 1 }), [
    { title: "Target score", value: 200 },
    { title: "Scoring", value: "first out wins" },
  ]);
});
