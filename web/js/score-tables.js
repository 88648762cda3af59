/** The tables of the score board: points by round with the hands behind them, and statistics per player. */

import { handCards } from "./card.js";
import { $, ask, fill, h } from "./dom.js";
import { t } from "./i18n.js";

/** @param {import("./answers").ScoresAnswer} match */
export function drawRounds(match) {
  const players = match.players;
  fill(
    $("#rounds"),
    match.rounds.length
      ? h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, t("scores.round")),
              players.map((/** @type {string} */ player) => h("th", { scope: "col" }, player)),
            ),
          ),
          h(
            "tbody",
            {},
            match.rounds.map((round) =>
              h(
                "tr",
                {},
                h(
                  "th",
                  { scope: "row" },
                  round.hands.length
                    ? h(
                        "button",
                        {
                          type: "button",
                          class: "link",
                          "data-round": round.number,
                          "aria-label": t("scores.hands.open", { n: round.number }),
                          onclick: () => openRound(match, round),
                        },
                        round.number,
                      )
                    : round.number,
                ),
                players.map((/** @type {string} */ player) =>
                  h(
                    "td",
                    { class: player === round.winner ? "won" : "" },
                    round.points[player] ?? (Object.keys(round.points).length ? 0 : "–"),
                    player === round.winner &&
                      h(
                        "span",
                        { class: "won-mark", title: t("scores.out") },
                        "★",
                        h("span", { class: "visually-hidden" }, t("scores.out")),
                      ),
                  ),
                ),
              ),
            ),
          ),
          h(
            "tfoot",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "row" }, t("scores.total")),
              players.map((/** @type {string} */ player) => h("td", {}, h("strong", {}, match.scores[player]))),
            ),
          ),
        )
      : h("p", { class: "soft" }, t("scores.noround")),
  );
}

/**
 * Shows the hands that a round was scored by, with their pictures.
 * @param {import("./answers").ScoresAnswer} match
 * @param {import("./answers").RoundAnswer} round
 */
async function openRound(match, round) {
  await ask(
    t("scores.hands", { n: round.number }),
    () =>
      round.hands.map((hand) =>
        h(
          "section",
          { class: "stack round-hand", "data-hand": hand.player },
          h(
            "h3",
            { class: "row spread" },
            h("span", {}, hand.player),
            h("span", {}, t("scan.points", { count: hand.points })),
          ),
          handCards(hand.cards),
          hand.picture &&
            h("img", {
              class: "ruling-picture",
              src: `/api/matches/${encodeURIComponent(match.id)}/pictures/${encodeURIComponent(hand.picture)}`,
              alt: t("scores.hands.picture", { player: hand.player }),
            }),
        ),
      ),
    t("close"),
  );
}

/** @param {import("./answers").ScoresAnswer} match */
export function drawDeeds(match) {
  const rows = /** @type {Array<keyof import("./answers").DeedsAnswer>} */ ([
    "played",
    "drawn",
    "rounds_won",
    "uno_calls",
    "caught",
    "challenges_won",
    "challenges_lost",
  ]);
  fill(
    $("#deeds"),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, h("span", { class: "visually-hidden" }, t("scores.deeds"))),
          match.players.map((/** @type {string} */ player) => h("th", { scope: "col" }, player)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, t(`deeds.${row}`)),
            match.players.map((/** @type {string} */ player) => h("td", {}, match.deeds[player][row])),
          ),
        ),
      ),
    ),
  );
}
