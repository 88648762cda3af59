/** Setting a match up, in three steps on one screen: who plays, which deck, which camera. */

import { confirm } from "./actions.js";
import { get, post, Refused } from "./api.js";
import { worded } from "./attempt.js";
import { choices as askChoices } from "./choices.js";
import { $, fill, h } from "./dom.js";
import { Draft } from "./draft.js";
import { chooseEdition } from "./edition-choice.js";
import { t } from "./i18n.js";
import { matchLabel, takeUp } from "./matches.js";
import { drawCamera } from "./setup-camera.js";
import { drawGame } from "./setup-game.js";
import { drawPlayers } from "./setup-players.js";
import { live, prepare, voice } from "./shell.js";

await prepare("host");
const [choices, view, { people }, { matches }, decks] = await Promise.all([
  askChoices(),
  get("/api/view"),
  get("/api/people"),
  get("/api/matches"),
  get("/api/decks"),
]);
const form = $("#setup");
/** Whether a match would be broken off by another one. */
const running = view.state !== null && !view.state.winners.length;
const draft = new Draft(choices, document.documentElement.lang);
await chooseEdition(draft, new URLSearchParams(location.search).get("edition") ?? draft.edition);
const wrong = h("p", { class: "warn", role: "alert", id: "setup-wrong" });

drawResume();
const [who, deck, camera, more] = ["players", "game", "camera", "more"].map((id) =>
  h("div", { class: "stack", id: `step-${id}` }),
);
fill(
  form,
  h(
    "div",
    { class: "setup-grid" },
    step(1, t("setup.who"), who),
    step(2, t("setup.which"), deck),
    step(3, t("setup.camera"), camera),
  ),
  more,
  wrong,
  h(
    "div",
    { class: "start-row" },
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        id: "with-sound",
        checked: voice.on,
        onchange: (event) => sessionStorage.setItem("voice.on", event.target.checked ? "yes" : "no"),
      }),
      h("span", {}, t("setup.sound")),
    ),
    h("button", { class: "primary big", id: "start" }, t("setup.start")),
  ),
);
form.addEventListener("submit", start);
const players = drawPlayers(who, draft, { people: Object.keys(people), edited: () => fill(wrong) });
const game = drawGame(deck, more, draft);
const watched = drawCamera(camera, decks, (source) => {
  draft.hasCamera = source !== null;
  game.drawTurns();
});
live({ view: (now) => watched.health(now.camera), frame: watched.show });
await watched.ready;

/** @param {number} number @param {string} title @param {HTMLElement} body */
function step(number, title, body) {
  return h(
    "section",
    { class: "panel stack setup-step", "aria-labelledby": `step-${number}` },
    h("h2", { id: `step-${number}` }, h("span", { class: "step-number", "aria-hidden": "true" }, number), title),
    body,
  );
}

/** The match that runs, and those that were broken off and can be gone on with. */
function drawResume() {
  const left = matches.filter((one) => !one.over && !one.running);
  fill(
    $("#resume"),
    running &&
      h(
        "div",
        { class: "panel row spread" },
        h("p", {}, t("setup.running")),
        h("a", { class: "button primary", href: "/table" }, t("setup.continue")),
      ),
    left.length > 0 &&
      h(
        "details",
        { class: "panel fold", open: !running && left.length === 1, id: "broken-off" },
        h("summary", {}, t("setup.unfinished", { count: left.length })),
        h(
          "ul",
          { class: "plain past" },
          left.map((one) => h("li", { "data-key": one.id }, h("span", {}, matchLabel(one)), takeUp(one))),
        ),
      ),
  );
}

/** @param {Event} event */
async function start(event) {
  event.preventDefault();
  const { fault, named } = draft;
  if (fault) {
    const twice = "twice" in fault;
    fill(wrong, twice ? t("setup.twice", { player: fault.twice }) : t("setup.toofew", { count: fault.fewer }));
    players.focus(twice ? draft.players.lastIndexOf(fault.twice) : named.length);
    return;
  }
  if (running && !(await confirm(t("setup.replace"), t("setup.start")))) return;
  try {
    await post("/api/match", draft.body);
    location.assign("/table");
  } catch (error) {
    fill(wrong, error instanceof Refused ? worded(error) : t("offline"));
  }
}
