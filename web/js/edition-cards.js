/** The fields of a special card: its name, how many there are, what it does, and its text. */

import { drawCard } from "./card.js";
import { h } from "./dom.js";
import { faceIdOf, isWildFace, removeFace, renameFace, textIn, withText } from "./edition-draft.js";
import { drawProgram } from "./edition-step.js";
import { baseFaces, colorsOf, conditionsOf, faceName, filtersOf, language, STANDARD } from "./edition-words.js";
import { t } from "./i18n.js";

/** @typedef {import("./edition-form.js").Making} Making */

/** Draws the fields of a special card. @param {string} id @param {Making} making @param {() => void} again */
export function drawFace(id, making, again) {
  const { draft } = making;
  const face = draft.faces[id];
  const wild = isWildFace(id);
  const title = textIn(face.name, language()) || id;
  const colors = colorsOf(making);
  face.when_played ??= [];
  const say = { filters: filtersOf(making), conditions: conditionsOf(making), changed: again };
  const rename = (/** @type {string} */ name, /** @type {boolean} */ toWild) => {
    const fresh = faceIdOf(name, toWild, draft, colors);
    renameFace(draft, id, fresh);
    if (toWild !== wild) {
      draft.faces[fresh].reads_as = [toWild ? "wild" : "skip"];
      delete draft.faces[fresh].start;
    }
    again();
  };
  const option = (/** @type {string} */ key, /** @type {string[]} */ values, /** @type {string} */ value) =>
    h(
      "label",
      { class: "field" },
      t(`edition.${key}`),
      h(
        "select",
        {
          id: `${key}-${id}`,
          onchange: (event) => {
            if (event.target.value) face[key] = key === "reads_as" ? [event.target.value] : event.target.value;
            else delete face[key];
            again();
          },
        },
        values.map((one) =>
          h(
            "option",
            { value: one, selected: one === value },
            key === "reads_as" && one ? faceName(one) : t(`edition.${key}.${one || "none"}`),
          ),
        ),
      ),
    );
  return h(
    "fieldset",
    { class: "panel special stack", "data-key": `face-${id}`, "data-path": `faces.${id}` },
    h("legend", {}, title),
    h(
      "div",
      { class: "special-head" },
      h(
        "div",
        { class: "special-card", "data-drawn": id },
        drawCard(wild ? id : `${colors[0]} ${id}`, { decorative: true }),
      ),
      h(
        "div",
        { class: "fields grow" },
        h(
          "label",
          { class: "field grow" },
          t("edition.special.name"),
          h("input", {
            value: title,
            maxlength: "40",
            id: `face-name-${id}`,
            onchange: (event) => {
              face.name = withText(face.name, language(), event.target.value);
              rename(event.target.value, wild);
            },
          }),
        ),
        h(
          "label",
          { class: "field" },
          t("edition.color"),
          h(
            "select",
            { id: `colors-${id}`, onchange: (event) => rename(title, event.target.value === "wild") },
            h("option", { value: "wild", selected: wild }, t("edition.color.none")),
            h("option", { value: "colored", selected: !wild }, t("edition.color.each")),
          ),
        ),
        countField(id, making, again),
      ),
    ),
    drawProgram(face.when_played, say, { place: "played", path: `faces.${id}.when_played` }),
    h(
      "label",
      { class: "field" },
      t("edition.text"),
      h("input", {
        value: textIn(face.text, language()),
        maxlength: "200",
        id: `face-text-${id}`,
        onchange: (event) => {
          face.text = withText(face.text, language(), event.target.value);
          again();
        },
      }),
    ),
    h(
      "details",
      { class: "fold" },
      h("summary", {}, t("edition.further")),
      h(
        "div",
        { class: "fields" },
        option("answers", ["", "cancel", "reflect"], face.answers ?? ""),
        option("start", wild ? ["", "redraw"] : ["", "apply", "redraw"], face.start ?? ""),
        option(
          "reads_as",
          [
            "",
            ...(wild ? ["wild", "wild draw four", "wild item box", "wild creeper"] : ["draw two", "skip", "reverse"]),
          ],
          face.reads_as?.[0] ?? "",
        ),
        drawnField(id, face, again),
      ),
    ),
    removeRow(title, () => {
      removeFace(draft, id);
      again();
    }),
  );
}

/**
 * How many cards who draws the card draws at once.
 * @param {string} id @param {import("./edition-draft.js").Face} face @param {() => void} again
 */
function drawnField(id, face, again) {
  const draws = face.when_drawn?.find((step) => typeof step.draw === "number")?.draw ?? 0;
  return h(
    "label",
    { class: "field" },
    t("edition.drawn"),
    h("input", {
      type: "number",
      id: `drawn-${id}`,
      min: "0",
      max: "25",
      value: String(draws),
      onchange: (event) => {
        const count = Number(event.target.value);
        if (count > 0) face.when_drawn = [{ draw: count }];
        else delete face.when_drawn;
        again();
      },
    }),
  );
}

/** How many copies of a face there are. @param {string} face @param {Making} making @param {() => void} again */
export function countField(face, making, again) {
  const { draft } = making;
  const before = baseFaces(making)[face] ?? 0;
  const label = isWildFace(face) ? t("edition.copies") : t("edition.copies.each");
  return h(
    "label",
    { class: "field copies", "data-path": `deck.${face}` },
    face in draft.faces && !STANDARD.has(face) ? label : faceName(face),
    h("input", {
      type: "number",
      min: "0",
      max: "40",
      id: `count-${face}`,
      value: String(draft.deck[face] ?? before),
      onchange: (event) => {
        if (event.target.value === "" || !event.target.reportValidity()) return;
        const count = Number(event.target.value);
        if (count === before && !(face in draft.faces)) delete draft.deck[face];
        else draft.deck[face] = count;
        again();
      },
    }),
  );
}

/** A button that takes a special card or a mark out of the draft. @param {string} title @param {() => void} remove */
export const removeRow = (title, remove) =>
  h(
    "div",
    { class: "row end" },
    h("button", { type: "button", class: "quiet", onclick: remove }, t("edition.special.remove", { card: title })),
  );
