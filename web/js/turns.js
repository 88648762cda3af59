/** How the table learns who played and who drew: by camera, tapped or relaxed. */

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./answers").Turns} Turns */

/** @type {Turns[]} */
const ALL = ["camera", "tapped", "relaxed"];

/** The settings of which one holds. @param {string} chosen @param {(turns: Turns) => unknown} set */
export function drawTurns(chosen, set) {
  return h(
    "fieldset",
    { class: "turns" },
    h("legend", {}, t("turns")),
    ALL.map((one) =>
      h(
        "label",
        { class: "check" },
        h("input", { type: "radio", name: "turns", value: one, checked: one === chosen, onchange: () => set(one) }),
        h(
          "span",
          {},
          h("strong", {}, t(`turns.${one}`)),
          " ",
          h("span", { class: "small soft" }, t(`turns.${one}.says`)),
        ),
      ),
    ),
  );
}
