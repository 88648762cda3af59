/** What is shown after a round and after a match: winner, hands, race, and the next step. */

import { post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { avatar } from "./avatar.js";
import { handCards } from "./card.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { keepButtons } from "./keepsake.js";
import { person } from "./people.js";
import { drawPodium, drawRace } from "./race.js";

/** @typedef {import("./answers").ScoresAnswer} Scores */

/**
 * Draws what has just ended, and the one big way on.
 * @param {Scores} match @param {{ role: string | null, running: boolean }} how running: whether it is on the table
 * @returns {import("./types").Child}
 */
export function drawAfter(match, { role, running }) {
  const last = match.rounds.at(-1);
  if (match.over)
    return h(
      "section",
      { class: "panel stack after-match", "aria-label": t("after.match") },
      drawPodium(match),
      h("div", { class: "row after-ways" }, running && may(role, "host") && rematch(), keepButtons(match)),
    );
  if (!last || !match.totals.length) return null;
  const race = match.scoring !== "single-round" && h("div", { class: "after-race" }, drawRace(match));
  return h(
    "section",
    { class: "panel stack after-round", "aria-labelledby": "after-title" },
    h(
      "h2",
      { id: "after-title", class: "after-winner" },
      avatar(last.winner),
      t("after.round", { player: last.winner, n: last.number }),
    ),
    h(
      "div",
      { class: "after-grid" },
      h(
        "ul",
        { class: "plain after-hands" },
        last.hands.map((hand) =>
          h(
            "li",
            { "data-hand": hand.player },
            h(
              "p",
              { class: "row spread" },
              person(hand.player),
              h("strong", {}, t("scan.points", { count: hand.points })),
            ),
            handCards(hand.cards),
          ),
        ),
      ),
      race,
    ),
    h(
      "div",
      { class: "row after-ways" },
      running && h("a", { class: "button primary big", id: "next-round", href: "/table" }, t("scores.next")),
      keepButtons(match),
    ),
  );
}

function rematch() {
  return h(
    "button",
    {
      type: "button",
      class: "primary big",
      "data-act": "rematch",
      onclick: async () => {
        if (await attempt(() => post("/api/match/rematch"))) location.assign("/table");
      },
    },
    t("act.rematch"),
  );
}
