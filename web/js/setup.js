/** Setting a match up: who plays, what is played by which rules, and what watches the pile. */

import { confirm } from "./actions.js";
import { get, post, Refused } from "./api.js";
import { attempt, worded } from "./attempt.js";
import { choices as ask } from "./choices.js";
import { drawForDealer } from "./dealer.js";
import { $, fill, h, svg, toast } from "./dom.js";
import { guide, isNew } from "./guide.js";
import { help } from "./helper.js";
import { languages, t } from "./i18n.js";
import { marking } from "./marking.js";
import { matchLabel, takeUp } from "./matches.js";
import { drawOption, pickOne } from "./options.js";
import { person } from "./people.js";
import { Picture } from "./picture.js";
import { live, prepare, voice } from "./shell.js";
import { drawSources } from "./sources.js";
import { drawTurns } from "./turns.js";

/** The choice of a profile that stands for the family's own rules. */
const OURS = "ours";

await prepare("host");
const [choices, view, { people }, { matches }, decks] = await Promise.all([
  ask(),
  get("/api/view"),
  get("/api/people"),
  get("/api/matches"),
  get("/api/decks"),
]);
const last = choices.last;
const form = $("#setup");
/** Whether a match would be broken off by another one. */
const running = view.state !== null && !view.state.winners.length;

/** @type {string[]} */
const players = last.players ?? ["", ""];
let dealer = /** @type {string | null} */ (last.dealer ?? null);
const wish = {
  edition: last.edition ?? choices.editions[0].name,
  profile: last.profile ?? choices.profiles[0].name,
  /** @type {Record<string, boolean | number | string>} */
  options: last.options ?? {},
  ours: last.ours ?? false,
  language: last.language ?? document.documentElement.lang,
  turns: last.turns ?? "camera",
};

drawResume();
const playersPlace = h("div", { class: "stack" });
const cameraPlace = h("div", { class: "stack" });
const picturePlace = h("div", { class: "preview", hidden: true });
const picture = new Picture(picturePlace);
const gamePlace = h("div", { class: "stack" });
const wrong = h("p", { class: "warn", role: "alert", id: "setup-wrong" });
fill(
  form,
  h(
    "div",
    { class: "setup-grid" },
    h(
      "section",
      { class: "panel stack", "aria-labelledby": "players-title" },
      h("h2", { id: "players-title" }, t("setup.players")),
      playersPlace,
    ),
    h(
      "section",
      { class: "panel stack", "aria-labelledby": "game-title" },
      h("h2", { id: "game-title", class: "visually-hidden" }, t("setup.game")),
      gamePlace,
      h(
        "details",
        { class: "fold", id: "camera-fold" },
        h("summary", {}, t("setup.camera")),
        h(
          "div",
          { class: "stack" },
          cameraPlace,
          picturePlace,
          learntDeck(),
          h("a", { href: "/deck", id: "deck-link" }, t("setup.deck")),
        ),
      ),
    ),
  ),
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
drawGame();
drawPlayers();
live({
  view: (now) => picture.health(now.camera),
  frame: (frame) => {
    picture.show(frame);
    picturePlace.hidden = false;
  },
});
const [overlay, marks] = [h("canvas", { "aria-hidden": "true" }), h("canvas", { "aria-hidden": "true" })];
picturePlace.querySelector(".live")?.append(overlay, marks);
help(
  picturePlace,
  overlay,
  () =>
    !picturePlace.hidden &&
    (picturePlace.closest("#guide") !== null || /** @type {HTMLDetailsElement} */ ($("#camera-fold")).open),
  () => picture.gone,
);
picturePlace.append(marking(marks));
// Whoever set a match up here before knows the way, whatever browser it was.
if (isNew() && !last.players)
  guide($("#guide"), { camera: cameraPlace, picture: picturePlace, done: () => fields()[0]?.focus() });
await drawSources(cameraPlace, {
  simulated: true,
  none: true,
  again: true,
  chosen: () => {
    picturePlace.hidden = true;
  },
});

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

/** Which learnt deck is read with, where there are any; a choice holds at once. */
function learntDeck() {
  let { chosen } = decks;
  return (
    decks.decks.length > 0 &&
    h(
      "label",
      { class: "field" },
      t("deck.decks"),
      h(
        "select",
        {
          id: "learnt-deck",
          onchange: async (event) => {
            const now = await attempt(() => post("/api/decks/choose", { name: event.target.value || null }));
            if (now) chosen = now.chosen;
            event.target.value = chosen ?? "";
          },
        },
        h("option", { value: "" }, t("deck.without")),
        decks.decks.map((one) =>
          h(
            "option",
            { value: one.name, selected: one.name === chosen },
            t("deck.one", { name: one.name, cards: one.cards, faces: one.faces }),
          ),
        ),
      ),
    )
  );
}

/** @param {{ name: string, title: string }} one @returns {[string, string]} */
function pair({ name, title }) {
  return [name, title];
}

/** What an option is now: as chosen here, as the profile has it, as the edition has it. @param {string} name */
function optionValue(name) {
  const edition = choices.editions.find((one) => one.name === wish.edition) ?? choices.editions[0];
  const profile = choices.profiles.find((one) => one.name === wish.profile) ?? choices.profiles[0];
  return wish.options[name] ?? profile.sets[name] ?? edition.defaults[name];
}

function drawGame() {
  const option = (/** @type {import("./answers").OptionAnswer} */ one) =>
    drawOption(one, optionValue(one.name), (value) => {
      wish.options = { ...wish.options, [one.name]: value };
      wish.ours = true;
      drawGame();
    });
  // Without points there is nothing to play to.
  const apt = choices.options.filter((one) => one.name !== "target" || optionValue("scoring") !== "single-round");
  const mine = wish.ours || last.our_rules;
  fill(
    gamePlace,
    pickOne("edition", t("setup.edition"), choices.editions.map(pair), wish.edition, (value) => {
      wish.edition = value;
      drawGame();
    }),
    pickOne(
      "profile",
      t("setup.profile"),
      [...choices.profiles.map(pair), ...(mine ? [pair({ name: OURS, title: t("setup.ours") })] : [])],
      wish.ours ? OURS : wish.profile,
      (value) => {
        if (value !== OURS) wish.profile = value;
        wish.options = value === OURS ? { ...(last.our_rules ?? wish.options) } : {};
        wish.ours = value === OURS;
        drawGame();
      },
    ),
    h(
      "details",
      { class: "fold", id: "house-fold" },
      h("summary", {}, t("setup.house")),
      h("div", { class: "options" }, apt.filter((one) => one.house).map(option)),
    ),
    h(
      "details",
      { class: "fold", id: "rules-fold" },
      h("summary", {}, t("setup.rules")),
      h("div", { class: "options" }, apt.filter((one) => !one.house).map(option)),
    ),
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
          h(
            "select",
            {
              id: "language",
              onchange: (event) => {
                wish.language = event.target.value;
              },
            },
            languages().map(([code, name]) => h("option", { value: code, selected: code === wish.language }, name)),
          ),
        ),
        drawTurns(wish.turns, (turns) => {
          wish.turns = turns;
        }),
      ),
    ),
  );
}

function drawPlayers(focus = -1) {
  const known = Object.keys(people).filter((name) => !players.includes(name));
  const full = players.filter((name) => name.trim()).length >= choices.most_players;
  fill(
    playersPlace,
    h("p", { class: "soft small" }, t("setup.players.help")),
    known.length > 0 &&
      h(
        "div",
        { class: "row known-people", role: "group", "aria-label": t("setup.known") },
        known.slice(0, 12).map((name) =>
          h(
            "button",
            {
              type: "button",
              class: "small-button",
              "data-known": name,
              disabled: full,
              onclick: () => {
                const free = players.findIndex((one) => !one.trim());
                if (free >= 0) players[free] = name;
                else players.push(name);
                drawPlayers();
              },
            },
            person(name),
          ),
        ),
      ),
    h(
      "ol",
      { class: "players" },
      players.map((name, seat) => playerRow(name, seat)),
    ),
    players.length < choices.most_players &&
      h(
        "button",
        {
          type: "button",
          id: "add-player",
          onclick: () => {
            players.push("");
            drawPlayers(players.length - 1);
          },
        },
        t("setup.add"),
      ),
    h(
      "details",
      { class: "fold", id: "dealer-fold" },
      h("summary", {}, t("setup.dealer"), ": ", dealer ?? t("setup.dealer.last")),
      h(
        "div",
        { class: "row" },
        h(
          "label",
          { class: "field grow" },
          h("span", { class: "visually-hidden" }, t("setup.dealer")),
          h("select", {
            id: "dealer",
            onchange: (event) => {
              dealer = event.target.value || null;
              drawPlayers();
            },
          }),
        ),
        h("button", { type: "button", onclick: randomDealer }, t("setup.dealer.random")),
        h("button", { type: "button", onclick: cardDealer }, t("setup.dealer.cards")),
      ),
      h("div", { id: "dealer-cards", class: "stack" }),
    ),
  );
  drawDealer();
  if (focus >= 0) fields()[focus]?.focus();
}

/** The fields of the names. @returns {NodeListOf<HTMLInputElement>} */
function fields() {
  return playersPlace.querySelectorAll(".players input");
}

/** Offers the players named so far as dealers. */
function drawDealer() {
  const named = players.map((name) => name.trim()).filter(Boolean);
  if (dealer !== null && !named.includes(dealer)) dealer = null;
  fill(
    $("#dealer"),
    h("option", { value: "" }, t("setup.dealer.last")),
    named.map((name) => h("option", { value: name, selected: name === dealer }, name)),
  );
}

/** @param {string} name @param {number} seat */
function playerRow(name, seat) {
  const shift = (/** @type {number} */ to) => {
    if (to < 0 || to >= players.length) return;
    players.splice(to, 0, ...players.splice(seat, 1));
    drawPlayers(to);
  };
  const label = t("setup.player", { seat: seat + 1 });
  return h(
    "li",
    {
      class: "player-row",
      "data-key": `seat-${seat}`,
      draggable: true,
      ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", String(seat)),
      ondragover: (/** @type {Event} */ event) => event.preventDefault(),
      ondrop: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        const from = Number(event.dataTransfer?.getData("text/plain"));
        players.splice(seat, 0, ...players.splice(from, 1));
        drawPlayers();
      },
    },
    h("input", {
      value: name,
      maxlength: "24",
      "aria-label": label,
      placeholder: label,
      oninput: (event) => {
        players[seat] = event.target.value;
        fill(wrong);
      },
      onchange: drawDealer,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.altKey && event.key === "ArrowUp") shift(seat - 1);
        if (event.altKey && event.key === "ArrowDown") shift(seat + 1);
        if (event.key === "Enter") {
          event.preventDefault();
          nextName(seat);
        }
      },
    }),
    h(
      "button",
      {
        type: "button",
        class: "quiet icon",
        "aria-label": t("setup.up", { seat: seat + 1 }),
        disabled: seat === 0,
        onclick: () => shift(seat - 1),
      },
      svg('<path d="m6 15 6-6 6 6" fill="none" stroke="currentColor" stroke-width="2.4"/>'),
    ),
    h(
      "button",
      {
        type: "button",
        class: "quiet icon",
        "aria-label": t("setup.remove", { seat: seat + 1 }),
        disabled: players.length <= choices.least_players,
        onclick: () => {
          players.splice(seat, 1);
          drawPlayers();
        },
      },
      svg('<path d="m6 6 12 12M18 6 6 18" stroke="currentColor" stroke-width="2.4"/>'),
    ),
  );
}

/** Goes on to the next name: Enter in a field starts no match. @param {number} seat */
function nextName(seat) {
  if (seat + 1 < players.length) fields()[seat + 1].focus();
  else if (players[seat].trim() && players.length < choices.most_players) {
    players.push("");
    drawPlayers(players.length - 1);
  } else $("#start").focus();
}

function randomDealer() {
  const named = players.filter((name) => name.trim());
  if (!named.length) return;
  dealer = named[Math.floor(Math.random() * named.length)];
  drawPlayers();
  toast(t("setup.dealer.is", { player: dealer }));
}

/** The highest card drawn deals. */
function cardDealer() {
  const named = players.map((name) => name.trim()).filter(Boolean);
  if (named.length < 2) return;
  drawForDealer($("#dealer-cards"), named, (player) => {
    dealer = player;
    drawPlayers();
  });
}

/** @param {Event} event */
async function start(event) {
  event.preventDefault();
  const named = players.map((name) => name.trim()).filter(Boolean);
  const twice = named.find((name, i) => named.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== i);
  if (named.length < choices.least_players || twice) {
    fill(wrong, twice ? t("setup.twice", { player: twice }) : t("setup.toofew", { count: choices.least_players }));
    fields()[twice ? players.lastIndexOf(twice) : named.length]?.focus();
    return;
  }
  if (running && !(await confirm(t("setup.replace"), t("setup.start")))) return;
  try {
    await post("/api/match", /** @type {import("./answers").MatchBody} */ ({ ...wish, players: named, dealer }));
    location.assign("/table");
  } catch (error) {
    fill(wrong, error instanceof Refused ? worded(error) : t("offline"));
  }
}
