import assert from "node:assert/strict";
import { test } from "node:test";
import { Draft } from "../../../web/js/draft.js";
import {
  addFace,
  addMark,
  draftOf,
  emptyDraft,
  faceIdOf,
  idOf,
  removeFace,
  renameFace,
  textIn,
  valuesOf,
  withText,
} from "../../../web/js/edition-draft.js";
import { freshStep, selectorsIn, VERBS, verbOf, verbsIn } from "../../../web/js/edition-verbs.js";
import { hexRules, hueOf, onWhite, readable } from "../../../web/js/hues.js";

const COLORS = ["red", "yellow", "green", "blue"];
const zoo = () => emptyDraft("Zoo", "en", []);

test("an edition's ID is its name in plain letters, and free", () => {
  assert.equal(idOf("Löwen & Bären!"), "lowen-baren");
  assert.equal(idOf("Zoo", ["zoo", "zoo-2"]), "zoo-3");
  assert.equal(idOf("動物園"), "my-deck");
  assert.match(idOf("a ".repeat(60)), /^[a-z0-9][a-z0-9-]{0,39}$/);
});

test("the ID of a wild begins with wild, that of a coloured face with no colour and no number alone", () => {
  assert.equal(faceIdOf("Lion", true, zoo(), COLORS), "wild lion");
  assert.equal(faceIdOf("Wild Lion", true, zoo(), COLORS), "wild lion");
  assert.equal(faceIdOf("Red Nose", false, zoo(), COLORS), "card red nose");
  assert.equal(faceIdOf("42", false, zoo(), COLORS), "card 42");
  assert.equal(faceIdOf("Uno", false, zoo(), COLORS), "uno 2");
});

test("a card that is added is in the deck, and gone when it is removed", () => {
  const draft = zoo();
  const id = addFace(draft, "Lion", "en", COLORS);
  assert.equal(draft.deck[id], 4);
  assert.deepEqual(Object.keys(valuesOf(draft)), ["deck", "faces", "format", "id", "name", "based_on", "checked"]);
  removeFace(draft, id);
  assert.deepEqual(Object.keys(valuesOf(draft)), ["format", "id", "name", "based_on", "checked"]);
});

test("a card that is renamed is renamed wherever it is named", () => {
  const draft = zoo();
  const [lion, bear] = [addFace(draft, "Lion", "en", COLORS), addFace(draft, "Bear", "en", COLORS)];
  draft.faces[bear].when_played = [{ reveal: { face: [lion, "skip"] }, no: [{ draw_until: { face: lion } }] }];
  renameFace(draft, lion, "wild tiger");
  assert.deepEqual(Object.keys(draft.deck), ["wild tiger", "wild bear"]);
  assert.deepEqual(draft.faces[bear].when_played, [
    { reveal: { face: ["wild tiger", "skip"] }, no: [{ draw_until: { face: "wild tiger" } }] },
  ]);
});

test("a mark that is added is borne by the cards of a colour", () => {
  const draft = zoo();
  const mark = addMark(draft, "Paw", "en", COLORS);
  assert.deepEqual(draft.marks[mark], { name: { en: "Paw" }, bears: [{ color: "red" }] });
  assert.equal(addMark(draft, "Paw", "en", COLORS), "paw 2");
});

test("a text is shown in the language asked for, else in English, else in the first", () => {
  assert.equal(textIn({ en: "Lion", de: "Löwe" }, "de"), "Löwe");
  assert.equal(textIn({ de: "Löwe", en: "Lion" }, "fr"), "Lion");
  assert.equal(textIn({ de: "Löwe" }, "fr"), "Löwe");
  assert.deepEqual(withText({ en: "Lion" }, "de", " Löwe "), { en: "Lion", de: "Löwe" });
  assert.deepEqual(withText({ en: "Lion", de: "Löwe" }, "de", " "), { en: "Lion" });
});

test("a draft of a file's values does not change them", () => {
  const values = { format: 1, id: "zoo", name: {}, faces: { "wild lion": { name: {} } } };
  draftOf(values).faces["wild lion"].points = 20;
  assert.equal(values.faces["wild lion"].points, undefined);
});

test("every verb is known again by the step that it begins with", () => {
  for (const name of Object.keys(VERBS)) assert.equal(verbOf(freshStep(name)), name);
});

test("after an answer no verb ends the turn, and who was asked can be meant", () => {
  assert.ok(
    !verbsIn("asked").some((name) => ["again", "penalty", "demand", "turn_up", "dare", "reveal"].includes(name)),
  );
  assert.ok(!verbsIn("turned").includes("turn_up"));
  assert.ok(selectorsIn("draw", "asked").includes("asked"));
  assert.ok(!selectorsIn("draw", "played").includes("asked"));
});

test("another verb keeps whom the sentence is about where it may", () => {
  assert.equal(freshStep("draw_until", { draw: 2, who: "chosen" }).who, "chosen");
  assert.equal(freshStep("penalty", { draw: 2, who: "chosen" }).who, undefined);
});

const light = (css) => {
  const rgb = css.startsWith("#")
    ? [1, 3, 5].map((at) => Number.parseInt(css.slice(at, at + 2), 16) / 255)
    : css.match(/\d+/g).map((one) => one / 255);
  const [r, g, b] = rgb.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

test("the name of every colour can be read on it, and it on white", () => {
  for (const hex of [
    "#e0559a",
    "#f2c230",
    "#2e7fc4",
    "#808080",
    "#ffffff",
    "#000000",
    "#ff0000",
    "#00ff00",
    "#8a7f6d",
  ]) {
    const { ground, ink } = readable(hex);
    assert.ok(contrast(ground, ink) >= 4.4, `${hex}: ${ground} ${ink}`);
    assert.ok(contrast(onWhite(hex), "#ffffff") >= 4.4, hex);
  }
});

test("an edition's hue stays the same, and its colours become rules", () => {
  assert.equal(hueOf("zelda"), hueOf("zelda"));
  assert.ok(hueOf("frozen") >= 0 && hueOf("frozen") < 360);
  assert.match(hexRules({ color: "pink", hex: "#e0559a", title: "Rosa" }), /\.chip-pink, button\.chip-pink/);
});

const detail = (id, choices) => ({ edition: { id }, choices, defaults: { mild: false, jump_in: true } });
const mild = { name: "mild", text: "Mild.", values: [false, true] };
const setUp = (last) =>
  new Draft(
    { last, editions: [{ name: "zoo", defaults: {} }], profiles: [{ name: "official", sets: {} }], options: [] },
    "en",
  );

test("an edition's own options are set up with it, and forgotten with another", () => {
  const draft = setUp({ edition: "zoo", choices: { mild: true, gone: true } });
  draft.chooseEdition(detail("zoo", [mild]));
  assert.deepEqual(draft.body.choices, { mild: true });
  assert.deepEqual(
    draft.ownOptions.map(({ name, kind, title }) => [name, kind, title]),
    [["mild", "flag", "Mild"]],
  );
  assert.equal(draft.value("mild"), true);
  assert.equal(draft.value("jump_in"), true);
  draft.chooseEdition(detail("farm", [mild]));
  assert.deepEqual(draft.body.choices, {});
  assert.equal(draft.value("mild"), false);
  draft.chooseOwn("mild", true);
  assert.deepEqual(draft.body.choices, { mild: true });
});
