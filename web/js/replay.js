/** The replay of a match, move by move: the table at that time, the sentence, and the picture of the move. */

import { get } from "./api.js";
import { attempt } from "./attempt.js";
import { colorChip, drawCard } from "./card.js";
import { edition } from "./choices.js";
import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { matchLabel } from "./matches.js";
import { know } from "./people.js";
import { drawRing } from "./ring.js";
import { live, prepare } from "./shell.js";
import { wear } from "./signs.js";
import { roundStarts, Tape } from "./tape.js";

/** How long (ms) a move stands while the match plays by itself. */
const PACE = 1600;

await prepare("viewer");
live({ own: true });
const id = new URLSearchParams(location.search).get("match") ?? "";
const replay = id ? await attempt(() => get(`/api/matches/${encodeURIComponent(id)}/replay`)) : null;
if (replay?.moments.length) await begin(replay);
else {
  fill($("#caption"), h("p", {}, t("replay.none")));
  fill($("#slider"), h("a", { class: "button primary", href: "/scores" }, t("scores.past")));
  $(".replay-grid").hidden = true;
}

/** @param {import("./answers").ReplayAnswer} replay */
async function begin({ match, started, moments }) {
  await know(match.players);
  wear(await edition(match.edition));
  fill($("#when"), matchLabel({ started, players: match.players }));
  const tape = new Tape(moments.length, PACE, (place) => show(place));
  const field = h("input", {
    type: "range",
    id: "moment",
    min: "0",
    max: String(moments.length - 1),
    value: "0",
    "aria-label": t("replay.move"),
    oninput: (event) => tape.go(Number(event.target.value)),
  });
  const counter = h("output", { for: "moment" });
  const player = h("button", { type: "button", class: "primary", id: "play", onclick: () => tape.toggle() });
  const step = (
    /** @type {number} */ by,
    /** @type {string} */ id,
    /** @type {string} */ key,
    /** @type {string} */ sign,
  ) => h("button", { type: "button", id, "aria-label": t(key), onclick: () => tape.go(tape.place + by) }, sign);
  const starts = roundStarts(moments.map(({ state }) => state.round));
  fill(
    $("#slider"),
    h(
      "div",
      { class: "slider-track" },
      starts.map(({ round, place }) =>
        h(
          "i",
          { "aria-hidden": "true", vars: { "--part": place / Math.max(1, moments.length - 1) } },
          t("replay.round", { n: round }),
        ),
      ),
      field,
    ),
    h(
      "div",
      { class: "row slider-ways" },
      step(-1, "back", "replay.back", "‹"),
      player,
      step(1, "on", "replay.on", "›"),
      counter,
    ),
  );

  const show = (/** @type {number} */ place) => {
    const { line, state } = moments[place];
    // Who joined later sits at the table from then on.
    const view = { match: { ...match, players: Object.keys(state.hands) }, state, seats: [] };
    field.value = String(place);
    counter.textContent = `${place + 1} / ${moments.length}`;
    player.textContent = t(tape.isPlaying ? "replay.pause" : "replay.play");
    fill($("#caption"), h("p", { class: "caption-lines" }, line.sentences.join(" ") || t("replay.silent")));
    fill($("#ring"), drawRing(/** @type {import("./types").Running} */ (/** @type {unknown} */ (view))));
    fill($("#top"), drawCard(state.top), state.color && colorChip(state.color));
    fill(
      $("#seen"),
      line.picture
        ? h("img", {
            src: `/api/matches/${encodeURIComponent(match.id)}/pictures/${encodeURIComponent(line.picture)}`,
            alt: t("replay.picture"),
          })
        : h("p", { class: "soft" }, t("replay.tapped")),
      h("p", { class: "small soft" }, new Date(line.time * 1000).toLocaleTimeString(document.documentElement.lang)),
    );
  };
  tape.go(0);
}
