/** Learnt decks: selecting one, and learning one from its cards, laid one by one in front of the camera. */

import { confirm } from "./actions.js";
import { get, post, Refused, remove } from "./api.js";
import { attempt, worded } from "./attempt.js";
import { $, ask, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { pickCard } from "./picker.js";
import { live, prepare } from "./shell.js";
import { drawSources } from "./sources.js";

/**
 * @typedef {{
 *   running: boolean, name: string, cards: string[], questions: { pictures: number[], options: string[] }[],
 *   prompted: boolean, set_aside: boolean, wanted: string | null, faces: string[], whole: number, asked: number,
 *   revised: number, seconds: number, seen: number
 * }} Lesson
 */

/** How often (ms) the page asks how far the lesson has come. */
const EVERY = 1000;

await prepare("host");
live({});
const choices = await get("/api/choices");
const editions = [...choices.editions, ...choices.themed];
let edition = (editions.find((one) => one.name === choices.last.edition) ?? editions[0]).name;
let began = 0;
const list = h("div", { class: "stack" });
const wall = h("div", { class: "hand", id: "wall" });
const progress = h("div", { class: "stack", id: "lesson-progress" });
const said = h("p", { role: "status", id: "lesson-status" });
const questions = h("div", { class: "stack", id: "questions" });
const wanted = h("div", { class: "row spread", id: "wanted" });
const steps = h("div", { class: "stack" });
fill(
  $("#deck"),
  h("section", { class: "panel stack", "aria-label": t("deck.decks") }, h("h2", {}, t("deck.decks")), list),
  h(
    "section",
    { class: "panel stack", "aria-label": t("deck.learn") },
    h("h2", {}, t("deck.learn")),
    steps,
    wanted,
    progress,
    said,
    questions,
    wall,
  ),
);
drawDecks(await get("/api/decks"));
await drawLesson(await get("/api/decks/lesson"));
setInterval(async () => {
  if (began) await drawLesson(await get("/api/decks/lesson"));
}, EVERY);

/**
 * @param {{ decks: { name: string, cards: number, faces: number, learns: boolean, further: number }[], chosen: string
 *   | null }} known
 */
function drawDecks(known) {
  const choose = async (/** @type {string | null} */ name) => {
    const now = await attempt(() => post("/api/decks/choose", { name }));
    if (now) drawDecks(now);
  };
  const teach = async (/** @type {string} */ name, /** @type {boolean} */ learns) => {
    drawDecks((await attempt(() => post("/api/decks/learns", { name, learns }))) ?? (await get("/api/decks")));
  };
  fill(
    list,
    known.decks.length === 0 && h("p", { class: "soft" }, t("deck.none")),
    known.decks.length > 0 &&
      h(
        "label",
        { class: "check" },
        h("input", { type: "radio", name: "deck", checked: known.chosen === null, onchange: () => choose(null) }),
        t("deck.without"),
      ),
    known.decks.length > 0 && h("p", { class: "soft" }, t("deck.learns.why")),
    known.decks.map((deck) =>
      h(
        "div",
        { class: "row spread" },
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "radio",
            name: "deck",
            checked: known.chosen === deck.name,
            onchange: () => choose(deck.name),
          }),
          t("deck.one", { name: deck.name, cards: deck.cards, faces: deck.faces }),
        ),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: deck.learns,
            "data-learns": deck.name,
            onchange: (/** @type {Event} */ event) =>
              teach(deck.name, /** @type {HTMLInputElement} */ (event.target).checked),
          }),
          t("deck.learns", { count: deck.further }),
        ),
        h("button", { type: "button", class: "quiet", onclick: () => forget(deck.name) }, t("deck.delete")),
      ),
    ),
  );
}

/** @param {string} name */
async function forget(name) {
  const sure = await ask(
    t("deck.delete.sure", { name }),
    (close) => h("button", { type: "button", class: "primary", onclick: () => close(true) }, t("deck.delete")),
    t("cancel"),
  );
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
  const left = lesson.faces.length - new Set(lesson.cards).size;
  said.textContent = t("deck.so.far", { cards: lesson.seen, asked: lesson.questions.length, left }) + aside(lesson);
  drawProgress(lesson);
  drawWanted(lesson.wanted);
  drawWall(lesson);
  drawQuestions(lesson);
}

/** How many of all cards were seen, and in which time. @param {Lesson} lesson */
function drawProgress({ seen, whole, seconds }) {
  const clock = (/** @type {number} */ time) =>
    `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;
  const left = seen ? (seconds / seen) * Math.max(0, whole - seen) : 0;
  const words = t("deck.progress", { cards: seen, whole, time: clock(seconds) });
  fill(
    progress,
    h("progress", { max: whole, value: seen, "aria-label": words }),
    h("p", { class: "small" }, words, left > 0 ? ` ${t("deck.progress.left", { time: clock(left) })}` : ""),
  );
}

/** That answers are left out, where they are.
 * @param {Lesson} lesson */
function aside(lesson) {
  return lesson.set_aside ? `. ${t("deck.aside")}` : "";
}

/** The card that is to be laid by name, large.
 * @param {string | null} card */
function drawWanted(card) {
  if (wanted.dataset.card === (card ?? "")) return;
  wanted.dataset.card = card ?? "";
  fill(
    wanted,
    card && h("p", { class: "lead" }, t("deck.lay.this", { card: cardName(card) })),
    card && h("button", { type: "button", class: "quiet", onclick: () => ahead({ missing: card }) }, t("deck.missing")),
  );
}

/** @param {{ missing?: string }} what */
async function ahead(what) {
  const now = await attempt(() => post("/api/decks/lesson/prompts", what));
  if (now) await drawLesson(now);
}

/** All faces of the edition, each with the picture taken of it; a tap names a picture again.
 * @param {Lesson} lesson */
function drawWall(lesson) {
  /** @type {Map<string, number[]>} */
  const taken = new Map();
  for (const [i, card] of lesson.cards.entries()) taken.set(card, [...(taken.get(card) ?? []), i]);
  for (const card of new Set([...lesson.faces, ...lesson.cards])) {
    let place = [...wall.children].find((one) => /** @type {HTMLElement} */ (one).dataset.card === card);
    if (!place) {
      place = h("figure", { "data-card": card });
      wall.append(place);
    }
    const pictures = taken.get(card) ?? [];
    const now = [...pictures, lesson.revised].join();
    if (place.firstChild && /** @type {HTMLElement} */ (place).dataset.pictures === now) continue;
    /** @type {HTMLElement} */ (place).dataset.pictures = now;
    const name = cardName(card);
    fill(
      place,
      pictures.length
        ? h(
            "button",
            {
              type: "button",
              class: "card-button",
              "aria-label": t("deck.correct", { card: name }),
              onclick: () => correct(pictures[0]),
            },
            h("img", { src: pictureOf(lesson, pictures[0]), alt: "", width: 80, height: 120 }),
          )
        : h("div", { class: "blank", "aria-hidden": "true" }),
      h(
        "figcaption",
        { class: "small" },
        pictures.length > 1 ? t("deck.times", { card: name, count: pictures.length }) : name,
      ),
    );
  }
}

/** @param {number} picture */
async function correct(picture) {
  const card = await pickCard(t("deck.which"), { edition });
  if (card) await tell(picture, card);
}

/** The address of a lesson's picture; it changes when the picture is replaced.
 * @param {Lesson} lesson @param {number} picture */
function pictureOf(lesson, picture) {
  return `/api/decks/lesson/pictures/${picture}?${lesson.revised}`;
}

/** The first of what is in doubt, unless cards are laid by name, or had better be.
 * @param {Lesson} lesson */
function drawQuestions(lesson) {
  const open = lesson.wanted || lesson.prompted ? [] : lesson.questions;
  const now = JSON.stringify([open, lesson.revised]);
  if (questions.dataset.drawn === now) return;
  questions.dataset.drawn = now;
  const first = open[0];
  fill(
    questions,
    first &&
      h(
        "div",
        { class: "row" },
        h("img", { src: pictureOf(lesson, first.pictures[0]), alt: t("deck.which"), width: 120, height: 180 }),
        h(
          "div",
          { class: "stack" },
          h("p", {}, t("deck.which")),
          h(
            "div",
            { class: "row" },
            first.options.map((card) =>
              h("button", { type: "button", onclick: () => tell(first.pictures[0], card) }, cardName(card)),
            ),
            h(
              "button",
              { type: "button", "data-act": "no-card", onclick: () => tell(first.pictures[0], null) },
              t("deck.nocard"),
            ),
            h(
              "button",
              {
                type: "button",
                class: "quiet",
                onclick: async () => {
                  const card = await pickCard(t("deck.which"), { edition });
                  if (card) await tell(first.pictures[0], card);
                },
              },
              t("deck.other"),
            ),
          ),
        ),
      ),
  );
}

/** @param {number} picture @param {string | null} card null where it shows none */
async function tell(picture, card) {
  const now = await attempt(() => post("/api/decks/lesson/answers", { picture, card }));
  if (now) await drawLesson(now);
}

async function drawBeginning() {
  began = 0;
  drawWanted(null);
  fill(wall);
  fill(questions);
  fill(progress);
  const name = h("input", { id: "deck-name", required: true, maxlength: 60 });
  const sorted = h("input", { type: "checkbox", id: "sorted" });
  const cameras = h("div", { class: "stack" });
  const form = h(
    "form",
    {
      class: "stack",
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const lesson = await attempt(() =>
          post("/api/decks/lesson", { name: name.value, edition, sorted: sorted.checked }),
        );
        if (lesson) await drawLesson(lesson);
      },
    },
    h("p", { class: "soft" }, t("deck.how")),
    cameras,
    h("label", { class: "field" }, t("deck.name"), name),
    h(
      "label",
      { class: "field" },
      t("setup.edition"),
      h(
        "select",
        {
          id: "edition",
          onchange: (event) => {
            edition = event.target.value;
          },
        },
        editions.map((one) => h("option", { value: one.name, selected: one.name === edition }, one.title)),
      ),
    ),
    h("label", { class: "check" }, sorted, t("deck.sorted")),
    h("button", { class: "primary", id: "begin-lesson" }, t("deck.begin")),
  );
  fill(steps, form);
  await drawSources(cameras, { simulated: true, none: false });
}

/** Saves the deck; one whose cards are hard to see only where that is really meant. */
async function save() {
  try {
    return await post("/api/decks/lesson/finish");
  } catch (error) {
    if (!(error instanceof Refused && error.code === "hard-to-see")) throw error;
    if (!(await confirm(worded(error), t("deck.anyway")))) return null;
    return post("/api/decks/lesson/finish?anyway=true");
  }
}

/** @param {string} name */
function drawRunning(name) {
  let prompted = false;
  fill(
    steps,
    h("p", {}, t("deck.lay", { name })),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        {
          type: "button",
          class: "primary",
          id: "finish-lesson",
          onclick: async () => {
            const state = /** @type {Lesson} */ (await get("/api/decks/lesson"));
            // If more than a few are in doubt, laying one card of each name is quicker and more reliable than answers.
            if ((state.prompted || state.set_aside) && !prompted) {
              prompted = true;
              await ahead({});
              return;
            }
            const seconds = Math.round((Date.now() - began) / 1000);
            const now = await attempt(save);
            if (!now) return;
            drawDecks(now);
            await drawBeginning();
            said.textContent =
              t("deck.learnt", { name, cards: state.seen, whole: state.whole, asked: state.asked, seconds }) +
              (state.set_aside ? ` ${t("deck.aside")}` : "") +
              (now.mostly_nameless ? ` ${t("deck.nameless")}` : "");
          },
        },
        t("deck.finish"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: async () => {
            await attempt(() => remove("/api/decks/lesson"));
            await drawBeginning();
            said.textContent = "";
          },
        },
        t("deck.cancel"),
      ),
    ),
  );
}
