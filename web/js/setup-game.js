/** The second step of a set-up: the deck and the rules. Rarely changed options are folded. */

import { drawCard } from "./card.js";
import { fill, h } from "./dom.js";
import { changesOf, OURS } from "./draft.js";
import { chooseEdition, chosenThemed, drawThemed } from "./edition-choice.js";
import { drawLab } from "./edition-lab.js";
import { hueOf } from "./hues.js";
import { t } from "./i18n.js";
import { chooseLanguage, drawOption, pickOne } from "./options.js";
import { drawTurns } from "./turns.js";

/** How many cards stand for a deck. */
const SHOWN = 3;

/** @param {{ name: string, title: string }} one @returns {[string, string]} */
function pair({ name, title }) {
  return [name, title];
}

/** Cards that show what a deck is like: a number, an action, and its own wild, which comes last in it. */
function samples(/** @type {import("./answers").EditionAnswer} */ { deck }) {
  const names = deck.map(({ card }) => card);
  const find = (/** @type {RegExp} */ face) => names.find((card) => face.test(card));
  const wild = deck.findLast((one) => one.wild)?.card;
  return [find(/^green 5$/) ?? names[0], find(/^red (skip|draw two)/) ?? names[1], wild ?? names[2]].slice(0, SHOWN);
}

/**
 * The sign of a card's face, where it has one.
 * @param {import("./answers").EditionAnswer} edition @param {string} name
 */
function signOf({ deck }, name) {
  const sign = deck.find(({ card }) => card === name)?.sign;
  return sign ? { sign } : {};
}

/**
 * Draws the step. An option that changes redraws only what depends on it, so that the focus stays where it is.
 * @param {HTMLElement} place @param {HTMLElement} more for what few people change
 * @param {import("./draft.js").Draft} draft
 * @returns {{ drawTurns: () => void }} drawTurns: to be called when a camera is chosen
 */
export function drawGame(place, more, draft) {
  const editions = h("div");
  const profiles = h("div", { class: "stack" });
  const house = h("div", { class: "options" });
  const rules = h("div", { class: "options" });
  const turns = h("div");

  const drawEditions = () =>
    fill(
      editions,
      h(
        "fieldset",
        {},
        h("legend", { class: "visually-hidden" }, t("setup.edition")),
        h("div", { class: "decks" }, [...draft.choices.editions, ...chosenThemed(draft)].map(drawEdition)),
      ),
      drawThemed(draft, choose),
    );

  const choose = async (/** @type {string} */ id) => {
    await chooseEdition(draft, id);
    drawEditions();
    drawRules();
  };

  const drawEdition = (/** @type {import("./answers").EditionAnswer} */ one) =>
    h(
      "label",
      { class: "deck-pick", "data-edition": one.name },
      h("input", {
        type: "radio",
        name: "edition",
        value: one.name,
        checked: one.name === draft.edition,
        onchange: () => choose(one.name),
      }),
      h(
        "span",
        {
          class: "deck-art",
          "aria-hidden": "true",
          vars: one.deck.some(({ sign }) => sign) ? { "--felt-hue": hueOf(one.name) } : {},
        },
        samples(one).map((card) => drawCard(card, { decorative: true, ...signOf(one, card) })),
      ),
      h("span", { class: "deck-title" }, one.title),
    );

  const drawProfiles = () => {
    const { profiles: offered } = draft.choices;
    const own = draft.ours || draft.ourRules;
    const sets = draft.ours ? draft.options : (offered.find((one) => one.name === draft.profile)?.sets ?? {});
    fill(
      profiles,
      pickOne(
        "profile",
        t("setup.profile"),
        [...offered.map(pair), ...(own ? [pair({ name: OURS, title: t("setup.ours") })] : [])],
        draft.ours ? OURS : draft.profile,
        (value) => {
          draft.chooseProfile(value);
          drawRules();
        },
      ),
      h("p", { class: "small soft", id: "profile-says" }, says(sets)),
    );
  };

  /** What a profile changes, in words. @param {Record<string, import("./draft.js").Value>} sets */
  const says = (sets) => {
    const changes = changesOf(draft.choices, sets).map(({ title, value }) => {
      const text = typeof value === "boolean" ? t(value ? "setup.yes" : "setup.no") : value;
      return `${title}: ${text}`;
    });
    return changes.length ? changes.join(" · ") : t("setup.asprinted");
  };

  const drawOptions = () => {
    const option = (/** @type {import("./answers").OptionAnswer} */ one) =>
      drawOption(one, draft.value(one.name), (value) => {
        draft.choose(one.name, value);
        drawProfiles();
        // Of the options, only whether there is a target depends on another one.
        if (one.name === "scoring") drawOptions();
      });
    const own = (/** @type {import("./answers").OptionAnswer} */ one) =>
      drawOption(one, draft.value(one.name), (value) => draft.chooseOwn(one.name, value));
    fill(house, draft.ownOptions.map(own), draft.apt.filter((one) => one.house).map(option));
    fill(rules, draft.apt.filter((one) => !one.house).map(option));
  };

  const drawRules = () => {
    drawProfiles();
    drawOptions();
  };

  const drawTurnsHere = () =>
    fill(
      turns,
      drawTurns(draft.turns, (value) => {
        draft.chosenTurns = value;
      }),
    );

  /** What the laboratory tries: the edition and the rules as they are chosen now. */
  const lab = drawLab(() => ({
    edition: draft.edition,
    options: Object.fromEntries(
      [...draft.choices.options, ...draft.ownOptions].map((one) => [one.name, draft.value(one.name)]),
    ),
    players: Math.max(draft.choices.least_players, draft.named.length),
    language: /** @type {import("./answers").Language} */ (document.documentElement.lang),
  }));

  drawEditions();
  drawRules();
  drawTurnsHere();
  fill(place, editions, profiles);
  fill(
    more,
    h(
      "details",
      { class: "fold", id: "house-fold" },
      h("summary", {}, t("setup.house")),
      house,
      h("details", { class: "fold", id: "lab-fold" }, h("summary", {}, t("lab.title")), lab),
    ),
    h("details", { class: "fold", id: "rules-fold" }, h("summary", {}, t("setup.rules")), rules),
    h(
      "details",
      { class: "fold", id: "table-fold" },
      h("summary", {}, t("setup.table")),
      h(
        "div",
        { class: "stack" },
        h(
          "label",
          { class: "field" },
          t("setup.language"),
          chooseLanguage(
            draft.language,
            (code) => {
              draft.language = code;
            },
            "language",
          ),
        ),
        turns,
      ),
    ),
  );
  return { drawTurns: drawTurnsHere };
}
