/** What was ruled, line by line, with who it was and how it is known; a line opens what it rests on and takes corrections. */

import { post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { COLORS, drawCard, handCards, shape } from "./card.js";
import { ask, fill, h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { mark } from "./people.js";
import { pickCard } from "./picker.js";

/** @param {HTMLElement} place @param {import("./types").Running} view @param {import("./shell.js").Me} me */
export function drawHistory(place, view, me) {
  if (!view.history.length) return fill(place, h("li", { class: "soft" }, t("history.none")));
  fill(place, [...view.history].reverse().map((line) => h("li", {},
    h("button", { type: "button", class: "line", "data-n": line.n, onclick: () => openLine(line, view, me) },
      h("span", { class: "line-n" }, line.n),
      h("span", { class: "line-card" }, line.move.card ? drawCard(line.move.card, { decorative: true }) : line.player ? mark(line.player) : null),
      h("span", { class: "line-text" }, line.player && h("strong", { class: "line-who" }, line.player, ": "),
        h("strong", {}, line.move.card ? cardName(line.move.card) : t(`move.${line.move.do}`)), line.sentences.length ? ". " : "", line.sentences.join(" ")),
      h("span", { class: `line-by by-${line.read_by}` }, t(`by.${line.read_by}`))))));
}

/** Shows what a ruling was based on, and takes a correction. @param {import("./answers").LineAnswer} line @param {import("./types").Running} view @param {import("./shell.js").Me} me */
async function openLine(line, view, me) {
  const corrects = may(me.role, "player");
  const hand = line.move.do === "hand" ? line.move : null;
  const answer = await ask(t("history.ruling", { n: line.n }), (close) => h("div", { class: "stack" },
    h("p", {}, line.player && h("strong", {}, mark(line.player), " ", line.player, ": "), h("strong", {}, line.move.card ? cardName(line.move.card) : t(`move.${line.move.do}`), ". "), line.sentences.join(" ")),
    h("p", { class: "small soft" }, t(`by.${line.read_by}`)),
    line.picture ? h("img", { class: "ruling-picture", src: `/api/pictures/${encodeURIComponent(line.picture)}`, alt: t("history.picture") }) : h("p", { class: "soft" }, t("history.nopicture")),
    hand && handCards(hand.cards),
    corrects && line.move.card && h("button", { type: "button", class: "primary", id: "amend", onclick: () => close("amend") }, t("history.amend")),
    corrects && hand && h("a", { class: "button primary", id: "amend-hand", href: `/scan?player=${encodeURIComponent(hand.player)}&n=${line.n}` }, t("history.hand")),
    corrects && line.move.do === "color" && h("fieldset", {}, h("legend", {}, t("history.color")), h("div", { class: "picker-colors" }, COLORS.map((color) =>
      h("button", { type: "button", class: `chip-${color}`, "aria-pressed": color === line.move.color, onclick: () => close({ ...line.move, color }) }, shape(color), t(`color.${color}`)))))), t("close"));
  if (answer?.color && answer.color !== line.move.color) await attempt(() => post("/api/amend", { n: line.n, move: answer }));
  if (answer !== "amend") return;
  const card = await pickCard(t("history.right"), { edition: view.match.edition, color: line.move.card.startsWith("wild") ? "red" : line.move.card.split(" ")[0] });
  if (card && card !== line.move.card) await attempt(() => post("/api/amend", { n: line.n, move: { ...line.move, card } }));
}
