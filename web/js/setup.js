/** Setting a match up: what is played, who plays, who deals, and what watches the pile. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { $, fill, h, svg, toast } from "./dom.js";
import { LANGUAGES, cardName, t } from "./i18n.js";
import { Picture } from "./picture.js";
import { live, prepare } from "./shell.js";
import { drawSources } from "./sources.js";

await prepare("host");
const choices = await get(`/api/choices?language=${document.documentElement.lang}`);
const last = choices.last;
const form = $("#setup");

/** @type {string[]} */
let players = last.players ?? ["", ""];
let dealer = /** @type {string | null} */ (last.dealer ?? null);
const wish = {
  edition: last.edition ?? "mario-kart",
  profile: last.profile ?? "official",
  /** @type {Record<string, any>} */
  options: last.options ?? {},
  language: last.language ?? document.documentElement.lang,
  relaxed_turns: last.relaxed_turns ?? false,
};

drawResume();
const playersPlace = h("div", { class: "stack" });
const cameraPlace = h("div", { class: "stack" });
const picturePlace = h("div", { class: "preview", hidden: true });
const picture = new Picture(picturePlace);
const rulesPlace = h("div", { class: "form-grid" });
fill(form,
  h("section", { class: "panel stack" }, h("h2", {}, t("setup.game")), rulesPlace),
  h("section", { class: "panel stack" }, h("h2", {}, t("setup.players")), h("p", { class: "soft small" }, t("setup.players.help")), playersPlace),
  h("section", { class: "panel stack" }, h("h2", {}, t("setup.camera")), cameraPlace, picturePlace),
  h("button", { class: "primary big", id: "start" }, t("setup.start")));
form.addEventListener("submit", start);
drawRules();
drawPlayers();
await drawSources(cameraPlace, { simulated: true, chosen: () => { picturePlace.hidden = true; } });
live({
  view: (view) => picture.health(view.camera),
  frame: (frame) => {
    picture.show(frame);
    picturePlace.hidden = false;
  },
});

function drawResume() {
  if (choices.running) {
    fill($("#resume"), h("div", { class: "panel row spread" }, h("p", {}, t("setup.running")), h("a", { class: "button primary", href: "/table" }, t("setup.continue"))));
  } else if (choices.unfinished) {
    fill($("#resume"), h("div", { class: "panel row spread" }, h("p", {}, t("setup.unfinished")),
      h("button", { type: "button", class: "primary", id: "resume-match", onclick: async () => {
        if (await attempt(() => post("/api/match/resume", { id: choices.unfinished }))) location.assign("/table");
      } }, t("setup.resume"))));
  }
}

/** @param {string} label @param {Array<[string, string]>} options @param {string} value @param {(value: string) => void} set @param {string} id */
function choose(label, options, value, set, id) {
  return h("label", { class: "field" }, label, h("select", { id, onchange: (/** @type {any} */ event) => {
    set(event.target.value);
    drawRules();
  } }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text))));
}

/** @param {string} name @param {string} text */
function setNumber(name, text) {
  if (Number(text)) wish.options[name] = Number(text);
  else delete wish.options[name];
}

function drawRules() {
  const edition = choices.editions.find((/** @type {any} */ one) => one.name === wish.edition);
  const scoring = wish.options.scoring ?? choices.profiles.find((/** @type {any} */ one) => one.name === wish.profile).sets.scoring ?? edition.defaults.scoring;
  fill(rulesPlace,
    choose(t("setup.edition"), choices.editions.map((/** @type {any} */ one) => [one.name, one.title]), wish.edition, (value) => { wish.edition = value; }, "edition"),
    choose(t("setup.profile"), choices.profiles.map((/** @type {any} */ one) => [one.name, one.title]), wish.profile, (value) => { wish.profile = value; delete wish.options.scoring; }, "profile"),
    choose(t("setup.scoring"), choices.scorings.map((/** @type {any} */ one) => [one.value, one.title]), scoring, (value) => { wish.options.scoring = value; }, "scoring"),
    scoring !== "single-round" && h("label", { class: "field" }, t("setup.target"), h("input", { id: "target", type: "number", min: "1", max: "100000", value: wish.options.target ?? edition.defaults.target,
      onchange: (/** @type {any} */ event) => { setNumber("target", event.target.value); } })),
    h("label", { class: "field" }, t("setup.hand"), h("input", { id: "hand-size", type: "number", min: "1", max: "30", value: wish.options.hand_size ?? edition.defaults.hand_size,
      onchange: (/** @type {any} */ event) => { setNumber("hand_size", event.target.value); } })),
    choose(t("setup.language"), Object.entries(LANGUAGES), wish.language, (value) => { wish.language = value; }, "language"),
    h("label", { class: "check wide" }, h("input", { type: "checkbox", checked: wish.relaxed_turns, onchange: (/** @type {any} */ event) => { wish.relaxed_turns = event.target.checked; } }), t("setup.relaxed")));
}

function drawPlayers(focus = -1) {
  const rows = players.map((name, seat) => playerRow(name, seat));
  fill(playersPlace,
    h("ol", { class: "players" }, rows),
    players.length < 10 && h("button", { type: "button", id: "add-player", onclick: () => {
      players.push("");
      drawPlayers(players.length - 1);
    } }, t("setup.add")),
    h("div", { class: "row" },
      h("label", { class: "field grow" }, t("setup.dealer"), h("select", { id: "dealer", onchange: (/** @type {any} */ event) => { dealer = event.target.value || null; } })),
      h("button", { type: "button", class: "below", onclick: randomDealer }, t("setup.dealer.random")),
      h("button", { type: "button", class: "below", onclick: cardDealer }, t("setup.dealer.cards"))),
    h("div", { id: "dealer-cards", class: "stack" }));
  drawDealer();
  if (focus >= 0) playersPlace.querySelectorAll(".players input")[focus]?.focus();
}

/** Offers the players named so far as dealers. */
function drawDealer() {
  const named = players.map((name) => name.trim()).filter(Boolean);
  if (dealer !== null && !named.includes(dealer)) dealer = null;
  fill($("#dealer"), h("option", { value: "" }, t("setup.dealer.last")), named.map((name) => h("option", { value: name, selected: name === dealer }, name)));
}

/** @param {string} name @param {number} seat */
function playerRow(name, seat) {
  const shift = (/** @type {number} */ to) => {
    if (to < 0 || to >= players.length) return;
    players.splice(to, 0, ...players.splice(seat, 1));
    drawPlayers(to);
  };
  return h("li", { class: "player-row", draggable: true,
    ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", String(seat)),
    ondragover: (/** @type {Event} */ event) => event.preventDefault(),
    ondrop: (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const from = Number(event.dataTransfer?.getData("text/plain"));
      players.splice(seat, 0, ...players.splice(from, 1));
      drawPlayers();
    } },
  h("span", { class: "grip", "aria-hidden": "true" }, svg('<path d="M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01" stroke="currentColor" stroke-width="3" stroke-linecap="round"/>')),
  h("input", { value: name, maxlength: "24", required: true, "aria-label": t("setup.player", { seat: seat + 1 }), placeholder: t("setup.player", { seat: seat + 1 }),
    oninput: (/** @type {any} */ event) => { players[seat] = event.target.value; },
    onchange: drawDealer,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.altKey && event.key === "ArrowUp") shift(seat - 1);
      if (event.altKey && event.key === "ArrowDown") shift(seat + 1);
    } }),
  h("button", { type: "button", class: "quiet icon", "aria-label": t("setup.up", { seat: seat + 1 }), disabled: seat === 0, onclick: () => shift(seat - 1) }, svg('<path d="m6 15 6-6 6 6" fill="none" stroke="currentColor" stroke-width="2.4"/>')),
  h("button", { type: "button", class: "quiet icon", "aria-label": t("setup.remove", { seat: seat + 1 }), disabled: players.length <= 2, onclick: () => {
    players.splice(seat, 1);
    drawPlayers();
  } }, svg('<path d="m6 6 12 12M18 6 6 18" stroke="currentColor" stroke-width="2.4"/>')));
}

function randomDealer() {
  const named = players.filter((name) => name.trim());
  if (!named.length) return;
  dealer = named[Math.floor(Math.random() * named.length)];
  drawPlayers();
  toast(t("setup.dealer.is", { player: dealer }));
}

/** The highest card drawn deals: each player's card is shown to the camera in turn. */
function cardDealer() {
  const named = players.map((name) => name.trim()).filter(Boolean);
  if (named.length < 2) return;
  let drawing = named;
  /** @type {string[]} */
  let cards = [];
  const place = $("#dealer-cards");
  const draw = () => fill(place, h("p", {}, t("setup.dealer.show", { player: drawing[cards.length] })),
    h("ul", { class: "plain" }, cards.map((card, i) => h("li", {}, `${drawing[i]}: ${cardName(card)}`))),
    h("button", { type: "button", class: "primary", onclick: read }, t("setup.dealer.read")));
  const read = async () => {
    const seen = await attempt(() => post("/api/camera/look"));
    if (!seen) return;
    if (seen.cards.length !== 1) return void toast(t("setup.dealer.one", { count: seen.cards.length }));
    cards.push(seen.cards[0].card);
    if (cards.length < drawing.length) return void draw();
    const { highest } = await post("/api/dealer", { cards });
    const best = highest.map((/** @type {number} */ i) => drawing[i]);
    if (best.length === 1) {
      dealer = best[0];
      drawPlayers();
      toast(t("setup.dealer.is", { player: best[0] }));
      return;
    }
    toast(t("setup.dealer.again", { players: best.join(", ") }));
    drawing = best;
    cards = [];
    draw();
  };
  draw();
}

/** @param {Event} event */
async function start(event) {
  event.preventDefault();
  const body = { ...wish, players: players.map((name) => name.trim()).filter(Boolean), dealer };
  const started = await attempt(() => post("/api/match", body));
  if (started) location.assign("/table");
}
