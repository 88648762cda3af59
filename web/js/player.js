/** A player's own page: whether it is their turn, and what they can tap. */

import { actions, buttons } from "./actions.js";
import { get } from "./api.js";
import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { mark, personColor } from "./people.js";
import { drawQuestion } from "./question.js";
import { drawRace } from "./race.js";
import { drawRing } from "./ring.js";
import { rulesButton } from "./rules.js";
import { live, prepare } from "./shell.js";
import { drawCaption, drawPile } from "./stage.js";
import { endScene, playScene } from "./theatre.js";
import { drawAsk } from "./verbs.js";
import { keepAwake } from "./wake.js";

const me = await prepare("player");
if (!me.player && me.role === "player" && me.players.length) location.replace("/join");
/** Whether a camera looks on: without one nobody sees cards drawn, so no debts are shown at the seats. */
const watched = (await get("/api/camera").catch(() => null))?.source != null;
let mine = false;
/** What is shown; the match's own parts are there whenever it is drawn. @type {import("./types").Running} */
let view;
keepAwake();
addEventListener("keydown", (event) => event.key === "Escape" && endScene());

live({
  view: (now) => {
    view = /** @type {import("./types").Running} */ (now);
    draw();
  },
  update: playScene,
});

function draw() {
  const { match, state } = view;
  fill(
    $("#who"),
    me.player
      ? h(
          "p",
          { class: "row spread" },
          h("span", { class: "person" }, mark(me.player), h("span", {}, t("player.as", { player: me.player }))),
          h(
            "span",
            { class: "row" },
            match && rulesButton(),
            h("a", { href: "/join", class: "small" }, t("player.change")),
          ),
        )
      : h("a", { class: "button", href: "/join" }, t("join.who")),
  );
  document.body.classList.toggle("no-match", match === null);
  if (match === null) {
    document.body.classList.remove("my-turn");
    fill($("#turn"), h("p", { class: "turn-word" }, t("table.none")));
    for (const id of ["caption", "actions", "questions", "ring", "top", "race"]) fill($(`#${id}`));
    return;
  }
  const now = state.turn !== null && state.turn === me.player;
  if (now && !mine && "vibrate" in navigator) navigator.vibrate([120, 60, 120]);
  mine = now;
  document.body.classList.toggle("my-turn", now);
  if (me.player) document.body.style.setProperty("--mine", personColor(me.player));
  document.title = `${now ? "● " : ""}${t("nav.player")} · ${t("brand")}`;
  const word = state.winners.length
    ? t("player.over", { players: state.winners.join(", ") })
    : now
      ? t("player.now")
      : state.next === me.player
        ? t("player.next")
        : state.turn
          ? t("player.wait", { player: state.turn })
          : view.prompt;
  fill(
    $("#turn"),
    h("p", { class: "turn-word" }, word),
    now && state.phase !== "turn" && h("p", { class: "soft" }, view.prompt),
    me.player &&
      me.player in state.hands &&
      h("p", { class: "soft" }, t("player.cards", { count: state.hands[me.player] })),
  );
  drawPile(state);
  drawCaption(view, { next: false });
  fill(
    $("#questions"),
    view.questions.map((question) => drawQuestion(question, view, me)),
    drawAsk(view, me, true),
  );
  fill($("#actions"), buttons(actions(view, me, true), "big"));
  fill($("#ring"), drawRing(view, { owing: watched }));
  fill(
    $("#race"),
    match.scoring === "single-round" ? null : drawRace({ ...match, scores: state.scores, winners: state.winners }),
  );
}
