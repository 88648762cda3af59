/** The form in which an edition is made: its name and deck, its special cards, marks and rules. */

import { fill, h } from "./dom.js";
import { countField, drawFace, removeRow } from "./edition-cards.js";
import { addFace, addMark, idOf, textIn, withText } from "./edition-draft.js";
import { chooseBearer, drawProgram } from "./edition-step.js";
import { baseFaces, colorsOf, conditionsOf, filtersOf, language, STANDARD } from "./edition-words.js";
import { t } from "./i18n.js";
import { drawOption } from "./options.js";

/**
 * @typedef {import("./edition-draft.js").Draft} Draft
 * @typedef {{ draft: Draft, choices: import("./answers").ChoicesAnswer, base: import("./answers").EditionDetailAnswer,
 *   taken: string[], kept: boolean, changed: () => void, rebase: (id: string) => void }} Making
 *   base: the printed edition that the draft is based on; taken: the IDs of other editions; kept: whether the draft has
 *   the ID of an edition that is kept; changed: writes the draft; rebase: bases it on another edition
 */

/** Draws the form into a place, and again after each change. @param {HTMLElement} place @param {Making} making */
export function drawForm(place, making) {
  const { draft } = making;
  const again = () => {
    drawForm(place, making);
    making.changed();
  };
  fill(
    place,
    h(
      "div",
      { class: "fields" },
      textField("edition-name", t("edition.name"), textIn(draft.name, language()), 40, (text) => {
        draft.name = withText(draft.name, language(), text);
        if (!making.kept) draft.id = idOf(text, making.taken);
        making.changed();
      }),
      h(
        "label",
        { class: "field" },
        t("edition.base"),
        h(
          "select",
          { id: "edition-base", onchange: (event) => making.rebase(event.target.value) },
          making.choices.editions
            .filter((one) => !one.own)
            .map((one) => h("option", { value: one.name, selected: one.name === draft.based_on }, one.title)),
        ),
      ),
    ),
    h("h3", {}, t("edition.specials")),
    h("p", { class: "small soft" }, t("edition.specials.help")),
    Object.keys(draft.faces)
      .filter((id) => !STANDARD.has(id))
      .map((id) => drawFace(id, making, again)),
    h(
      "button",
      {
        type: "button",
        id: "add-special",
        onclick: () => {
          addFace(draft, t("edition.special.new"), language(), colorsOf(making));
          again();
        },
      },
      t("edition.special.add"),
    ),
    drawCounts(making, again),
    drawMarks(making, again),
    drawRules(making, again),
  );
}

/**
 * @param {string} id @param {string} label @param {string} value @param {number} most
 * @param {(text: string) => void} set
 */
function textField(id, label, value, most, set) {
  return h(
    "label",
    { class: "field grow", "data-key": id },
    label,
    h("input", { id, value, maxlength: String(most), oninput: (event) => set(event.target.value) }),
  );
}

/** How many of each card the base has, to be changed. @param {Making} making @param {() => void} again */
function drawCounts(making, again) {
  return h(
    "details",
    { class: "fold", id: "counts-fold" },
    h("summary", {}, t("edition.counts")),
    h("p", { class: "small soft" }, t("edition.counts.help")),
    h(
      "div",
      { class: "counts" },
      Object.keys(baseFaces(making)).map((face) => countField(face, making, again)),
    ),
  );
}

/** The small pictures on cards. @param {Making} making @param {() => void} again */
function drawMarks(making, again) {
  const { draft } = making;
  return h(
    "details",
    { class: "fold", id: "marks-fold" },
    h("summary", {}, t("edition.marks")),
    h("p", { class: "small soft" }, t("edition.marks.help")),
    Object.entries(draft.marks).map(([id, mark]) => {
      const title = textIn(mark.name, language()) || id;
      const say = { filters: filtersOf(making), conditions: conditionsOf(making), changed: again };
      mark.when_turned_up ??= [];
      return h(
        "fieldset",
        { class: "panel stack", "data-key": `mark-${id}`, "data-path": `marks.${id}` },
        h("legend", {}, title),
        h(
          "div",
          { class: "fields" },
          textField(`mark-name-${id}`, t("edition.mark.name"), title, 40, (text) => {
            mark.name = withText(mark.name, language(), text);
            making.changed();
          }),
          mark.bears &&
            h(
              "label",
              { class: "field" },
              t("edition.bears"),
              chooseBearer(`bears-${id}`, mark.bears, { ...say, filters: filtersOf(making, true) }),
            ),
        ),
        h("span", { class: "soft" }, t("edition.turned")),
        drawProgram(mark.when_turned_up, say, { place: "turned", path: `marks.${id}.when_turned_up` }),
        removeRow(title, () => {
          delete draft.marks[id];
          again();
        }),
      );
    }),
    h(
      "button",
      {
        type: "button",
        id: "add-mark",
        onclick: () => {
          addMark(draft, t("edition.mark.new"), language(), colorsOf(making));
          again();
        },
      },
      t("edition.mark.add"),
    ),
  );
}

/** The rules of the deck where nothing else is chosen. @param {Making} making @param {() => void} again */
function drawRules(making, again) {
  const { draft, base, choices } = making;
  return h(
    "details",
    { class: "fold", id: "deck-rules-fold" },
    h("summary", {}, t("edition.rules")),
    h(
      "div",
      { class: "options" },
      choices.options.map((one) =>
        drawOption(one, draft.options?.[one.name] ?? base.defaults[one.name], (value) => {
          draft.options = { ...draft.options, [one.name]: value };
          if (value === base.defaults[one.name]) delete draft.options[one.name];
          again();
        }),
      ),
    ),
  );
}
