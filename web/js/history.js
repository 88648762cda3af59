/**
 * The history of rulings, line by line, with player and source; a line opens its picture and alternatives, and takes
 * corrections.
 */

import { confirm } from "./actions.js";
import { post, Refused } from "./api.js";
import { attempt, may, worded } from "./attempt.js";
import { drawCard, handCards, shape } from "./card.js";
import { ofLine, playIn, showReplay } from "./clip.js";
import { ask, fill, h } from "./dom.js";
import { cardName, colorName, t } from "./i18n.js";
import { mark, person } from "./people.js";
import { pickCard } from "./picker.js";
import { handAddress } from "./scan-address.js";
import { colorOf, colors, isWild } from "./signs.js";

/** Why a card is refused that may be let stand all the same. */
const MISFITS = new Set(["does-not-match", "does-not-stack"]);

/** Moves of which it may be mistaken whose they were. */
const WHOSE = new Set(["play", "draw", "pass", "flip"]);

/** Moves that may be held to have been made when none was. */
const DROPPED = new Set(["play", "draw", "pass", "flip"]);

/** Moves that lay a card, before which another one may have been laid that nobody saw. */
const LAID = new Set(["play", "flip"]);

/** @param {HTMLElement} place @param {import("./types").Running} view @param {import("./shell.js").Me} me */
export function drawHistory(place, view, me) {
  if (!view.history.length) return fill(place, h("li", { class: "soft" }, t("history.none")));
  fill(
    place,
    [...view.history]
      .reverse()
      .map((line) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "line", "data-n": line.n, onclick: () => openLine(line, view, me) },
            h("span", { class: "line-n" }, line.n),
            h(
              "span",
              { class: "line-card" },
              line.move.card ? drawCard(line.move.card, { decorative: true }) : line.player ? mark(line.player) : null,
            ),
            h(
              "span",
              { class: "line-text" },
              line.player && !named(line) && h("strong", { class: "line-who" }, line.player, ": "),
              what(line) && h("strong", {}, what(line), line.sentences.length ? ". " : ""),
              line.sentences.join(" "),
            ),
            h("span", { class: `line-by by-${line.read_by}` }, known(line)),
          ),
        ),
      ),
  );
}

/**
 * What was done, where the sentences do not say it themselves.
 * @param {import("./answers").LineAnswer} line
 */
function what(line) {
  if (line.move.card) return cardName(line.move.card);
  return line.sentences.length ? "" : t(`move.${line.move.do}`);
}

/**
 * Whether the line's own words begin with its player.
 * @param {import("./answers").LineAnswer} line
 */
const named = (line) => !line.move.card && !!line.player && !!line.sentences[0]?.startsWith(line.player);

/**
 * How it is known who it was, where anybody was it; else what it was read by.
 * @param {import("./answers").LineAnswer} line
 */
function known(line) {
  return line.player && line.known ? t(`known.${line.known}`) : t(`by.${line.read_by}`);
}

/**
 * Replaces a move. A card that does not match stands only where that is confirmed. Where later moves become illegal,
 * the page says so first, with how the table would be without them.
 * @param {number} n @param {import("./answers").MoveBody} move
 */
async function amend(n, move) {
  const found = await attempt(async () => {
    try {
      return await post("/api/amend/preview", { n, move });
    } catch (error) {
      if (!(error instanceof Refused && MISFITS.has(error.code)) || move.force) throw error;
      return error;
    }
  });
  if (found === null) return;
  if (found instanceof Refused) {
    if (await confirm(worded(found), t("act.force"))) await amend(n, { ...move, force: true });
    return;
  }
  if (found.dropped.length) {
    const { top, turn } = found.state;
    const text = [
      t("amend.dropped", { count: found.dropped.length, first: found.dropped[0] }),
      found.why,
      top && turn && t("amend.after", { card: cardName(top), player: turn }),
    ]
      .filter(Boolean)
      .join(" ");
    if (!(await confirm(text, t("amend.drop")))) return;
  }
  await attempt(() => post("/api/amend", { n, move, drop: found.dropped.length > 0 }));
}

/**
 * Shows what a ruling was based on, and takes a correction.
 * @param {import("./answers").LineAnswer} line
 * @param {import("./types").Running} view
 * @param {import("./shell.js").Me} me
 */
async function openLine(line, view, me) {
  const corrects = may(me.role, "player");
  const hand = line.move.do === "hand" ? line.move : null;
  const replay = h(
    "div",
    {},
    line.picture
      ? h("img", {
          class: "ruling-picture",
          src: `/api/pictures/${encodeURIComponent(line.picture)}`,
          alt: t("history.picture"),
        })
      : h("p", { class: "soft" }, t("history.nopicture")),
  );
  if (corrects && line.read_by !== "tap") playIn(replay, ofLine(line));
  const answer = await ask(
    t("history.ruling", { n: line.n }),
    (close) =>
      h(
        "div",
        { class: "stack" },
        h(
          "p",
          {},
          line.player && h("strong", {}, mark(line.player), " ", !named(line) && `${line.player}: `),
          what(line) && h("strong", {}, what(line), line.sentences.length ? ". " : "."),
          line.sentences.join(" "),
        ),
        h(
          "p",
          { class: "small soft" },
          [
            ...new Set([t(`by.${line.read_by}`), ...(line.player && line.known ? [t(`known.${line.known}`)] : [])]),
          ].join(" · "),
        ),
        replay,
        corrects &&
          line.picture &&
          line.move.card &&
          h("button", { type: "button", "data-act": "check", onclick: () => close("check") }, t("clip.check")),
        hand && (hand.cards ? handCards(hand.cards) : h("p", {}, t("scan.points", { count: hand.points }))),
        corrects &&
          line.move.card &&
          h(
            "button",
            { type: "button", class: "primary", id: "amend", onclick: () => close("amend") },
            t("history.amend"),
          ),
        corrects &&
          line.player &&
          WHOSE.has(line.move.do) &&
          h(
            "fieldset",
            {},
            h("legend", {}, t("history.who")),
            h(
              "div",
              { class: "row" },
              view.match.players
                .filter((player) => player !== line.player)
                .map((player) =>
                  h(
                    "button",
                    { type: "button", "data-who": player, onclick: () => close({ who: player }) },
                    person(player),
                  ),
                ),
            ),
          ),
        corrects &&
          line.move.do === "play" &&
          view.history.find((other) => other.n === line.n - 1)?.move.do !== "draw" &&
          h("button", { type: "button", class: "quiet", id: "drew", onclick: () => close("drew") }, t("history.drew")),
        corrects &&
          LAID.has(line.move.do) &&
          h(
            "button",
            { type: "button", class: "quiet", id: "missed", onclick: () => close("missed") },
            t("history.missed"),
          ),
        corrects &&
          DROPPED.has(line.move.do) &&
          h("button", { type: "button", class: "quiet", id: "drop", onclick: () => close("drop") }, t("history.drop")),
        corrects &&
          hand &&
          h(
            "a",
            {
              class: "button primary",
              id: "amend-hand",
              href: handAddress(hand.player, line.n),
            },
            t("history.hand"),
          ),
        corrects &&
          line.move.do === "color" &&
          h(
            "fieldset",
            {},
            h("legend", {}, t("history.color")),
            h(
              "div",
              { class: "picker-colors" },
              colors().map((color) =>
                h(
                  "button",
                  {
                    type: "button",
                    class: `chip-${color}`,
                    "aria-pressed": color === line.move.color,
                    onclick: () => close({ ...line.move, color }),
                  },
                  shape(color),
                  colorName(color),
                ),
              ),
            ),
          ),
      ),
    t("close"),
  );
  if (answer === "check") {
    const correct = (/** @type {string} */ card) => card !== line.move.card && amend(line.n, { ...line.move, card });
    return showReplay({ ...ofLine(line), correct }, { check: true });
  }
  if (answer?.color && answer.color !== line.move.color) await amend(line.n, answer);
  if (answer?.who) await attempt(() => post("/api/who", { n: line.n, player: answer.who }));
  if (answer === "drew") await attempt(() => post("/api/drew", { n: line.n }));
  if (answer === "drop") await attempt(() => post("/api/drop", { n: line.n }));
  if (answer !== "amend" && answer !== "missed") return;
  const color = isWild(line.move.card) ? colors()[0] : colorOf(line.move.card);
  const card = await pickCard(t(answer === "missed" ? "history.missedCard" : "history.right"), {
    edition: view.match.edition,
    color,
  });
  if (card && answer === "missed") await attempt(() => post("/api/missed", { n: line.n, card }));
  else if (card && card !== line.move.card) await amend(line.n, { ...line.move, card });
}
