/** How this screen looks and moves for those who use it: the size of its text, and whether it is calm. */

import { h } from "./dom.js";
import { t } from "./i18n.js";

const SIZES = ["normal", "large", "huge"];

/** The size that this screen keeps. */
const size = () => SIZES.find((one) => one === localStorage.getItem("text")) ?? "normal";

/** Whether this screen shows no movement and plays no sounds. */
export const isCalm = () => localStorage.getItem("calm") === "yes";

/** Sets the page up as this screen keeps it. */
export function comfort() {
  document.documentElement.dataset.text = size();
  document.body.classList.toggle("calm", isCalm());
}

/** What can be chosen. */
export function comfortSettings() {
  return h(
    "div",
    { class: "stack" },
    h(
      "label",
      { class: "field" },
      t("comfort.text"),
      h(
        "select",
        {
          id: "text-size",
          onchange: (event) => {
            localStorage.setItem("text", event.target.value);
            comfort();
          },
        },
        SIZES.map((one) => h("option", { value: one, selected: one === size() }, t(`comfort.text.${one}`))),
      ),
    ),
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        id: "calm",
        checked: isCalm(),
        onchange: (event) => {
          localStorage.setItem("calm", event.target.checked ? "yes" : "no");
          comfort();
        },
      }),
      h("span", {}, t("comfort.calm")),
    ),
  );
}
