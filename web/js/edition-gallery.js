/** The available decks: what is special about each, and how far its rules can be trusted. */

import { get } from "./api.js";
import { attempt } from "./attempt.js";
import { drawCard } from "./card.js";
import { ask, fill, h } from "./dom.js";
import { has, t } from "./i18n.js";
import { faceOf, wear } from "./signs.js";

/** @typedef {import("./answers").EditionSummaryAnswer} Summary */
/**
 * @typedef {{ role: string | null, edit: (id: string) => unknown, share: (one: Summary) => unknown,
 *   remove: (one: Summary) => unknown }} Doing what may be done with a deck, and in which role
 */

/** How far an edition was compared with printed rules. @param {Summary} one */
const checkedText = (one) => t(`checked.${one.checked}`, { count: Math.max(1, one.sources.length) });

/**
 * Draws the gallery, which a word narrows down.
 * @param {HTMLElement} place @param {Summary[]} editions @param {Doing} doing
 */
export function drawGallery(place, editions, doing) {
  const found = (/** @type {string} */ word) => {
    const wanted = word.trim().toLowerCase();
    const fits = (/** @type {Summary} */ one) =>
      [one.title, one.id, ...one.specials.map((special) => special.title)].join(" ").toLowerCase().includes(wanted);
    const shown = editions.filter(fits);
    return shown.length ? shown.map((one) => drawDeck(one, doing)) : h("li", {}, t("gallery.none"));
  };
  fill(
    place,
    h("h2", { id: "gallery-title" }, t("gallery.title")),
    h(
      "label",
      { class: "field" },
      t("gallery.find"),
      h("input", {
        type: "search",
        id: "find-deck",
        oninput: (event) => fill(place.querySelector("#gallery"), found(event.target.value)),
      }),
    ),
    h("ul", { class: "plain gallery", id: "gallery" }, found("")),
  );
}

/** @param {Summary} one @param {Doing} doing */
function drawDeck(one, doing) {
  const small = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => unknown} */ run) =>
    h(
      "button",
      {
        type: "button",
        class: "small-button",
        id: `${id}-${one.id}`,
        "aria-label": t("gallery.do", { what: text, deck: one.title }),
        onclick: run,
      },
      text,
    );
  return h(
    "li",
    { class: "panel deck", "data-key": one.id },
    h(
      "div",
      { class: "deck-cards" },
      one.specials.slice(0, 3).map((special) => drawCard(special.card, { decorative: true, sign: special.sign })),
      !one.specials.length && drawCard("wild draw four", { decorative: true }),
    ),
    h(
      "div",
      { class: "deck-words" },
      h("h3", {}, one.title),
      h(
        "p",
        { class: "small" },
        [t("gallery.cards", { count: one.cards }), ...one.specials.map((special) => special.title)].join(" · "),
      ),
      h("p", { class: `small checked checked-${one.checked}` }, checkedText(one)),
      one.sources.length > 0 &&
        h("p", { class: "small soft break" }, t("gallery.sources", { sources: one.sources.join(", ") })),
      h(
        "div",
        { class: "row" },
        small("show", t("gallery.show"), () => showDeck(one)),
        doing.role === "host" &&
          h(
            "a",
            {
              class: "button small-button",
              href: `/?edition=${one.id}`,
              "aria-label": t("gallery.do", { what: t("gallery.play"), deck: one.title }),
            },
            t("gallery.play"),
          ),
        doing.role !== "viewer" &&
          small("edit", t(one.own ? "gallery.edit" : "gallery.copy"), () => doing.edit(one.id)),
        doing.role === "host" && small("share", t("edition.share"), () => doing.share(one)),
        doing.role === "host" && one.own && small("remove", t("gallery.remove"), () => doing.remove(one)),
      ),
    ),
  );
}

/** Shows a deck: what its special cards do, its cards, and its file. @param {Summary} one */
export async function showDeck(one) {
  const found = await attempt(() =>
    get(`/api/editions/${encodeURIComponent(one.id)}?language=${document.documentElement.lang}`),
  );
  if (!found) return;
  wear(found);
  const printed = (/** @type {import("./answers").RuleAnswer} */ rule) => Number(has(`card.${rule.key}`));
  const special = found.rules
    .filter((rule) => rule.part !== "rule")
    .sort((one, other) => printed(one) - printed(other));
  const cards = (/** @type {string} */ face) => found.deck.filter(({ card }) => faceOf(card) === face);
  const copies = (/** @type {string} */ face) => cards(face).reduce((sum, { count }) => sum + count, 0);
  await ask(
    one.title,
    () => [
      h("p", { class: `checked checked-${one.checked}` }, checkedText(one)),
      one.sources.length > 0 &&
        h("p", { class: "small soft break" }, t("gallery.sources", { sources: one.sources.join(", ") })),
      h(
        "ul",
        { class: "plain deck-rules" },
        special.map((rule) => {
          const card = rule.part === "card" ? cards(rule.key)[0] : undefined;
          return h(
            "li",
            { "data-key": rule.key },
            h("span", { class: "deck-rule-card" }, card && drawCard(card.card, { decorative: true })),
            h(
              "span",
              {},
              h("strong", {}, rule.title),
              card && h("span", { class: "soft" }, ` × ${copies(rule.key)}`),
              h("br", {}),
              rule.text,
            ),
          );
        }),
      ),
      h(
        "a",
        { href: `/api/editions/${encodeURIComponent(one.id)}/file`, download: `${one.id}.toml` },
        t("edition.download"),
      ),
    ],
    t("close"),
  );
}
