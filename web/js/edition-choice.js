/** The choice of an edition beyond the printed ones: a list of the other decks, and a link to one's own. */

import { get } from "./api.js";
import { attempt } from "./attempt.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Chooses an edition for a draft; one that is not there any more gives way to the first.
 * @param {import("./draft.js").Draft} draft @param {string} id
 */
export async function chooseEdition(draft, id) {
  const { editions, themed } = draft.choices;
  const known = [...editions, ...themed].some((one) => one.name === id) ? id : editions[0].name;
  const found = await attempt(() =>
    get(`/api/editions/${encodeURIComponent(known)}?language=${document.documentElement.lang}`),
  );
  if (found) draft.chooseEdition(found);
}

/**
 * The edition of a draft as the others are listed, where it is none of them.
 * @param {import("./draft.js").Draft} draft
 */
export function chosenThemed({ choices, detail, edition }) {
  const found = choices.themed.find((one) => one.name === edition);
  if (!found || detail?.edition.id !== edition) return [];
  return [{ ...found, deck: detail.deck, defaults: detail.defaults, items: false, own: true }];
}

/**
 * The list of the other decks, and the way to make one's own.
 * @param {import("./draft.js").Draft} draft @param {(id: string) => unknown} choose
 */
export function drawThemed({ choices, edition }, choose) {
  return h(
    "div",
    { class: "row more-editions", "data-key": "themed" },
    h(
      "select",
      {
        id: "themed",
        "aria-label": t("setup.themed"),
        onchange: (event) => event.target.value && choose(event.target.value),
      },
      h("option", { value: "" }, t("setup.themed")),
      choices.themed.map((one) => h("option", { value: one.name, selected: one.name === edition }, one.title)),
    ),
    h("a", { href: "/edition", id: "own-edition", class: "small" }, t("setup.own")),
  );
}
