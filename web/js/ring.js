/** The players around the pile, with who is on turn, who is next, and which way play goes. */

import { h, svg } from "./dom.js";
import { t } from "./i18n.js";
import { mark } from "./people.js";

/** From how many players on the seats are drawn smaller. */
const CROWD = 7;

/**
 * Draws the ring.
 * @param {import("./types").Running} view
 * @param {{ tap?: ((player: string) => void) | null, acting?: string | null, awaited?: string[] }} [how]
 *   tap: what a tap on a seat does; acting: who was said to have acted; awaited: whose seats are to be tapped
 */
export function drawRing(view, how = {}) {
  const { state, match } = view;
  const clockwise = state.direction === "clockwise";
  const way = t(clockwise ? "ring.clockwise" : "ring.counterclockwise");
  const players = /** @type {string[]} */ (match.players);
  return h("div", { class: `ring-box ${players.length >= CROWD ? "crowded" : ""}` },
    arrows(clockwise), h("p", { class: "visually-hidden" }, way),
    h("ol", { class: "ring", "aria-label": way }, players.map((player, seat) => {
      const angle = (seat / players.length) * 2 * Math.PI - Math.PI / 2;
      return drawSeat(view, player, { "--x": Math.cos(angle).toFixed(4), "--y": Math.sin(angle).toFixed(4) }, how);
    })));
}

/** @param {import("./types").Running} view @param {string} player @param {Record<string, string>} vars @param {any} how */
function drawSeat({ state, match }, player, vars, how) {
  const turn = state.turn === player;
  const next = state.next === player && !turn;
  const count = state.hands[player];
  const tags = [next && t("ring.next"), state.dealer === player && t("ring.dealer")].filter(Boolean).join(" · ");
  const kind = [turn && "turn", next && "next", how.acting === player && "acting", how.awaited?.includes(player) && "awaited", count === 1 && "last"];
  const inside = [
    h("span", { class: "seat-who" }, mark(player), h("span", { class: "seat-name" }, player)),
    h("span", { class: "seat-count" }, fan(count), h("span", { class: "visually-hidden" }, t("ring.cards", { player, count })), h("span", { "aria-hidden": "true" }, count),
      match.scoring !== "single-round" && h("span", { class: "seat-score" }, t("ring.points", { count: state.scores[player] })),
      state.called.includes(player) && h("strong", { class: "seat-uno" }, "UNO")),
    turn && h("span", { class: "visually-hidden" }, t("ring.turn")),
    h("span", { class: "seat-tag" }, tags),
  ];
  return h("li", { class: `seat ${kind.filter(Boolean).join(" ")}`, "data-player": player, vars },
    how.tap ? h("button", { type: "button", class: "seat-in", "aria-pressed": how.acting === player, onclick: () => how.tap(player) }, inside)
      : h("div", { class: "seat-in" }, inside));
}

/** Two arrows around the pile, the way that play goes. @param {boolean} clockwise */
function arrows(clockwise) {
  const arrow = svg(clockwise
    ? '<path d="M50 8A42 42 0 0 1 92 50M50 92A42 42 0 0 1 8 50"/><path d="m84 42 8 10 8-10M16 58 8 48 0 58"/>'
    : '<path d="M50 8A42 42 0 0 0 8 50M50 92A42 42 0 0 0 92 50"/><path d="m0 42 8 10 8-10M100 58 92 48 84 58"/>', "-4 -4 108 108");
  arrow.classList.add("ring-arrow");
  return arrow;
}

/** A little fan of cards. @param {number} count */
function fan(count) {
  const shown = Math.min(count, 5);
  const cards = Array.from({ length: shown }, (_, i) => `<rect x="8" y="4" width="9" height="14" rx="1.6" transform="rotate(${(i - (shown - 1) / 2) * 13} 12 24)" fill="var(--raised)" stroke="currentColor" stroke-width="1.4"/>`);
  return svg(cards.join(""));
}
