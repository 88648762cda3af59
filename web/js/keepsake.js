/**
 * A match as one picture to keep or to send: winner, race or chart, awards. Drawn by the page without any request.
 */

import { h, toast } from "./dom.js";
import { t } from "./i18n.js";
import { matchLabel } from "./matches.js";
import { know, personInk, personShape } from "./people.js";

const WIDTH = 1080;
const EDGE = 56;
const ROW = 84;
const LINE = 46;
const CHART = 380;
/** From how many rounds on there is a chart. */
const LINE_ROUNDS = 3;
/** How long a browser may take to fetch the picture from its own memory. */
const KEPT_SECONDS = 60;

/**
 * Buttons that save the picture, and hand it on where the device can.
 * @param {import("./answers").ScoresAnswer} match
 */
export function keepButtons(match) {
  const shares = navigator.canShare?.({ files: [new File([new Uint8Array(1)], "match.png", { type: "image/png" })] });
  return [
    h("button", { type: "button", class: "small-button", "data-act": "keep", onclick: () => save(match) }, t("keep")),
    shares &&
      h(
        "button",
        { type: "button", class: "small-button", "data-act": "send", onclick: () => send(match) },
        t("keep.send"),
      ),
  ];
}

const nameOf = (/** @type {import("./answers").ScoresAnswer} */ match) => `match-${match.id}.png`;

/** @param {import("./answers").ScoresAnswer} match */
async function save(match) {
  const address = URL.createObjectURL(await picture(match));
  const link = h("a", { href: address, download: nameOf(match), hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_SECONDS * 1000);
}

/** @param {import("./answers").ScoresAnswer} match */
async function send(match) {
  try {
    await navigator.share({ files: [new File([await picture(match)], nameOf(match), { type: "image/png" })] });
  } catch (error) {
    // Who closes the sheet has changed their mind; anything else is no reason to go without the picture.
    if (/** @type {Error} */ (error).name === "AbortError") return;
    toast(t("keep.saved"));
    await save(match);
  }
}

/** The standings, the best first; who left comes last. @param {import("./answers").ScoresAnswer} match */
function standings(match) {
  const sign = match.scoring === "low-total" ? 1 : -1;
  const rank = (/** @type {string} */ player) =>
    match.winners.includes(player) ? 0 : match.left.includes(player) ? 2 : 1;
  return [...match.players].sort((a, b) => rank(a) - rank(b) || sign * (match.scores[a] - match.scores[b]));
}

/** Draws a match. @param {import("./answers").ScoresAnswer} match @returns {Promise<Blob>} a PNG */
async function picture(match) {
  await know(match.players);
  const order = standings(match);
  const points = match.scoring !== "single-round";
  const charts = points && match.totals.length >= LINE_ROUNDS;
  const height = 190 + order.length * ROW + (charts ? CHART + 60 : 0) + match.awards.length * LINE + 110;
  const canvas = h("canvas", { width: String(WIDTH), height: String(height) });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const style = getComputedStyle(document.documentElement);
  const ink = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const write = (
    /** @type {string} */ text,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {{ size?: number, weight?: number, color?: string, align?: CanvasTextAlign, most?: number }} */ {
      size = 30,
      weight = 400,
      color = "--ink",
      align = "left",
      most = WIDTH - 2 * EDGE,
    } = {},
  ) => {
    pen.font = `${weight} ${size}px system-ui, "Noto Sans", sans-serif`;
    pen.fillStyle = ink(color);
    pen.textAlign = align;
    pen.fillText(text, x, y, most);
  };
  const shape = (
    /** @type {string} */ player,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ size,
  ) => {
    pen.save();
    pen.translate(x, y);
    pen.scale(size / 20, size / 20);
    pen.fillStyle = personInk(player);
    // The shapes are our own markup: one path each.
    const markup = personShape(player);
    const [, path] = /** @type {RegExpMatchArray} */ (markup.match(/ d="([^"]+)"/));
    pen.fill(new Path2D(path), markup.includes("evenodd") ? "evenodd" : "nonzero");
    pen.restore();
  };
  pen.fillStyle = ink("--paper");
  pen.fillRect(0, 0, WIDTH, height);
  const [when] = matchLabel(match).split(" · ");
  write(match.over ? `★ ${match.winners.join(", ")}` : t("scores.title"), EDGE, 92, { size: 52, weight: 700 });
  write(when, EDGE, 142, { color: "--soft" });

  let y = 190;
  const most = Math.max(1, ...order.map((player) => match.scores[player]));
  for (const player of order) {
    pen.fillStyle = ink("--raised");
    pen.fillRect(EDGE, y, WIDTH - 2 * EDGE, ROW - 12);
    if (points) {
      pen.globalAlpha = 0.28;
      pen.fillStyle = personInk(player);
      pen.fillRect(EDGE, y, (WIDTH - 2 * EDGE) * Math.max(0, match.scores[player] / most), ROW - 12);
      pen.globalAlpha = 1;
    }
    shape(player, EDGE + 18, y + 18, 36);
    write(player, EDGE + 74, y + 47, { size: 34, weight: 650, most: 520 });
    const note = match.left.includes(player)
      ? t("comings.left")
      : match.winners.includes(player)
        ? t("scores.winner")
        : "";
    write(note, WIDTH - EDGE - 200, y + 46, { size: 26, color: "--soft", align: "right", most: 260 });
    if (points)
      write(String(match.scores[player]), WIDTH - EDGE - 24, y + 50, { size: 42, weight: 700, align: "right" });
    y += ROW;
  }
  if (charts) {
    y += 40;
    drawChart(pen, match, { y, ink });
    y += CHART + 20;
  }
  y += 40;
  for (const { kind, players, amount } of match.awards) {
    for (const [i, player] of players.slice(0, 3).entries()) shape(player, EDGE + i * 34, y - 24, 28);
    const x = EDGE + Math.min(3, players.length) * 34 + 12;
    write(`${players.join(", ")}: ${t(`award.${kind}`, { count: amount })}`, x, y, { most: WIDTH - x - EDGE });
    y += LINE;
  }
  write(t("brand"), EDGE, height - 36, { size: 24, color: "--soft" });
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (/** @type {Blob | null} */ blob) => (blob ? resolve(blob) : reject(new Error("no picture"))),
      "image/png",
    ),
  );
}

/**
 * The totals as lines.
 * @param {CanvasRenderingContext2D} pen
 * @param {import("./answers").ScoresAnswer} match
 * @param {{ y: number, ink: (name: string) => string }} where
 */
function drawChart(pen, match, { y, ink }) {
  const most = Math.max(1, ...match.totals.flatMap((total) => Object.values(total)));
  const at = (/** @type {number} */ round, /** @type {number} */ value) =>
    /** @type {[number, number]} */ ([
      EDGE + (round / match.totals.length) * (WIDTH - 2 * EDGE),
      y + CHART * (1 - value / most),
    ]);
  pen.lineJoin = "round";
  pen.strokeStyle = ink("--line");
  pen.lineWidth = 2;
  for (const value of [0, most / 2, most]) {
    pen.beginPath();
    pen.moveTo(...at(0, value));
    pen.lineTo(...at(match.totals.length, value));
    pen.stroke();
  }
  for (const player of match.players) {
    pen.strokeStyle = pen.fillStyle = personInk(player);
    pen.lineWidth = 6;
    pen.beginPath();
    pen.moveTo(...at(0, 0));
    for (const [round, total] of match.totals.entries()) pen.lineTo(...at(round + 1, total[player]));
    pen.stroke();
    match.totals.forEach((total, round) => {
      pen.beginPath();
      pen.arc(...at(round + 1, total[player]), 8, 0, 2 * Math.PI);
      pen.fill();
    });
  }
}
