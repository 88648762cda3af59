/** The score board: the latest result, totals, rounds, the chart of totals, statistics, past matches. */

import { get } from "./api.js";
import { attempt } from "./attempt.js";
import { avatar } from "./avatar.js";
import { celebrate } from "./celebration.js";
import { clearChart, drawLines } from "./chart.js";
import { countUpAll } from "./counting.js";
import { $, fill, h } from "./dom.js";
import { drawFame } from "./fame.js";
import { t } from "./i18n.js";
import { matchLabel } from "./matches.js";
import { person } from "./people.js";
import { driveRace } from "./race.js";
import { drawAfter } from "./score-after.js";
import { drawMatches } from "./score-matches.js";
import { drawDeeds, drawRounds } from "./score-tables.js";
import { live, prepare } from "./shell.js";
import { leadersOf, streaksOf } from "./standings.js";

/** @typedef {import("./answers").ScoresAnswer} Scores */

/** From how many rounds on a line tells more than bars. */
const LINE_ROUNDS = 3;

class Board {
  /** @param {string | null} role @param {string | null} shown */
  constructor(role, shown) {
    this.role = role;
    this.shown = shown;
    this.running = /** @type {string | null} */ (null);
    /** What the board depends on, as it was drawn last. */
    this.drawn = "";
    /** The card on top of the pile, and the match and its totals as they were shown last. */
    this.top = /** @type {string | null} */ (null);
    this.counted = { match: "", over: false, scores: /** @type {Record<string, number>} */ ({}) };
    /** @type {import("./answers").MatchesAnswer} */
    this.listed = { matches: [], damaged: [] };
  }

  /** Draws what has changed: a round that ended, a correction, another match. */
  async follow(/** @type {import("./answers").ViewAnswer} */ { match, state }) {
    const key = JSON.stringify([match?.id, state?.round, state?.scores, state?.winners, state?.round_winner]);
    this.running = match?.id ?? null;
    this.top = state?.top ?? null;
    if (key === this.drawn) return;
    this.drawn = key;
    await this.drawAll();
    await drawFame(this.role ?? "viewer", this.listed.matches, (one) => this.show(one));
  }

  async drawAll() {
    this.listed = await get("/api/matches");
    const { matches } = this.listed;
    if (!matches.some((one) => one.id === this.shown)) this.shown = this.running ?? matches[0]?.id ?? null;
    drawMatches(this.listed, {
      role: this.role,
      show: (one) => this.show(one),
      changed: () => this.drawAll(),
    });
    await this.draw();
  }

  /** Shows another match on the board. @param {string} match */
  async show(match) {
    this.shown = match;
    await this.draw();
    $("#leaders").scrollIntoView({ block: "center" });
  }

  async draw() {
    const { shown } = this;
    this.drawChoice();
    if (shown === null) return drawNothing();
    const match = await attempt(() => get(`/api/matches/${encodeURIComponent(shown)}`));
    if (!match || this.shown !== shown) return;
    fill($("#printed"), `${matchLabel(match)}`);
    fill($("#after"), drawAfter(match, { role: this.role, running: match.id === this.running }));
    drawLeaders(match, streaksOf(this.listed.matches));
    if (match.id === this.running) this.move(match);
    drawRounds(match);
    drawDeeds(match);
    await this.drawChart(match);
  }

  /** Shows as movement what is new in the match on the table. @param {Scores} match */
  move(match) {
    const known = this.counted.match === match.id;
    const before = known ? this.counted.scores : (match.totals.at(-2) ?? {});
    const won = match.over && !(known && this.counted.over);
    this.counted = { match: match.id, over: match.over, scores: match.scores };
    countUpAll($("#leaders"), ".leader-score", before);
    const race = $("#after .after-race");
    if (race) driveRace(race, match, before);
    if (won) celebrate($("#after"), this.top);
  }

  /** Which match is shown, where there are several. */
  drawChoice() {
    const { matches } = this.listed;
    const select = /** @type {HTMLSelectElement} */ ($("#match"));
    const labelled = matches.map((one) => [
      one.id,
      `${one.running ? `${t("scores.running")} · ` : ""}${matchLabel(one)}`,
    ]);
    fill(
      select,
      labelled.map(([id, label]) => h("option", { value: id, selected: id === this.shown }, label)),
    );
    select.hidden = matches.length < 2;
    select.onchange = () => this.show(select.value);
  }

  /** @param {Scores} match */
  async drawChart(match) {
    const place = $("#chart");
    // Before there are lines to draw, the race above says all.
    $("#chart-panel").hidden = match.totals.length < LINE_ROUNDS;
    if (!match.totals.length || match.scoring === "single-round")
      return clearChart(place, h("p", { class: "soft" }, t("scores.noround")));
    if (match.totals.length < LINE_ROUNDS) return clearChart(place);
    await drawLines(place, {
      title: t("scores.chart"),
      axis: t("scores.round"),
      steps: [0, ...match.totals.keys()].map((_, round) => String(round)),
      lines: Object.fromEntries(
        match.players.map((player) => [player, [0, ...match.totals.map((total) => total[player])]]),
      ),
      wanted: () => this.shown === match.id,
    });
  }
}

function drawNothing() {
  fill($("#leaders"), h("p", { class: "soft" }, t("scores.none")));
  clearChart($("#chart"));
  for (const id of ["rounds", "deeds", "after", "printed"]) fill($(`#${id}`));
}

/** @param {Scores} match @param {Record<string, number>} streaks matches won in a row */
function drawLeaders(match, streaks) {
  const { order, leads } = leadersOf(match);
  const points = match.scoring !== "single-round";
  const leader = (/** @type {string} */ player) => {
    const [won, left] = [match.winners.includes(player), match.left.includes(player)];
    const score = match.scores[player];
    const missing = match.target - score;
    const open = points && !match.over && match.totals.length > 0 && !left;
    const badge = (/** @type {string} */ text) => h("span", { class: "badge" }, text);
    return h(
      "div",
      { class: `panel leader ${leads.includes(player) ? "leads" : ""}`, "data-player": player },
      avatar(player),
      h(
        "div",
        {},
        h(
          "p",
          { class: "leader-name" },
          person(player),
          left && badge(t("comings.left")),
          (won || leads.includes(player)) && badge(t(won ? "scores.winner" : "scores.leads")),
          streaks[player] && badge(t("scores.streak", { count: streaks[player] })),
        ),
        points && h("p", { class: "leader-score" }, score),
        open &&
          h(
            "p",
            { class: "small soft" },
            missing > 0 ? t("scores.missing", { count: missing, target: match.target }) : t("scores.reached"),
          ),
      ),
    );
  };
  fill($("#leaders"), order.map(leader));
}

const me = await prepare("viewer");
const board = new Board(me.role, new URLSearchParams(location.search).get("match"));
$("#print").onclick = () => print();
live({ view: (view) => board.follow(view) });
