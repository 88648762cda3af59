/** The table page: what all look at. */

import { actions, buttons, correctCount } from "./actions.js";
import { get, post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { COLORS, colorChip, drawCard, handCards, shape } from "./card.js";
import { $, ask, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { pickCard } from "./picker.js";
import { Picture } from "./picture.js";
import { drawQuestion } from "./question.js";
import { drawRing } from "./ring.js";
import { live, prepare } from "./shell.js";
import { playItem } from "./theatre.js";

const me = await prepare("viewer");
const picture = new Picture($("#live"));
/** @type {any} */
let view = null;
/** Up to which ruling the caption tells. @type {number | null} */
let told = null;

live({
  view: (now) => {
    view = now;
    draw();
  },
  update: (update) => {
    if (update.sentences.length && update.kind !== "camera") {
      fill($("#caption"), update.sentences.map((/** @type {string} */ sentence) => h("span", {}, sentence)));
      told = update.ruling?.n ?? told;
    }
    playItem(update);
    if (update.kind === "camera") nameCamera();
  },
  frame: (frame) => picture.show(frame),
});

async function nameCamera() {
  const camera = await get("/api/camera");
  picture.name(camera.trouble ?? camera.name);
}

function draw() {
  const { match, state } = view;
  document.body.classList.toggle("no-match", match === null);
  if (match === null) {
    fill($("#caption"), h("span", {}, t("table.none")), may(me.role, "host") && h("a", { class: "button primary", href: "/" }, t("nav.setup")));
    for (const id of ["top", "ring", "actions", "history", "questions", "prompt"]) fill($(`#${id}`));
    return;
  }
  caption();
  const news = [...view.notices.map((/** @type {any} */ notice) => notice.sentence), ...picture.trouble(view.camera)];
  fill($("#notices"), [...new Set(news)].map((sentence) => h("p", { class: "panel warn notice-line", role: "status" }, sentence)));
  fill($("#questions"), view.questions.map((/** @type {any} */ question) => drawQuestion(question, view, me)));
  fill($("#top"), drawCard(state.top), h("div", { class: "in-force" },
    state.color ? [h("span", { class: "soft" }, t("table.color")), colorChip(state.color)] : h("span", { class: "soft" }, t("table.nocolor"))));
  const host = me.role === "host" && view.legal.in_round;
  fill($("#ring"), drawRing(view, host ? correctCount : null));
  fill($("#prompt"), view.prompt);
  fill($("#actions"), buttons(actions(view, me)));
  drawHistory();
  picture.health(view.camera);
}

/** Says in the largest words what was ruled last: of a card that nothing follows from, its name and who is next. */
function caption() {
  const { ruling, history } = view;
  const same = ruling && told === ruling.n;
  if (same && $("#caption").textContent && !$("#caption a")) return;
  told = ruling?.n ?? null;
  const card = history.at(-1)?.move.card;
  const said = ruling?.sentences.length || !card ? ruling?.sentences ?? [] : [capital(`${cardName(card)}.`), view.prompt];
  fill($("#caption"), said.map((/** @type {string} */ sentence) => h("span", {}, sentence)));
}

const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

function drawHistory() {
  const lines = [...view.history].reverse();
  fill($("#history"), lines.map((line) => h("li", {},
    h("button", { type: "button", class: "line", "data-n": line.n, onclick: () => openLine(line) },
      h("span", { class: "line-n" }, line.n),
      line.move.card ? h("span", { class: "line-card" }, drawCard(line.move.card, { decorative: true })) : h("span", { class: "line-card" }),
      h("span", { class: "line-text" }, line.move.card ? h("strong", {}, cardName(line.move.card)) : h("strong", {}, t(`move.${line.move.do}`)), " ", line.sentences.join(" ")),
      h("span", { class: `line-by by-${line.read_by}` }, t(`by.${line.read_by}`))))));
  if (!lines.length) fill($("#history"), h("li", { class: "soft" }, t("history.none")));
}

/** Shows what a ruling was based on, and takes a correction. @param {any} line */
async function openLine(line) {
  const corrects = may(me.role, "player");
  const hand = line.move.do === "hand" ? line.move : null;
  const answer = await ask(t("history.ruling", { n: line.n }), (close) => h("div", { class: "stack" },
    h("p", {}, line.move.card ? h("strong", {}, cardName(line.move.card), ". ") : null, line.sentences.join(" ")),
    line.picture ? h("img", { class: "ruling-picture", src: `/api/pictures/${encodeURIComponent(line.picture)}`, alt: t("history.picture") }) : h("p", { class: "soft" }, t("history.nopicture")),
    hand && handCards(hand.cards),
    corrects && line.move.card && h("button", { type: "button", class: "primary", id: "amend", onclick: () => close("amend") }, t("history.amend")),
    corrects && hand && h("a", { class: "button primary", id: "amend-hand", href: `/scan?player=${encodeURIComponent(hand.player)}&n=${line.n}` }, t("history.hand")),
    corrects && line.move.do === "color" && h("fieldset", {}, h("legend", {}, t("history.color")), h("div", { class: "picker-colors" }, COLORS.map((color) =>
      h("button", { type: "button", class: `chip-${color}`, "aria-pressed": color === line.move.color, onclick: () => close({ ...line.move, color }) }, shape(color), t(`color.${color}`)))))), t("close"));
  if (answer?.color && answer.color !== line.move.color) await attempt(() => post("/api/amend", { n: line.n, move: answer }));
  if (answer !== "amend") return;
  const card = await pickCard(t("history.right"), { edition: view.match.edition, color: line.move.card.split(" ")[0] === "wild" ? "red" : line.move.card.split(" ")[0] });
  if (card && card !== line.move.card) await attempt(() => post("/api/amend", { n: line.n, move: { ...line.move, card } }));
}

await nameCamera();
