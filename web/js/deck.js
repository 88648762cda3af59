/** Learnt decks: which one is read with, and learning one from its cards laid before the camera, card by card. */

import { get, post, remove } from "./api.js";
import { attempt } from "./attempt.js";
import { $, ask, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { pickCard } from "./picker.js";
import { live, prepare } from "./shell.js";
import { drawSources } from "./sources.js";

/** @typedef {{ running: boolean, name: string, cards: string[], questions: { pictures: number[], options: string[] }[], prompted: boolean }} Lesson */

/** How often (ms) the page asks how far the lesson has come. */
const EVERY = 1000;

await prepare("host");
live({});
const choices = await get("/api/choices");
let edition = choices.last.edition ?? "classic";
let began = 0;
const list = h("div", { class: "stack" });
const wall = h("div", { class: "hand", id: "wall" });
const said = h("p", { role: "status", id: "lesson-status" });
const questions = h("div", { class: "stack", id: "questions" });
const steps = h("div", { class: "stack" });
fill($("#deck"), h("section", { class: "panel stack", "aria-label": t("deck.decks") }, h("h2", {}, t("deck.decks")), list),
  h("section", { class: "panel stack", "aria-label": t("deck.learn") }, h("h2", {}, t("deck.learn")), steps, said, questions, wall));
drawDecks(await get("/api/decks"));
await drawLesson(await get("/api/decks/lesson"));
setInterval(async () => {
  if (began) await drawLesson(await get("/api/decks/lesson"));
}, EVERY);

/** @param {{ decks: { name: string, cards: number, faces: number }[], chosen: string | null }} known */
function drawDecks(known) {
  const choose = async (/** @type {string | null} */ name) => {
    const now = await attempt(() => post("/api/decks/choose", { name }));
    if (now) drawDecks(now);
  };
  fill(list,
    known.decks.length === 0 && h("p", { class: "soft" }, t("deck.none")),
    known.decks.length > 0 && h("label", { class: "check" }, h("input", { type: "radio", name: "deck", checked: known.chosen === null, onchange: () => choose(null) }), t("deck.without")),
    known.decks.map((deck) => h("div", { class: "row spread" },
      h("label", { class: "check" }, h("input", { type: "radio", name: "deck", checked: known.chosen === deck.name, onchange: () => choose(deck.name) }),
        t("deck.one", { name: deck.name, cards: deck.cards, faces: deck.faces })),
      h("button", { type: "button", class: "quiet", onclick: () => forget(deck.name) }, t("deck.delete")))));
}

/** @param {string} name */
async function forget(name) {
  const sure = await ask(t("deck.delete.sure", { name }), (close) => h("button", { type: "button", class: "primary", onclick: () => close(true) }, t("deck.delete")), t("cancel"));
  if (!sure) return;
  const now = await attempt(() => post("/api/decks/delete", { name }));
  if (now) drawDecks(now);
}

/** @param {Lesson} lesson */
async function drawLesson(lesson) {
  if (!lesson.running) {
    if (began || !steps.firstChild) await drawBeginning();
    return;
  }
  if (!began) {
    began = Date.now();
    drawRunning(lesson.name);
  }
  said.textContent = t(lesson.prompted ? "deck.prompted" : "deck.so.far", { cards: lesson.cards.length, asked: lesson.questions.length });
  while (wall.children.length < lesson.cards.length) wall.append(shown(wall.children.length));
  lesson.cards.forEach((card, i) => {
    const label = wall.children[i].querySelector("figcaption");
    if (label && label.textContent !== cardName(card)) label.textContent = cardName(card);
  });
  if (questions.dataset.drawn !== JSON.stringify(lesson.questions)) drawQuestions(lesson.questions);
}

/** @param {number} i */
function shown(i) {
  return h("figure", {}, h("img", { src: `/api/decks/lesson/pictures/${i}`, alt: "", width: 80, height: 120 }),
    h("figcaption", { class: "small" }));
}

/** @param {Lesson["questions"]} open */
function drawQuestions(open) {
  questions.dataset.drawn = JSON.stringify(open);
  const first = open[0];
  fill(questions, first && h("div", { class: "row" },
    h("img", { src: `/api/decks/lesson/pictures/${first.pictures[0]}`, alt: t("deck.which"), width: 120, height: 180 }),
    h("div", { class: "stack" }, h("p", {}, t("deck.which")),
      h("div", { class: "row" }, first.options.map((card) => h("button", { type: "button", onclick: () => tell(first.pictures[0], card) }, cardName(card))),
        h("button", { type: "button", class: "quiet", onclick: async () => {
          const card = await pickCard(t("deck.which"), { edition });
          if (card) await tell(first.pictures[0], card);
        } }, t("deck.other"))))));
}

/** @param {number} picture @param {string} card */
async function tell(picture, card) {
  const now = await attempt(() => post("/api/decks/lesson/answers", { picture, card }));
  if (now) await drawLesson(now);
}

async function drawBeginning() {
  began = 0;
  fill(wall);
  fill(questions);
  const name = h("input", { id: "deck-name", required: true, maxlength: 60 });
  const sorted = h("input", { type: "checkbox", id: "sorted" });
  const cameras = h("div", { class: "stack" });
  const form = h("form", { class: "stack", onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const lesson = await attempt(() => post("/api/decks/lesson", { name: name.value, edition, sorted: sorted.checked }));
    if (lesson) await drawLesson(lesson);
  } },
    h("p", { class: "soft" }, t("deck.how")), cameras,
    h("label", { class: "field" }, t("deck.name"), name),
    h("label", { class: "field" }, t("setup.edition"), h("select", { id: "edition", onchange: (/** @type {any} */ event) => { edition = event.target.value; } },
      choices.editions.map((/** @type {any} */ one) => h("option", { value: one.name, selected: one.name === edition }, one.title)))),
    h("label", { class: "check" }, sorted, t("deck.sorted")),
    h("button", { class: "primary", id: "begin-lesson" }, t("deck.begin")));
  fill(steps, form);
  await drawSources(cameras, { simulated: true, chosen: () => {} });
}

/** @param {string} name */
function drawRunning(name) {
  fill(steps, h("p", {}, t("deck.lay", { name })), h("div", { class: "row" },
    h("button", { type: "button", class: "primary", id: "finish-lesson", onclick: async () => {
      const cards = wall.children.length;
      const seconds = Math.round((Date.now() - began) / 1000);
      const now = await attempt(() => post("/api/decks/lesson/finish"));
      if (!now) return;
      drawDecks(now);
      await drawBeginning();
      said.textContent = t("deck.learnt", { name, cards, seconds });
    } }, t("deck.finish")),
    h("button", { type: "button", class: "quiet", onclick: async () => {
      await attempt(() => remove("/api/decks/lesson"));
      await drawBeginning();
      said.textContent = "";
    } }, t("deck.cancel"))));
}
