/** The rules of a match as the server lists them: each option drawn by its kind, with its sentence. */

import { h } from "./dom.js";
import { languages } from "./i18n.js";

/**
 * Draws an option.
 * @param {import("./answers").OptionAnswer} option
 * @param {boolean | number | string} value
 * @param {(value: boolean | number | string) => void} set
 */
export function drawOption(option, value, set) {
  const id = `option-${option.name}`;
  const sentence = h("span", { class: "small soft option-says", id: `${id}-says` }, option.sentence);
  const common = { id, "aria-describedby": `${id}-says` };
  if (option.kind === "flag") {
    return h(
      "div",
      { class: "option", "data-key": option.name },
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: value === true,
          ...common,
          onchange: (event) => set(event.target.checked),
        }),
        h("span", {}, option.title),
      ),
      sentence,
    );
  }
  const field =
    option.kind === "choice"
      ? h(
          "select",
          { ...common, onchange: (event) => set(event.target.value) },
          option.values.map((one) => h("option", { value: one.value, selected: one.value === value }, one.title)),
        )
      : h("input", {
          type: "number",
          min: String(option.least ?? 0),
          max: option.most === null ? null : String(option.most),
          step: "1",
          value: String(value),
          ...common,
          onchange: (event) => {
            if (event.target.value !== "" && event.target.reportValidity()) set(Number(event.target.value));
          },
        });
  return h(
    "div",
    { class: "option", "data-key": option.name },
    h("label", { class: "field inline-field" }, h("span", {}, option.title), field),
    sentence,
  );
}

/**
 * Draws big buttons of which one is chosen.
 * @param {string} name
 * @param {string} label
 * @param {Array<[value: string, text: string]>} options
 * @param {string} value
 * @param {(value: string) => void} set
 * @param {...import("./types").Child} more what stands beside the buttons
 */
export function pickOne(name, label, options, value, set, ...more) {
  const one = (/** @type {[string, string]} */ [key, text]) =>
    h(
      "label",
      { class: "pick" },
      h("input", { type: "radio", name, value: key, checked: key === value, onchange: () => set(key) }),
      h("span", {}, text),
    );
  return h("fieldset", {}, h("legend", {}, label), h("div", { class: "picks" }, options.map(one), more));
}

/**
 * Draws the choice of a language.
 * @param {string} chosen @param {(code: import("./answers").Language) => unknown} then @param {string} [id]
 */
export function chooseLanguage(chosen, then, id) {
  return h(
    "select",
    { id, onchange: (event) => then(/** @type {import("./answers").Language} */ (event.target.value)) },
    languages().map(([code, name]) => h("option", { value: code, selected: code === chosen }, name)),
  );
}
