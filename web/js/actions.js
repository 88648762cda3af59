/** The buttons for what a camera cannot see: only those that apply now, and only to who may tap them. */

import { post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { shape } from "./card.js";
import { ask, dialogForm, h } from "./dom.js";
import { cardName, colorName, t } from "./i18n.js";
import { mark } from "./people.js";
import { pickCard } from "./picker.js";
import { challengeAddress, handAddress } from "./scan-address.js";
import { colors } from "./signs.js";

/**
 * @typedef {{ label: string, icon?: Node, class?: string, id: string, rare?: boolean, do: () => unknown }} Action
 *   rare: whether it lies behind "More"
 */

/** How many cards a wild draw four gives where debts are not stacked. */
const WILD_DRAW_FOUR = 4;
/** How many cards more a challenger draws who was wrong. */
const LOST_CHALLENGE = 2;

/** How many moves were taken back on this page since the last move: so many can be made again. */
let undone = 0;

/** Makes a move. @param {import("./answers").TapBody} move */
export async function move(move) {
  undone = 0;
  return attempt(() => post("/api/moves", move));
}

/**
 * Whether this device may act for who is to act.
 * @param {import("./answers").LegalAnswer | null} legal
 * @param {import("./shell.js").Me} me
 * @param {boolean} own
 */
export function acts(legal, me, own = false) {
  return legal !== null && ((me.role === "host" && !own) || (me.player !== null && legal.actor === me.player));
}

/**
 * What laying a card is called now: turning up the first, turning one up by an item box, or playing.
 * @param {import("./answers").StateAnswer} state
 * @returns {"start" | "flip" | "play"}
 */
export function laying(state) {
  return state.phase === "start" || state.phase === "flip" ? state.phase : "play";
}

/**
 * Lays a card; one that does not fit only where that is really meant.
 * @param {import("./types").Running} view
 * @param {string} card
 * @param {{ color?: import("./types").Color | null, by?: string | null }} [more]
 *   color: chosen with a wild at once; by: who laid it, where that is not who is on turn
 * @returns {Promise<boolean>} whether it was laid
 */
export async function lay(view, card, { color = null, by = null } = {}) {
  const what = laying(view.state);
  const fits = what !== "play" || by !== null || view.legal.cards.includes(card);
  if (!fits && !(await confirm(t("act.illegal"), t("act.force")))) return false;
  return !!(await move({
    do: what,
    card,
    ...(fits ? {} : { force: true }),
    ...(by === null ? {} : { by }),
    ...(color ? { also: { do: "color", color } } : {}),
  }));
}

/**
 * Asks for a card and lays it.
 * @param {import("./types").Running} view
 * @param {string} title
 * @param {string | null} [by]
 */
async function pickAndLay(view, title, by = null) {
  const card = await pickCard(title, { edition: view.match.edition, color: view.state.color });
  if (card) await lay(view, card, { by });
}

/**
 * Enters a card that is shown as it is drawn.
 * @param {import("./types").Running} view @param {string} player @param {string} title
 */
async function show({ legal, match }, player, title) {
  const [only] = legal.shows;
  const card =
    legal.shows.length === 1 ? only : await pickCard(title, { edition: match.edition, allowed: new Set(legal.shows) });
  if (card) await move({ do: "show", player, card });
}

/** Draws and passes in one. */
const drawAndPass = () => move({ do: "draw", also: { do: "pass" } });

/**
 * Returns what may be tapped now.
 * @param {import("./types").Running} view @param {import("./shell.js").Me} me
 * @param {boolean} own whether only this device's player's buttons are wanted
 * @param {boolean} palette whether the cards lie open beside the buttons
 * @returns {Action[]}
 */
export function actions(view, me, own = false, palette = false) {
  const { legal, state } = view;
  if (!legal || !state || !may(me.role, "player")) return [];
  const host = me.role === "host" && !own;
  const mayAct = acts(legal, me, own);
  const mine = (/** @type {string} */ player) => host || player === me.player;
  /** @type {Action[]} */
  const found = [];
  const add = (
    /** @type {string} */ id,
    /** @type {string} */ label,
    /** @type {() => unknown} */ run,
    /** @type {Partial<Action>} */ more = {},
  ) => found.push({ id, label, do: run, ...more });
  if (state.phase === "start" && !palette)
    add("start", t("act.start"), () => pickAndLay(view, t("act.start")), { class: "primary" });
  if (state.phase === "flip" && mayAct && !palette)
    add("flip", t("act.flip"), () => pickAndLay(view, t("act.flip")), { class: "primary" });
  found.push(...choosing(view, me, own));
  if (legal.draw && mayAct) {
    add("draw", t("act.draw"), () => move({ do: "draw" }), { class: palette ? "" : "primary" });
    if (palette && state.phase === "turn") add("draw-pass", t("act.drawpass"), drawAndPass, { class: "primary" });
  }
  if (legal.can_pass && mayAct) add("pass", t("act.pass"), () => move({ do: "pass" }), { class: "primary" });
  if (legal.answer && mayAct) {
    const stake = legal.debt || WILD_DRAW_FOUR;
    add("accept", t("act.accept", { count: stake }), () => move({ do: "accept" }));
    add("challenge", t("act.challenge", { count: stake + LOST_CHALLENGE }), () => move({ do: "challenge" }), {
      class: "primary",
    });
  } else if (legal.take && mayAct) {
    add("accept", t("act.take", { count: legal.debt }), () => move({ do: "accept" }), { class: "primary" });
  }
  if (legal.reveal && (host || state.challenger === me.player)) {
    add("reveal", t("act.reveal"), () => location.assign(challengeAddress()), { class: "primary" });
    add("guilty", t("act.guilty", { player: state.challenger ?? "" }), () => move({ do: "reveal", guilty: true }));
    add("innocent", t("act.innocent", { player: state.challenger ?? "" }), () => move({ do: "reveal", guilty: false }));
  }
  const jump = legal.jump;
  const second = me.player !== null && legal.doubler === me.player;
  if (jump && own && me.player && legal.jumpers.includes(me.player))
    add(
      "jump",
      t(second ? "act.double" : "act.jump", { card: cardName(jump) }),
      () => move({ do: "play", card: jump, by: me.player }),
      {
        class: "warning",
      },
    );
  for (const player of legal.uno) {
    if (!state.called.includes(player) && mine(player)) {
      add(`uno-${player}`, own ? t("act.uno.own") : t("act.uno", { player }), () => move({ do: "uno", player }), {
        class: "primary",
      });
    }
  }
  for (const player of legal.catch) {
    if (host || player !== me.player)
      add(`catch-${player}`, t("act.catch", { player }), () => move({ do: "catch", player }), { class: "warning" });
  }
  for (const player of legal.creeper) {
    const what = legal.shows.length === 1 ? cardName(legal.shows[0]) : t("act.shown");
    if (mine(player)) add(`creeper-${player}`, t("act.show", { player, card: what }), () => show(view, player, what));
  }
  for (const player of legal.hand)
    add(`hand-${player}`, t("act.hand", { player }), () => location.assign(handAddress(player)), {
      class: "primary",
      icon: mark(player),
    });
  if (["turn", "drawn", "debt"].includes(state.phase) && mayAct && !palette)
    add("play", t("act.play"), () => pickAndLay(view, t("act.play")), { class: "quiet" });
  if (state.phase === "over" && host) {
    add("rematch", t("act.rematch"), () => attempt(() => post("/api/match/rematch")), { class: "primary" });
    add("new", t("setup.title"), () => location.assign("/"));
  }
  const last = view.history.at(-1);
  if (last || view.questions.length)
    add(
      "undo",
      last && !view.questions.length ? t("act.undo.what", { what: summaryOf(last) }) : t("act.undo"),
      () => undo(view),
      { class: "quiet" },
    );
  if (undone > 0) add("redo", t("act.redo"), redo, { class: "quiet" });
  if (legal.reshuffle && host)
    add("reshuffle", t("act.reshuffle"), () => move({ do: "reshuffle" }), { class: "quiet", rare: true });
  if (state.top && legal.in_round && !own)
    add("take-back", t("act.takeback"), () => attempt(() => post("/api/take-back")), { class: "quiet", rare: true });
  return found;
}

/**
 * What must be chosen before play goes on: a colour, or whom something hits.
 * @param {import("./types").Running} view
 * @param {import("./shell.js").Me} me
 * @param {boolean} [own]
 * @returns {Action[]}
 */
export function choosing(view, me, own = false) {
  const { legal } = view;
  if (!legal || !may(me.role, "player") || !acts(legal, me, own)) return [];
  return [
    ...(legal.color
      ? colors().map((color) => ({
          id: `color-${color}`,
          label: colorName(color),
          class: `chip-${color}`,
          icon: shape(color),
          do: () => move({ do: "color", color }),
        }))
      : []),
    ...legal.targets.map((/** @type {string} */ player) => ({
      id: `target-${player}`,
      label: aimed(view, player),
      icon: mark(player),
      do: () => move({ do: "target", player }),
    })),
  ];
}

/**
 * What naming this player comes to; what it is for stands in the prompt.
 * @param {import("./types").Running} view @param {string} player
 */
function aimed({ legal }, player) {
  if (legal.aim?.verb === "swap") return t("act.swap", { player });
  if (legal.aim?.verb === "draw" && legal.aim.count) return t("act.target", { player, count: legal.aim.count });
  return player;
}

/** Draws the buttons. @param {Action[]} found @param {string} [size] */
export function buttons(found, size = "") {
  return found.map((action) =>
    h(
      "button",
      { type: "button", class: `${action.class ?? ""} ${size}`, "data-act": action.id, onclick: action.do },
      action.icon,
      action.label,
    ),
  );
}

/** What a line of the history was, in a few words. @param {import("./answers").LineAnswer} line */
function summaryOf(line) {
  const what = line.move.card
    ? cardName(line.move.card)
    : line.move.color
      ? colorName(line.move.color)
      : t(`move.${line.move.do}`);
  return line.player ? t("act.who", { player: line.player, what }) : what;
}

/**
 * Takes the last move back; across the end of a round only where that is really meant.
 * @param {import("./types").Running} view
 */
async function undo(view) {
  const last = view.history.at(-1);
  const scored = !view.questions.length && last?.effects.some((one) => one.effect === "score");
  if (scored && !(await confirm(t("act.undo.round"), t("act.undo")))) return;
  // The new view may be here before the answer.
  undone += 1;
  if ((await attempt(() => post(scored ? "/api/undo?scored=true" : "/api/undo"))) === null) undone -= 1;
}

/** Makes the move again that was taken back last. */
async function redo() {
  undone -= 1;
  if ((await attempt(() => post("/api/redo"))) === null) undone = 0;
}

/** Asks whether something is really meant. @param {string} text @param {string} yes @returns {Promise<boolean>} */
export async function confirm(text, yes) {
  const answer = await ask(
    t("confirm"),
    (close) =>
      h(
        "div",
        { class: "stack" },
        h("p", {}, text),
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "primary", onclick: () => close(true) }, yes),
        ),
      ),
    t("cancel"),
  );
  return answer === true;
}

/** Corrects how many cards a player holds. @param {string} player @param {number} believed */
export async function correctCount(player, believed) {
  const count = await ask(
    t("count.title", { player }),
    (close) => {
      const field = h("input", {
        type: "number",
        min: "0",
        max: "108",
        value: believed,
        "aria-label": t("count.title", { player }),
      });
      return dialogForm(
        () => close(Number(field.value)),
        field,
        h("div", { class: "row end" }, h("button", { class: "primary" }, t("save"))),
      );
    },
    t("close"),
  );
  if (count !== null && count !== believed) await move({ do: "count", player, cards: count });
}
