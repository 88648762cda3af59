/** Programs as sentences that are built by choosing: who, what, how many, which card. */

import { h, svg } from "./dom.js";
import { freshStep, selectorsIn, unsaid, VERBS, verbOf, verbsIn } from "./edition-verbs.js";
import { t } from "./i18n.js";

/**
 * @typedef {import("./edition-verbs.js").Step} Step
 * @typedef {{ filters: Array<[value: string, text: string]>, conditions: Array<[value: string, text: string]>,
 *   changed: () => void }} Words
 *   filters: the cards that can be named, as JSON, with their words; conditions: when a step can be left out
 */

/** @param {string} path */
const icon = (path) =>
  svg(`<path d="${path}" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/>`);

/**
 * A list to choose from. What the file says and no choice offers stays, in the file's own words.
 * @param {string} id by which the list is found again @param {string} label
 * @param {Array<[value: string, text: string]>} options @param {string} value @param {(value: string) => void} set
 */
function choose(id, label, options, value, set) {
  const known = options.some(([one]) => one === value);
  return h(
    "select",
    { id, "aria-label": label, onchange: (event) => set(event.target.value) },
    [...options, ...(known ? [] : [/** @type {[string, string]} */ ([value, value])])].map(([one, text]) =>
      h("option", { value: one, selected: one === value }, text),
    ),
  );
}

/**
 * The choice of a number, or of a word in its place.
 * @param {string} id @param {string} label @param {string} name of the key, for its words
 * @param {import("./edition-verbs.js").Takes} takes @param {unknown} value @param {(value: unknown) => void} set
 */
function chooseAmount(id, label, name, takes, value, set) {
  /** @type {Array<[string, string]>} */
  const options = [
    ...(takes.words ?? []).map((word) => /** @type {[string, string]} */ ([word, t(`verb.${name}.${word}`)])),
    ...Array.from(
      { length: takes.numbers ?? 0 },
      (_, at) => /** @type {[string, string]} */ ([`${at + 1}`, `${at + 1}`]),
    ),
  ];
  return choose(id, label, options, String(value), (chosen) => set(/^\d+$/.test(chosen) ? Number(chosen) : chosen));
}

/**
 * Draws a program: its steps in order, each with what moves and removes it, and a button for one more.
 * @param {Step[]} steps changed in place
 * @param {Words} say
 * @param {{ place: "played" | "turned" | "asked", path: string }} at
 *   path: the program's key in the file, at which faults are shown
 * @returns {HTMLElement}
 */
export function drawProgram(steps, say, at) {
  return h(
    "div",
    { class: "program" },
    h(
      "ol",
      { class: "plain rule-steps" },
      steps.map((_, place) => drawStep(steps, place, say, at)),
    ),
    h(
      "button",
      {
        type: "button",
        class: "small-button",
        id: `${at.path}.add`,
        disabled: steps.length >= 12,
        onclick: () => {
          steps.push(freshStep("draw", steps.at(-1)));
          say.changed();
        },
      },
      t("edition.step.add"),
    ),
  );
}

/** @param {Step[]} steps @param {number} place @param {Words} say @param {Parameters<typeof drawProgram>[2]} at */
function drawStep(steps, place, say, at) {
  const step = steps[place];
  const name = verbOf(step);
  const verb = VERBS[name];
  const path = `${at.path}[${place}]`;
  const set = (/** @type {string} */ key) => (/** @type {unknown} */ value) => {
    if (value === "") delete step[key];
    else step[key] = value;
    say.changed();
  };
  const who = selectorsIn(name, at.place);
  return h(
    "li",
    { class: "rule-step", "data-path": path },
    h(
      "div",
      { class: "rule-sentence" },
      who.length
        ? choose(
            `${path}.who`,
            t("edition.who"),
            who.map((one) => [one, t(`who.${one}`)]),
            String(step.who ?? unsaid(name)),
            set("who"),
          )
        : h("span", {}, t(name === "penalty" || name === "demand" ? "who.next" : "who.self")),
      choose(
        `${path}.verb`,
        t("edition.what"),
        verbsIn(at.place).map((one) => [one, t(`verb.${one}`)]),
        name,
        (chosen) => {
          steps[place] = freshStep(chosen, step);
          say.changed();
        },
      ),
      verb.takes.filter && chooseFilter(`${path}.filter`, step[verb.key], say, set(verb.key)),
      (verb.takes.numbers || verb.takes.words) &&
        chooseAmount(`${path}.amount`, t("edition.amount"), name, verb.takes, step[verb.key], set(verb.key)),
      Object.entries(verb.more ?? {}).map(([key, takes]) => [
        h("span", {}, t(`verb.${name}.${key}`)),
        chooseAmount(`${path}.${key}`, t(`verb.${name}.${key}`), `${name}.${key}`, takes, step[key] ?? "any", (value) =>
          set(key)(value === "any" ? "" : value),
        ),
      ]),
      (say.conditions.length > 0 || "if" in step) &&
        choose(
          `${path}.if`,
          t("edition.if"),
          [["", t("edition.always")], ...say.conditions],
          String(step.if ?? ""),
          set("if"),
        ),
      tools(steps, place, say),
    ),
    verb.asks &&
      ["yes", "no"].map((answer) =>
        h(
          "div",
          { class: "rule-answer" },
          h("span", { class: "soft" }, t(`edition.if.${answer}`)),
          drawProgram(branch(step, answer), say, { place: "asked", path: `${path}.${answer}` }),
        ),
      ),
  );
}

/** The steps after an answer; an empty list is there once it is asked for. @param {Step} step @param {string} answer */
function branch(step, answer) {
  if (!Array.isArray(step[answer])) step[answer] = [];
  return /** @type {Step[]} */ (step[answer]);
}

/** @param {string} id @param {unknown} value @param {Words} say @param {(value: unknown) => void} set */
const chooseFilter = (id, value, say, set) =>
  choose(id, t("edition.card"), say.filters, JSON.stringify(value), (chosen) => set(JSON.parse(chosen)));

/** The choice of the cards that bear a mark. @param {string} id @param {unknown[]} bears @param {Words} say */
export const chooseBearer = (id, bears, say) =>
  choose(id, t("edition.bears"), say.filters, JSON.stringify(bears[0]), (chosen) => {
    bears[0] = JSON.parse(chosen);
    say.changed();
  });

/** What moves a step up and removes it. @param {Step[]} steps @param {number} place @param {Words} say */
function tools(steps, place, say) {
  const shift = () => {
    steps.splice(place - 1, 0, ...steps.splice(place, 1));
    say.changed();
  };
  return h(
    "span",
    { class: "row rule-tools" },
    place > 0 &&
      h(
        "button",
        { type: "button", class: "quiet icon", "aria-label": t("edition.step.up"), onclick: shift },
        icon("m6 15 6-6 6 6"),
      ),
    h(
      "button",
      {
        type: "button",
        class: "quiet icon",
        "aria-label": t("edition.step.remove"),
        onclick: () => {
          steps.splice(place, 1);
          say.changed();
        },
      },
      icon("m6 6 12 12M18 6 6 18"),
    ),
  );
}
