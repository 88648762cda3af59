/** The rules of the running match on one sheet: what its items and cards do, and its rules. */

import { get } from "./api.js";
import { attempt } from "./attempt.js";
import { itemIcon } from "./card.js";
import { ask, h } from "./dom.js";
import { t } from "./i18n.js";

/** The button that opens the sheet. */
export function rulesButton() {
  return h("button", { type: "button", class: "quiet small-button", id: "rules", onclick: openRules }, t("rules"));
}

async function openRules() {
  const found = await attempt(() => get(`/api/rules?language=${document.documentElement.lang}`));
  if (!found) return;
  const { entries } = /** @type {import("./answers").RulesAnswer} */ (found);
  const parts = [...new Set(entries.map((one) => one.part))];
  await ask(
    t("rules.title"),
    () =>
      parts.map((part) =>
        h(
          "section",
          { class: "stack" },
          h("h3", {}, t(`rules.${part}`)),
          h(
            "ul",
            { class: "plain sheet" },
            entries
              .filter((one) => one.part === part)
              .map((one) =>
                h(
                  "li",
                  { class: "sheet-item", "data-key": one.key },
                  part === "item" && itemIcon(one.key),
                  h("span", {}, h("strong", {}, one.title), " ", one.text),
                ),
              ),
          ),
        ),
      ),
    t("close"),
  );
}
