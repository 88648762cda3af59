/** The table page: the shared screen of the game. */

import { actions, acts, buttons, choosing, correctCount, lay, laying, move } from "./actions.js";
import { get, post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { deckOf } from "./choices.js";
import { bestButton, captionReplay } from "./clip.js";
import { comeAndGo } from "./comings.js";
import { $, fill, h } from "./dom.js";
import { drawHistory } from "./history.js";
import { t } from "./i18n.js";
import { drawPalette } from "./palette.js";
import { mark } from "./people.js";
import { Picture } from "./picture.js";
import { drawQuestion } from "./question.js";
import { drawPodium, drawRace } from "./race.js";
import { drawRing } from "./ring.js";
import { rulesButton } from "./rules.js";
import { handAddress } from "./scan-address.js";
import { live, prepare } from "./shell.js";
import { animate, drawCaption, drawPile } from "./stage.js";
import { endScene, offerChoice, playRace, playScene } from "./theatre.js";
import { drawAsk } from "./verbs.js";
import { keepAwake } from "./wake.js";

/** The calls that may come at any moment: they stand below the cards, so that no card moves under a finger. */
const CALLS = /^(uno|catch|creeper)-/;
/** Whether this is the page for a television, which is a stage all the time. */
const TV = document.body.dataset.page === "tv";

const me = await prepare("viewer");
const picture = new Picture($("#live"));
/** What is shown; the match's own parts are there whenever it is drawn. @type {import("./types").Running} */
let view;
/** Whether a camera looks on: without one the cards lie open, to be tapped. */
let watched = false;
/** Who was tapped as the one who acted, where it is not who is on turn. @type {string | null} */
let acting = null;
/** @type {Record<string, number>} */
let deck = {};
/** The match that is over, with what was odd about it. @type {import("./answers").ScoresAnswer | null} */
let ended = null;

await nameCamera();
keepAwake();
fill(
  $("#stage"),
  rulesButton(),
  h(
    "button",
    { type: "button", class: "quiet small-button", id: "full", "aria-pressed": false, onclick: toggleStage },
    t("stage"),
  ),
  h(
    "button",
    { type: "button", class: "quiet small-button", id: "drawer", "aria-expanded": true, onclick: toggleDrawer },
    t("drawer.close"),
  ),
  TV
    ? h("a", { class: "button quiet small-button", href: "/table" }, t("nav.table"))
    : h("a", { class: "button quiet small-button", id: "tv", href: "/tv" }, t("tv.title")),
);
stage(TV);
document.addEventListener("fullscreenchange", () => stage(TV || document.fullscreenElement !== null));

// Another width has room for other words.
addEventListener("resize", () => view?.match && drawCaption(view, { beside: captionReplay(view, me) }));
addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || !view?.match) return;
  if (event.key === "Escape") {
    endScene();
    if (acting !== null) {
      acting = null;
      draw();
    }
  }
  if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector('#back [data-act="undo"]'))?.click();
  }
});

live({
  view: async (now) => {
    const another = now.match?.id !== view?.match?.id;
    if (another || now.state?.turn !== view?.state?.turn) acting = null;
    if (now.match && another) deck = await deckOf(now.match.edition);
    const before = another ? null : view;
    view = /** @type {import("./types").Running} */ (now);
    if (!view.state?.winners.length) ended = null;
    else if (ended?.id !== view.match.id)
      ended = await attempt(() => get(`/api/matches/${encodeURIComponent(view.match.id)}`));
    draw();
    if (!before?.state || !view.state) return;
    animate(before, view);
    if (view.state.winners.length && !before.state.winners.length)
      (await import("./celebration.js")).celebrate($("#podium"), view.state.top);
  },
  update: (update) => {
    playScene(update);
    if (update.kind === "camera") nameCamera().then(() => view && draw());
  },
  frame: (frame) => picture.show(frame),
});

async function nameCamera() {
  const camera = await get("/api/camera").catch(() => null);
  if (!camera) return;
  watched = camera.source !== null;
  $("#camera-panel").hidden = !watched;
  document.body.classList.toggle("watched", watched);
  picture.name(camera.trouble ?? camera.name);
}

/** @param {boolean} on */
function stage(on) {
  document.body.classList.toggle("on-stage", on);
  const full = on && (!TV || document.fullscreenElement !== null);
  $("#full").setAttribute("aria-pressed", String(full));
  $("#full").textContent = t(full ? "stage.leave" : "stage");
}

/** Puts the controls beside the stage away, or shows them again. */
function toggleDrawer() {
  const shut = document.body.classList.toggle("drawer-shut");
  $("#drawer").setAttribute("aria-expanded", String(!shut));
  $("#drawer").textContent = t(shut ? "drawer.open" : "drawer.close");
}

/** The table alone on the whole screen, or as a page again. */
function toggleStage() {
  const on = $("#full").getAttribute("aria-pressed") !== "true";
  if (!TV) stage(on);
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
}

/** What a camera that is held back waits for. @param {import("./answers").ViewAnswer} shown */
function held(shown) {
  if (shown.camera.hold === "lesson")
    return h("p", { class: "panel warn notice-line", role: "status" }, t("held.lesson"));
  const last = shown.history.at(-1)?.time;
  const time = last ? new Date(last * 1000).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" }) : "";
  const goOn = () => attempt(() => post("/api/camera/go-on"));
  return h(
    "div",
    { class: "panel warn row spread", role: "status" },
    h("span", {}, t("held.ask", { players: shown.match?.players.join(", ") ?? "", time })),
    h("button", { type: "button", class: "primary", id: "go-on", onclick: goOn }, t("held.go")),
  );
}

function draw() {
  const { match, state } = view;
  document.body.classList.toggle("no-match", match === null);
  if (match === null) {
    fill(
      $("#caption"),
      h("span", {}, t("table.none")),
      may(me.role, "host") && h("a", { class: "button primary", href: "/" }, t("nav.setup")),
    );
    for (const id of [
      "top",
      "ring",
      "actions",
      "calls",
      "history",
      "questions",
      "prompt",
      "palette",
      "back",
      "podium",
      "race",
      "best",
    ])
      fill($(`#${id}`));
    return;
  }
  const over = state.winners.length > 0;
  document.body.classList.toggle("is-over", over);
  drawCaption(view, { beside: captionReplay(view, me) });
  const news = [...view.notices.map((notice) => notice.sentence), ...picture.trouble(view.camera)];
  if (view.camera.other_deck) news.push(t("helper.other deck"));
  fill(
    $("#notices"),
    [...new Set(news)].map((sentence) => h("p", { class: "panel warn notice-line", role: "status" }, sentence)),
  );
  if (view.camera.hold && may(me.role, "player")) $("#notices").append(held(view));
  fill(
    $("#questions"),
    view.questions.map((question) => drawQuestion(question, view, me)),
    drawAsk(view, me),
  );
  drawPile(state);
  fill(
    $("#ring"),
    drawRing(view, {
      owing: watched,
      tap: me.role === "host" && !over ? tapSeat : null,
      acting,
      awaited: [...view.legal.targets, ...view.legal.hand],
    }),
  );
  drawActing();
  drawHistory($("#history"), view, me);
  fill($("#best"), watched && bestButton(me));
  picture.health(view.camera);
  const race = match.scoring !== "single-round";
  $("#race-panel").hidden = !race;
  if (race) fill($("#race"), drawRace({ ...match, scores: state.scores, winners: state.winners }));
  fill($("#podium"), over && ended ? drawPodium(ended) : null);
  offerChoice(choosing(view, me));
  playRace(view);
}

/** A tap on a seat means that this one acted, or is meant. @param {string} player */
function tapSeat(player) {
  const { legal, state } = view;
  if (legal.targets.includes(player)) return void move({ do: "target", player });
  if (legal.hand.includes(player)) return void location.assign(handAddress(player));
  if (!legal.in_round) return;
  acting = acting === player || player === state.turn ? null : player;
  draw();
}

/** What may be tapped: for who is on turn, or for who was tapped. */
function drawActing() {
  const { legal, state } = view;
  const cardsOpen =
    !watched &&
    legal.asked === null &&
    may(me.role, "player") &&
    (acting !== null || acts(legal, me)) &&
    (acting !== null || ["start", "flip"].includes(state.phase) || legal.cards.length > 0);
  fill($("#prompt"), acting === null ? null : [mark(acting), t("acting.what", { player: acting })]);
  const all = actions(view, me, false, cardsOpen);
  // Before the first round it is rare; after one it is the moment for it.
  if (legal.seating && me.role === "host")
    all.push({
      id: "comings",
      label: t("comings"),
      class: "quiet",
      rare: state.round === 1,
      do: () => comeAndGo(view),
    });
  const back = all.filter((one) => ["undo", "redo"].includes(one.id));
  const rare = all.filter((one) => one.rare);
  const calls = all.filter((one) => CALLS.test(one.id));
  const aside = new Set([...back, ...rare, ...calls]);
  fill($("#actions"), buttons(acting === null ? all.filter((one) => !aside.has(one)) : actingButtons(acting)));
  fill($("#calls"), buttons(calls));
  fill($("#back"), buttons(back));
  fill(
    $("#palette"),
    cardsOpen
      ? drawPalette({
          deck,
          fits: acting !== null || laying(state) !== "play" ? new Set(Object.keys(deck)) : new Set(legal.cards),
          tap: async (card, color) => {
            const by = acting;
            if (await lay(view, card, { color, by })) acting = null;
          },
        })
      : null,
  );
  $("#more").hidden = rare.length === 0 && me.role !== "host";
  fill(
    $("#rare"),
    buttons(rare),
    me.role === "host" &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-act": "seats",
          onclick: () => attempt(async () => (await import("./seating.js")).seatPeople(view)),
        },
        t("seats"),
      ),
    me.role === "host" &&
      state.turn &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-act": "change-turn",
          onclick: () => attempt(async () => (await import("./leaving.js")).changePlayer(view, state.turn ?? "")),
        },
        mark(state.turn),
        t("leaving"),
      ),
    me.role === "host" &&
      !state.winners.length &&
      view.match.scoring !== "single-round" &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-act": "retarget",
          onclick: () => attempt(async () => (await import("./leaving.js")).changeTarget(view)),
        },
        t("leaving.target"),
      ),
    me.role === "host" && legal.in_round
      ? view.match.players.map((player) =>
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              "data-act": `count-${player}`,
              onclick: () => correctCount(player, state.hands[player]),
            },
            mark(player),
            t("act.count", { player }),
          ),
        )
      : null,
  );
}

/** @param {string} player @returns {import("./actions.js").Action[]} */
function actingButtons(player) {
  const done = (/** @type {import("./answers").TapBody} */ body) => async () => {
    if (await move(body)) acting = null;
    draw();
  };
  const { legal, state } = view;
  /** @type {import("./actions.js").Action[]} */
  const found = [];
  if (legal.uno.includes(player) && !state.called.includes(player))
    found.push({ id: "acting-uno", label: t("act.uno.own"), class: "primary", do: done({ do: "uno", player }) });
  if (legal.catch.includes(player))
    found.push({
      id: "acting-catch",
      label: t("act.catch", { player }),
      class: "warning",
      do: done({ do: "catch", player }),
    });
  if (legal.draw) found.push({ id: "acting-draw", label: t("act.draw"), do: done({ do: "draw", by: player }) });
  found.push({
    id: "acting-count",
    label: t("act.count", { player }),
    do: () => correctCount(player, state.hands[player]),
  });
  if (legal.wrong_uno.includes(player))
    found.push({ id: "acting-wrong-uno", label: t("act.uno.wrong"), do: done({ do: "uno", player }) });
  if (me.role === "host")
    found.push({
      id: "acting-change",
      label: t("leaving"),
      class: "quiet",
      do: async () => {
        if (await (await import("./leaving.js")).changePlayer(view, player)) acting = null;
        draw();
      },
    });
  found.push({
    id: "acting-end",
    label: t("cancel"),
    class: "quiet",
    do: () => {
      acting = null;
      draw();
    },
  });
  return found;
}
