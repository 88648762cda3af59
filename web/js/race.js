/** The score of a match as the race that it is: a kart for each player on a track to the target; and its podium. */

import { avatar } from "./avatar.js";
import { countUpAll } from "./counting.js";
import { fill, h, svg } from "./dom.js";
import { t } from "./i18n.js";
import { moves } from "./motion.js";
import { person, personColor, personShape } from "./people.js";
import { podium } from "./placing.js";

/** A kart that drives to the right, in a box of 60 by 34; the driver's shape is its number. @param {string} player */
function kart(player) {
  const element = svg(
    '<path d="M4 24c0-5 3-8 8-8h9l5-7h10l4 8h10c5 0 7 3 7 7v2H4z" fill="currentColor" ' +
      'stroke="var(--ink)" stroke-width="1.6" stroke-linejoin="round"/>' +
      '<circle cx="30" cy="7" r="5" fill="var(--raised)" stroke="var(--ink)" stroke-width="1.6"/>' +
      '<path d="M3 12v9M1 11h7" stroke="var(--ink)" stroke-width="2.4" stroke-linecap="round"/>' +
      '<circle cx="15" cy="26" r="6.5" fill="var(--ink)"/>' +
      '<circle cx="15" cy="26" r="2.4" fill="var(--raised)"/>' +
      '<circle cx="46" cy="26" r="6.5" fill="var(--ink)"/>' +
      '<circle cx="46" cy="26" r="2.4" fill="var(--raised)"/>' +
      `<g transform="translate(24.5 14) scale(0.5)" fill="var(--raised)">${personShape(player)}</g>`,
    "0 0 60 34",
  );
  element.style.color = personColor(player);
  return element;
}

/**
 * Draws the race. Karts move from where they were where the drawing before was one of the same place.
 * @param {{ players: string[], scores: Record<string, number>, target: number, scoring: string, winners: string[] }}
 *   match
 */
export function drawRace({ players, scores, target, scoring, winners }) {
  const low = scoring === "low-total";
  return h(
    "div",
    { class: "race" },
    h(
      "ol",
      { class: "plain lanes", "aria-label": t("race") },
      players.map((player) => {
        const part = Math.min(1, Math.max(0, scores[player] / target));
        return h(
          "li",
          { class: `lane ${winners.includes(player) ? "won" : ""}`, "data-player": player },
          h("span", { class: "lane-name" }, person(player)),
          h(
            "span",
            { class: "lane-track", vars: { "--part": part.toFixed(4), "--color": personColor(player) } },
            h("span", { class: "lane-kart", "aria-hidden": "true" }, kart(player)),
          ),
          h("strong", { class: "lane-score" }, scores[player]),
        );
      }),
    ),
    h("p", { class: "small soft race-note" }, t(low ? "race.low" : "race.to", { target })),
  );
}

/**
 * Draws the race into its place and lets the karts drive on from earlier scores.
 * @param {Element} place
 * @param {Parameters<typeof drawRace>[0]} match
 * @param {Record<string, number>} before scores by player; who is not in it has begun at 0
 */
export function driveRace(place, match, before) {
  if (!moves()) return fill(place, drawRace(match));
  const scores = Object.fromEntries(match.players.map((player) => [player, before[player] ?? 0]));
  fill(place, drawRace({ ...match, scores, winners: [] }));
  // The karts must have been painted where they start.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      fill(place, drawRace(match));
      countUpAll(place, ".lane-score", scores);
    }),
  );
}

/**
 * Draws who won, second and third, and what was odd about the match.
 * @param {import("./answers").ScoresAnswer} match as /api/matches/ID answers
 */
export function drawPodium(match) {
  const points = match.scoring !== "single-round";
  return h(
    "div",
    { class: "podium-box stack" },
    h(
      "ol",
      { class: "plain podium" },
      podium(match).map(({ player, place }) =>
        h(
          "li",
          {
            class: `step step-${Math.min(3, place)}`,
            "data-player": player,
            vars: { "--color": personColor(player) },
          },
          h("span", { class: "step-mark" }, avatar(player)),
          h("strong", { class: "step-name" }, player),
          points && h("span", { class: "step-score" }, t("ring.points", { count: match.scores[player] })),
          h("span", { class: "step-block" }, place),
        ),
      ),
    ),
    match.awards.length > 0 &&
      h(
        "ul",
        { class: "plain awards" },
        match.awards.map((one) =>
          h(
            "li",
            { "data-key": one.kind },
            h("span", { class: "award-who" }, one.players.map(person)),
            h("span", {}, t(`award.${one.kind}`, { count: one.amount })),
          ),
        ),
      ),
  );
}
