/** The rules of the running match on one sheet: what its cards do, and how its options stand. */

import { itemIcon } from "./card.js";
import { choices } from "./choices.js";
import { ask, h } from "./dom.js";
import { has, t } from "./i18n.js";

const ITEMS = ["mushroom", "banana peel", "green shell", "lightning", "bob-omb"];
const CARDS = ["reverse", "skip", "draw two", "wild", "wild draw four", "wild item box", "wild creeper"];

/** The button that opens the sheet. @param {() => import("./answers").MatchAnswer | undefined} match the running one */
export function rulesButton(match) {
  return h("button", { type: "button", class: "quiet small-button", id: "rules", onclick: () => openRules(match()) }, t("rules"));
}

/** @param {import("./answers").MatchAnswer | undefined} match */
async function openRules(match) {
  if (!match) return;
  const offered = /** @type {import("./answers").ChoicesAnswer} */ (await choices());
  const edition = offered.editions.find((one) => one.name === match.edition);
  const faces = new Set(edition?.deck.map((one) => (one.wild ? one.card : one.card.slice(one.card.indexOf(" ") + 1))));
  const option = (/** @type {import("./answers").OptionAnswer} */ one) => {
    const value = match.options[one.name];
    const said = one.kind === "flag" ? t(value ? "rules.yes" : "rules.no") : one.values.find((each) => each.value === value)?.title ?? String(value);
    return h("li", { "data-key": one.name }, h("strong", {}, one.title, ": ", said), " ", h("span", { class: "soft" }, one.sentence));
  };
  const played = offered.options.filter((one) => one.house && match.options[one.name] !== edition?.defaults[one.name]);
  await ask(t("rules.title"), () => [
    h("p", { class: "soft" }, edition?.title ?? match.edition),
    played.length > 0 && h("section", { class: "stack" }, h("h3", {}, t("setup.house")), h("ul", { class: "plain sheet" }, played.map(option))),
    edition?.items && h("section", { class: "stack" }, h("h3", {}, t("rules.items")), h("ul", { class: "plain sheet" }, ITEMS.map((item) =>
      h("li", { class: "sheet-item", "data-key": item }, itemIcon(item), h("span", {}, h("strong", {}, t(`item.${item}`)), " ", t(`rules.item.${item}`)))))),
    h("section", { class: "stack" }, h("h3", {}, t("rules.cards")), h("ul", { class: "plain sheet" }, CARDS.filter((face) => faces.has(face) && has(`rules.card.${face}`)).map((face) =>
      h("li", { "data-key": face }, h("strong", {}, t(`card.${face}`), ": "), t(`rules.card.${face}`))))),
    h("section", { class: "stack" }, h("h3", {}, t("setup.rules")), h("ul", { class: "plain sheet" }, offered.options.filter((one) => !played.includes(one)).map(option)))], t("close"));
}
