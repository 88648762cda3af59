/** The players around a ring, with who is on turn, who is next, and which way play goes. */

import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

/**
 * @param {any} view @param {((player: string, count: number) => void) | null} onCount what a tap on a count does
 */
export function drawRing(view, onCount) {
  const { state, match } = view;
  const clockwise = state.direction === "clockwise";
  const players = /** @type {string[]} */ (match.players);
  const ring = h("ol", { class: `ring ${players.length > 6 ? "crowded" : ""}`, "aria-label": t(clockwise ? "ring.clockwise" : "ring.counterclockwise") });
  players.forEach((player, seat) => {
    const angle = (seat / players.length) * 2 * Math.PI - Math.PI / 2;
    const turn = state.turn === player;
    const next = state.next === player && !turn;
    const count = state.hands[player];
    ring.append(h("li", { class: `seat ${turn ? "turn" : ""} ${next ? "next" : ""}`, "data-player": player, vars: { "--x": Math.cos(angle).toFixed(4), "--y": Math.sin(angle).toFixed(4) } },
      h("span", { class: "seat-name" }, player),
      h("button", { type: "button", class: "seat-count quiet", disabled: onCount === null, "aria-label": t("ring.cards", { player, count }), onclick: () => onCount?.(player, count) },
        fan(count), h("span", {}, count)),
      h("span", { class: "seat-tag" }, [
        turn && t("ring.turn"), next && t("ring.next"), state.dealer === player && t("ring.dealer"), state.called.includes(player) && "UNO",
      ].filter(Boolean).join(" · "))));
  });
  const arrow = svg(clockwise
    ? '<path d="M50 10A40 40 0 0 1 90 50M50 90A40 40 0 0 1 10 50" /><path d="m82 42 8 10 8-10M18 58 10 48 2 58"/>'
    : '<path d="M50 10A40 40 0 0 0 10 50M50 90A40 40 0 0 0 90 50" /><path d="m2 42 8 10 8-10M98 58 90 48 82 58"/>', "-4 -4 108 108");
  arrow.classList.add("ring-arrow");
  return h("div", { class: "ring-box" }, arrow, h("p", { class: "ring-way" }, t(clockwise ? "ring.clockwise" : "ring.counterclockwise")), ring);
}

/** A little fan of cards. @param {number} count */
function fan(count) {
  const shown = Math.min(count, 3);
  const cards = Array.from({ length: shown }, (_, i) => `<rect x="8" y="4" width="9" height="14" rx="1.6" transform="rotate(${(i - (shown - 1) / 2) * 18} 12 22)" fill="var(--raised)" stroke="currentColor" stroke-width="1.6"/>`);
  return svg(cards.join(""));
}
