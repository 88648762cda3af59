/** The buttons for what a camera cannot see: only those that apply now, and only to who may tap them. */

import { post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { COLORS, shape } from "./card.js";
import { ask, h } from "./dom.js";
import { t } from "./i18n.js";
import { pickCard } from "./picker.js";

/** @typedef {{ label: string, icon?: any, class?: string, id: string, do: () => any }} Action */

/** Makes a move. @param {Record<string, any>} move */
export async function move(move) {
  return attempt(() => post("/api/moves", move));
}

/**
 * Returns what may be tapped now.
 * @param {any} view @param {import("./shell.js").Me} me
 * @param {boolean} own whether only this device's player's buttons are wanted
 * @returns {Action[]}
 */
export function actions(view, me, own = false) {
  const { legal, state, match } = view;
  if (!legal || !state || !may(me.role, "player")) return [];
  const host = me.role === "host" && !own;
  const acts = host || (me.player !== null && legal.actor === me.player);
  const mine = (/** @type {string} */ player) => host || player === me.player;
  /** @type {Action[]} */
  const found = [];
  const add = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => any} */ run, /** @type {any} */ more = {}) =>
    found.push({ id, label, do: run, ...more });
  const pick = async (/** @type {string} */ title, /** @type {string} */ what, strict = false) => {
    const allowed = strict ? new Set(legal.cards) : undefined;
    const card = await pickCard(title, { edition: match.edition, allowed, color: state.color });
    if (!card) return;
    const fits = legal.cards.includes(card);
    if (what === "play" && !fits && !(await confirm(t("act.illegal"), t("act.force")))) return;
    await move({ do: what, card, ...(fits ? {} : { force: true }) });
  };
  if (state.phase === "start") add("start", t("act.start"), () => pick(t("act.start"), "start"), { class: "primary" });
  if (state.phase === "flip" && acts) add("flip", t("act.flip"), () => pick(t("act.flip"), "flip"), { class: "primary" });
  if (legal.draw && acts) add("draw", t("act.draw"), () => move({ do: "draw" }), { class: "primary" });
  if (legal.can_pass && acts) add("pass", t("act.pass"), () => move({ do: "pass" }), { class: "primary" });
  if (legal.color && acts) {
    for (const color of COLORS) {
      add(`color-${color}`, t(`color.${color}`), () => move({ do: "color", color }), { class: `chip-${color}`, icon: shape(color) });
    }
  }
  if (acts) for (const player of legal.targets) add(`target-${player}`, t("act.target", { player }), () => move({ do: "target", player }));
  if (legal.answer && acts) {
    add("accept", t("act.accept"), () => move({ do: "accept" }));
    add("challenge", t("act.challenge"), () => move({ do: "challenge" }), { class: "primary" });
  }
  if (legal.reveal && (host || state.challenger === me.player)) {
    add("reveal", t("act.reveal"), () => location.assign("/scan?purpose=challenge"), { class: "primary" });
    add("guilty", t("act.guilty"), () => move({ do: "reveal", guilty: true }));
    add("innocent", t("act.innocent"), () => move({ do: "reveal", guilty: false }));
  }
  for (const player of legal.uno) {
    if (!state.called.includes(player) && mine(player)) {
      add(`uno-${player}`, own ? t("act.uno.own") : t("act.uno", { player }), () => move({ do: "uno", player }), { class: "primary" });
    }
  }
  for (const player of legal.catch) {
    if (host || player !== me.player) add(`catch-${player}`, t("act.catch", { player }), () => move({ do: "catch", player }), { class: "warning" });
  }
  for (const player of legal.creeper) {
    if (mine(player)) add(`creeper-${player}`, t("act.creeper", { player }), () => move({ do: "creeper", player }));
  }
  for (const player of legal.hand) add(`hand-${player}`, t("act.hand", { player }), () => location.assign(`/scan?player=${encodeURIComponent(player)}`), { class: "primary" });
  if (["turn", "drawn"].includes(state.phase) && acts) add("play", t("act.play"), () => pick(t("act.play"), "play"), { class: "quiet" });
  if (legal.in_round && host) add("reshuffle", t("act.reshuffle"), () => move({ do: "reshuffle" }), { class: "quiet" });
  if (state.top && legal.in_round && !own) add("take-back", t("act.takeback"), () => attempt(() => post("/api/take-back")), { class: "quiet" });
  if (state.phase === "over" && host) add("new", t("setup.title"), () => location.assign("/"), { class: "primary" });
  if (view.history_length || view.questions.length) add("undo", t("act.undo"), () => attempt(() => post("/api/undo")), { class: "quiet" });
  return found;
}

/** Draws the buttons. @param {Action[]} found @param {string} [size] */
export function buttons(found, size = "") {
  return found.map((action) => h("button", { type: "button", class: `${action.class ?? ""} ${size}`, "data-act": action.id, onclick: action.do }, action.icon, action.label));
}

/** Asks whether something is really meant. @param {string} text @param {string} yes @returns {Promise<boolean>} */
export async function confirm(text, yes) {
  const answer = await ask(t("confirm"), (close) => h("div", { class: "stack" }, h("p", {}, text),
    h("div", { class: "row end" }, h("button", { type: "button", class: "primary", onclick: () => close(true) }, yes))), t("cancel"));
  return answer === true;
}

/** Corrects how many cards a player holds. @param {string} player @param {number} believed */
export async function correctCount(player, believed) {
  const count = await ask(t("count.title", { player }), (close) => {
    const field = h("input", { type: "number", min: "0", max: "108", value: believed, "aria-label": t("count.title", { player }) });
    return h("form", { class: "stack", method: "dialog", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      close(Number(field.value));
    } }, field, h("div", { class: "row end" }, h("button", { class: "primary" }, t("save"))));
  }, t("close"));
  if (count !== null && count !== believed) await move({ do: "count", player, cards: count });
}
