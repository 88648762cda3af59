/** The players around the pile: who is on turn, who is next, and the direction of play. */

import { h, svg } from "./dom.js";
import { t } from "./i18n.js";
import { mark, personColor } from "./people.js";

/** Minimum confidence of an arm's direction for the ring to follow it, from 0 to 1. */
const SURE = 0.5;
/** The least part of an even share of the ring that lies between two neighbours, so that their seats can be read. */
const LEAST = 0.62;

/**
 * Where each player sits, in degrees clockwise from the top: as they really sit, where the camera has learnt it of all,
 * else evenly. Neighbours who sit close are drawn a little apart.
 * @param {import("./types").Running} view @returns {number[]}
 */
export function angles({ match, seats }) {
  const { players } = match;
  const known = players.map(
    (player) => (seats ?? []).find((one) => one.player === player && one.certainty >= SURE)?.direction ?? null,
  );
  const even = players.map((_, seat) => (seat / players.length) * 360);
  if (known.some((direction) => direction === null)) return even;
  const order = players.map((_, seat) => seat).sort((a, b) => Number(known[a]) - Number(known[b]));
  const found = known.map(Number);
  const least = (360 / players.length) * LEAST;
  // A few rounds of pushing apart are enough for ten.
  for (let round = 0; round < 20; round++) {
    order.forEach((seat, i) => {
      const next = order[(i + 1) % order.length];
      const gap = (found[next] - found[seat] + 720) % 360;
      if (order.length > 1 && gap < least) {
        found[seat] -= (least - gap) / 2;
        found[next] += (least - gap) / 2;
      }
    });
  }
  return found.map((degrees) => (degrees + 360) % 360);
}

/** The exponent of the superellipse that the seats lie on: 2 is an ellipse, many a rectangle. */
const SQUARE = 4;
/** From how many players on the seats are drawn smaller, and from how many on without what is not needed. */
const [MANY, CROWD] = [5, 7];

/**
 * Draws the ring.
 * @param {import("./types").Running} view
 * @param {{ tap?: ((player: string) => void) | null, acting?: string | null, awaited?: string[],
 *   owing?: boolean }} [how]
 *   tap: what a tap on a seat does; acting: who was said to have acted; awaited: whose seats are to be tapped;
 *   owing: whether the cards that are still to be drawn are shown
 */
export function drawRing(view, how = {}) {
  const { state, match } = view;
  const clockwise = state.direction === "clockwise";
  const way = t(clockwise ? "ring.clockwise" : "ring.counterclockwise");
  const { players } = match;
  const at = angles(view);
  const size = players.length >= CROWD ? "crowded" : players.length >= MANY ? "many" : "";
  return h(
    "div",
    { class: `ring-box ${state.direction} ${size}` },
    track(),
    gaps(at).map((direction) => chevron(direction, clockwise)),
    h("p", { class: "visually-hidden" }, way),
    h(
      "ol",
      { class: "ring", "aria-label": way },
      players.map((player, seat) => {
        return drawSeat(view, player, at[seat], how);
      }),
    ),
  );
}

/**
 * Where a direction lies on the ring, as shares of half its width and height from its middle: on a rounded rectangle
 * rather than an ellipse, as its corners are free where the pile's card and colour take the middle.
 * @param {number} direction degrees clockwise from the top
 */
function place(direction) {
  const angle = (direction / 180 - 0.5) * Math.PI;
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  const out = (x ** SQUARE + y ** SQUARE) ** (-1 / SQUARE);
  return { "--x": (x * out).toFixed(4), "--y": (y * out).toFixed(4) };
}

/**
 * @param {import("./types").Running} view
 * @param {string} player
 * @param {number} direction degrees clockwise from the top
 * @param {{ tap?: ((player: string) => void) | null, acting?: string | null, awaited?: string[],
 *   owing?: boolean }} how
 */
function drawSeat({ state, match, seats }, player, direction, how) {
  const turn = state.turn === player;
  const next = state.next === player && !turn;
  const count = state.hands[player];
  const owed = (seats ?? []).find((one) => how.owing && one.player === player && one.owed > 0);
  const tags = [
    owed && t("ring.owed", { taken: owed.taken, owed: owed.owed }),
    next && t("ring.next"),
    state.dealer === player && t("ring.dealer"),
  ]
    .filter(Boolean)
    .join(" · ");
  const kind = [
    turn && "turn",
    next && "next",
    how.acting === player && "acting",
    how.awaited?.includes(player) && "awaited",
    count === 1 && "last",
  ];
  const inside = [
    h("span", { class: "seat-who" }, mark(player), h("span", { class: "seat-name" }, player)),
    h(
      "span",
      { class: "seat-count" },
      fan(count),
      h("span", { class: "visually-hidden" }, t("ring.cards", { player, count })),
      h("span", { "aria-hidden": "true" }, count),
      match.scoring !== "single-round" &&
        h("span", { class: "seat-score" }, t("ring.points", { count: state.scores[player] })),
      state.called.includes(player) && h("strong", { class: "seat-uno" }, "UNO"),
    ),
    turn && h("span", { class: "visually-hidden" }, t("ring.turn")),
    h("span", { class: "seat-tag" }, tags),
  ];
  return h(
    "li",
    {
      class: `seat ${kind.filter(Boolean).join(" ")}`,
      "data-player": player,
      "data-at": Math.round(direction) % 360,
      vars: { ...place(direction), "--color": personColor(player) },
    },
    how.tap
      ? h(
          "button",
          { type: "button", class: "seat-in", "aria-pressed": how.acting === player, onclick: () => how.tap?.(player) },
          inside,
        )
      : h("div", { class: "seat-in" }, inside),
  );
}

/**
 * The middles between neighbouring seats, in degrees clockwise from the top.
 * @param {number[]} seats directions of the seats
 */
function gaps(seats) {
  const order = [...seats].sort((a, b) => a - b);
  return order.map((direction, i) => {
    const next = order[(i + 1) % order.length] + (i + 1 === order.length ? 360 : 0);
    return ((direction + next) / 2) % 360;
  });
}

/** The path of the turn, on the same superellipse as the seats. */
function track() {
  const points = Array.from({ length: 73 }, (_, i) => {
    const at = place(i * 5);
    return `${(50 + 50 * Number(at["--x"])).toFixed(2)} ${(50 + 50 * Number(at["--y"])).toFixed(2)}`;
  });
  const element = svg(
    `<path pathLength="300" vector-effect="non-scaling-stroke" d="M${points.join("L")}Z"/>`,
    "0 0 100 100",
  );
  element.setAttribute("preserveAspectRatio", "none");
  element.classList.add("ring-track");
  return element;
}

/** @param {number} direction degrees clockwise from the top @param {boolean} clockwise */
function chevron(direction, clockwise) {
  const element = svg('<path d="m5 5 7 7-7 7M13 5l7 7-7 7"/>');
  element.classList.add("ring-chevron");
  for (const [name, value] of Object.entries(place(direction))) element.style.setProperty(name, value);
  element.style.setProperty("--along", `${Math.round(direction) + (clockwise ? 0 : 180)}deg`);
  return element;
}

/** A little fan of cards. @param {number} count */
function fan(count) {
  const shown = Math.min(count, 5);
  const cards = Array.from(
    { length: shown },
    (_, i) =>
      `<rect x="8" y="4" width="9" height="14" rx="1.6" transform="rotate(${(i - (shown - 1) / 2) * 13} 12 ` +
      `24)" fill="var(--raised)" stroke="currentColor" stroke-width="1.4"/>`,
  );
  return svg(cards.join(""));
}
