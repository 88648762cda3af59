/** The score board: totals, rounds, the line of the totals, who did what, past matches and their export. */

import { confirm } from "./actions.js";
import { get, post, remove } from "./api.js";
import { attempt, may } from "./attempt.js";
import { handCards } from "./card.js";
import { clearChart, drawLines } from "./chart.js";
import { $, ask, fill, h, toast } from "./dom.js";
import { drawFame } from "./fame.js";
import { t } from "./i18n.js";
import { keepButtons } from "./keepsake.js";
import { matchLabel, takeUp } from "./matches.js";
import { person } from "./people.js";
import { drawPodium, drawRace } from "./race.js";
import { live, prepare } from "./shell.js";

const me = await prepare("viewer");
let shown = /** @type {string | null} */ (new URLSearchParams(location.search).get("match"));
let running = /** @type {string | null} */ (null);
let told = "";

// What the board shows changes when a round ends, when something is corrected, and when another match runs.
live({
  view: async (view) => {
    const key = JSON.stringify([
      view.match?.id,
      view.state?.round,
      view.state?.scores,
      view.state?.winners,
      view.state?.round_winner,
    ]);
    running = view.match?.id ?? null;
    if (key === told) return;
    told = key;
    await drawList();
    await draw();
    await drawFame(me.role ?? "viewer", show);
  },
});

/** Shows another match on the board. @param {string} match */
async function show(match) {
  shown = match;
  await drawList();
  await draw();
  $("#leaders").scrollIntoView({ block: "center" });
}

async function drawList() {
  const { matches, damaged } = await get("/api/matches");
  shown ??= running ?? matches[0]?.id ?? null;
  const select = /** @type {HTMLSelectElement} */ ($("#match"));
  fill(
    select,
    matches.map((one) =>
      h(
        "option",
        { value: one.id, selected: one.id === shown },
        `${one.running ? `${t("scores.running")} · ` : ""}${matchLabel(one)}`,
      ),
    ),
  );
  select.hidden = matches.length < 2;
  select.onchange = () => {
    shown = select.value;
    draw();
  };
  fill(
    $("#past"),
    drawDamaged(damaged),
    matches.length
      ? h(
          "ul",
          { class: "plain past" },
          matches.map((one) =>
            h(
              "li",
              {},
              h(
                "div",
                {},
                h(
                  "button",
                  {
                    type: "button",
                    class: "link",
                    onclick: () => {
                      shown = one.id;
                      select.value = one.id;
                      draw();
                    },
                  },
                  matchLabel(one),
                ),
                h(
                  "p",
                  { class: "small soft" },
                  one.over ? t("scores.won", { players: one.winners.join(", ") }) : t("scores.open"),
                  " · ",
                  t("scores.moves", { count: one.moves }),
                ),
              ),
              h(
                "div",
                { class: "row" },
                ["rounds-csv", "rounds-json", "transcript"].map((format) =>
                  h(
                    "a",
                    {
                      class: "button small-button",
                      href: `/api/matches/${encodeURIComponent(one.id)}/export?format=${format}`,
                      download: true,
                    },
                    format === "transcript" ? t("scores.transcript") : format.replace("rounds-", "").toUpperCase(),
                  ),
                ),
                may(me.role, "host") && !one.running && !one.over && takeUp(one),
                may(me.role, "host") &&
                  !one.running &&
                  h(
                    "button",
                    {
                      type: "button",
                      class: "quiet small-button",
                      onclick: async () => {
                        if (!(await confirm(t("scores.delete.sure"), t("scores.delete")))) return;
                        await attempt(() => remove(`/api/matches/${encodeURIComponent(one.id)}`));
                        if (shown === one.id) shown = null;
                        await drawList();
                        await draw();
                      },
                    },
                    t("scores.delete"),
                  ),
              ),
            ),
          ),
        )
      : h("p", { class: "soft" }, t("scores.none")),
    may(me.role, "host") && drawBackup(),
  );
}

/** Everything in one file, for the host to keep or to bring back. */
function drawBackup() {
  const restore = async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    const found = await attempt(() => post("/api/restore", new Blob([chosen], { type: "application/zip" })));
    if (found === null) return;
    const counts = { matches: found.matches, decks: found.decks, known: found.known };
    toast([t("backup.restored", counts), ...found.refused].join(" "));
    await drawList();
  };
  const file = h("input", { type: "file", accept: ".zip,application/zip", hidden: true, onchange: restore });
  return h(
    "div",
    { class: "row" },
    h("a", { class: "button small-button", href: "/api/backup", download: true }, t("backup.make")),
    h(
      "button",
      { type: "button", class: "small-button", id: "restore", onclick: () => file.click() },
      t("backup.restore"),
    ),
    file,
  );
}

/** What is left of matches that cannot be shown any more. @param {Array<import("./answers").DamagedAnswer>} damaged */
function drawDamaged(damaged) {
  return (
    damaged.length > 0 &&
    h(
      "ul",
      { class: "plain past" },
      damaged.map((one) =>
        h(
          "li",
          { "data-damaged": one.id },
          h(
            "div",
            {},
            h("strong", {}, t("scores.damaged", { id: one.id })),
            h("p", { class: "small soft" }, t("scores.damaged.note")),
          ),
          h(
            "a",
            {
              class: "button small-button",
              href: `/api/matches/${encodeURIComponent(one.id)}/export?format=transcript`,
              download: true,
            },
            t("scores.transcript"),
          ),
        ),
      ),
    )
  );
}

async function draw() {
  if (shown === null) {
    fill($("#leaders"), h("p", { class: "soft" }, t("scores.none")));
    clearChart($("#chart"));
    for (const id of ["rounds", "deeds", "podium", "keep", "next"]) fill($(`#${id}`));
    return;
  }
  const match = await attempt(() => get(`/api/matches/${encodeURIComponent(shown ?? "")}`));
  if (!match) return;
  drawLeaders(match);
  fill($("#podium"), match.over && h("section", { class: "panel" }, drawPodium(match)));
  fill($("#next"), wayOn(match));
  fill($("#keep"), keepButtons(match));
  drawRounds(match);
  drawDeeds(match);
  await drawChart(match);
}

/** The way on from here: the next round, or another match. @param {import("./answers").ScoresAnswer} match */
function wayOn(match) {
  if (match.id !== running || !match.totals.length) return null;
  if (!match.over) return h("a", { class: "button primary big", href: "/table" }, t("scores.next"));
  return (
    may(me.role, "host") &&
    h(
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
    )
  );
}

/** @param {import("./answers").ScoresAnswer} match */
function drawLeaders(match) {
  const low = match.scoring === "low-total";
  const order = [...match.players].sort((a, b) => (low ? 1 : -1) * (match.scores[a] - match.scores[b]));
  const best = match.scores[order.find((player) => !match.left.includes(player)) ?? order[0]];
  fill(
    $("#leaders"),
    order.map((player) => {
      const score = match.scores[player];
      const leads = score === best && match.totals.length > 0 && !match.left.includes(player);
      const won = match.winners.includes(player);
      const missing = match.target - score;
      return h(
        "div",
        { class: `panel leader ${leads ? "leads" : ""}`, "data-player": player },
        h(
          "p",
          { class: "leader-name" },
          person(player),
          match.left.includes(player) && h("span", { class: "badge" }, t("comings.left")),
          (won || leads) && h("span", { class: "badge" }, t(won ? "scores.winner" : "scores.leads")),
        ),
        match.scoring === "single-round" ? null : h("p", { class: "leader-score" }, score),
        match.scoring !== "single-round" &&
          !match.over &&
          match.totals.length > 0 &&
          !match.left.includes(player) &&
          h(
            "p",
            { class: "small soft" },
            missing > 0 ? t("scores.missing", { count: missing, target: match.target }) : t("scores.reached"),
          ),
      );
    }),
  );
}

/** @param {import("./answers").ScoresAnswer} match */
function drawRounds(match) {
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
function drawDeeds(match) {
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

/** From how many rounds on a line tells more than bars. */
const LINE_ROUNDS = 3;

/** @param {import("./answers").ScoresAnswer} match */
async function drawChart(match) {
  const place = $("#chart");
  if (!match.totals.length || match.scoring === "single-round")
    return clearChart(place, h("p", { class: "soft" }, t("scores.noround")));
  if (match.totals.length < LINE_ROUNDS) return clearChart(place, drawRace(match));
  await drawLines(place, {
    title: t("scores.chart"),
    axis: t("scores.round"),
    steps: [0, ...match.totals.keys()].map((_, round) => String(round)),
    lines: Object.fromEntries(
      match.players.map((player) => [player, [0, ...match.totals.map((total) => total[player])]]),
    ),
    wanted: () => shown === match.id,
  });
}
