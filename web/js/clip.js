/** Instant replay: plays the clip behind a line or a question, reads it again, and saves the evening's best. */

import { get, post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { ask, fill, h, pen, svg } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { moves } from "./motion.js";
import { personInk } from "./people.js";

/** How much slower than life a clip is played. */
const SLOWER = 2.5;
/** How long (ms) its last picture stays before it begins again. */
const PAUSE = 1500;
const LONGEST = 500;
/** Screens with room for a replay on the table; elsewhere it covers the page. */
const WIDE = "(min-width: 900px)";

/**
 * What is shown. load: gets the clip; check: reads it again. who, card: what is drawn into it. correct: takes another
 * card.
 * @typedef {{
 *   load: () => Promise<import("./answers").ClipAnswer>, check: () => Promise<import("./answers").SecondLookAnswer>,
 *   who?: string | null, card?: string | null, correct?: ((card: string) => unknown) | null
 * }} Shown
 */

/** The replay of an accepted move. @param {import("./answers").LineAnswer} line @returns {Shown} */
export const ofLine = ({ n, player, move }) => ({
  load: () => get(`/api/lines/${n}/replay`),
  check: () => post(`/api/lines/${n}/check`),
  who: player,
  card: move.card,
});

/**
 * The replay behind a question. answer: takes a card, null where the question is about something else.
 * @param {number} id @param {((card: string) => unknown) | null} answer @returns {Shown}
 */
export const ofQuestion = (id, answer) => ({
  load: () => get(`/api/questions/${id}/replay`),
  check: () => post(`/api/questions/${id}/check`),
  correct: answer,
});

/**
 * Puts a playing clip in place of what stands in for it, if the clip is kept.
 * @param {HTMLElement} place @param {Shown} shown @param {() => unknown} [otherwise] called if it is not
 */
export async function playIn(place, shown, otherwise) {
  const clip = await shown.load().catch(() => null);
  if (!clip) return void otherwise?.();
  const pictures = await Promise.all(clip.pictures.map(decoded));
  fill(place, screenOf(clip, pictures, shown));
}

/** @param {string} jpeg base64 */
async function decoded(jpeg) {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${jpeg}`;
  await image.decode();
  return image;
}

/**
 * A clip that plays in a loop; a tap stops it, the slider steps through it. It ends when it leaves the page.
 * @param {import("./answers").ClipAnswer} clip @param {HTMLImageElement[]} pictures @param {Shown} shown
 */
function screenOf(clip, pictures, shown) {
  const canvas = h("canvas", { width: pictures[0].naturalWidth, height: pictures[0].naturalHeight });
  const last = pictures.length - 1;
  const still = !moves();
  let place = still ? last : 0;
  let plays = !still;
  const slider = h("input", {
    type: "range",
    min: 0,
    max: last,
    value: String(place),
    "aria-label": t("clip.position"),
    oninput: () => {
      plays = false;
      place = Number(slider.value);
      draw();
    },
  });
  const draw = () => {
    drawPicture(canvas, pictures[place], clip.seconds[place] >= clip.landed ? clip.outline : null, shown);
    slider.value = String(place);
  };
  const step = () => {
    if (plays) {
      place = place === last ? 0 : place + 1;
      draw();
    }
    if (canvas.isConnected) setTimeout(step, wait());
  };
  const wait = () => {
    if (place === last) return PAUSE;
    return Math.min(LONGEST, 1000 * SLOWER * (clip.seconds[place + 1] - clip.seconds[place]));
  };
  draw();
  setTimeout(step, wait());
  const toggle = () => {
    plays = !plays;
  };
  const screen = h("button", { type: "button", class: "clip-screen", "aria-label": t("clip.pause") }, canvas);
  screen.onclick = toggle;
  return h("div", { class: "clip-player" }, screen, slider);
}

/**
 * @param {HTMLCanvasElement} canvas @param {HTMLImageElement} picture
 * @param {number[][] | null} outline fractions of the picture @param {Shown} shown
 */
function drawPicture(canvas, picture, outline, { who, card }) {
  const { width, height } = canvas;
  const brush = pen(canvas);
  brush.drawImage(picture, 0, 0, width, height);
  const ink = who ? personInk(who) : "#ffffff";
  if (outline) {
    brush.beginPath();
    for (const [x, y] of outline) brush.lineTo(x * width, y * height);
    brush.closePath();
    for (const [color, line] of /** @type {[string, number][]} */ ([
      ["rgb(20 18 14 / 80%)", width / 90],
      [ink, width / 180],
    ])) {
      brush.strokeStyle = color;
      brush.lineWidth = line;
      brush.stroke();
    }
  }
  const words = [who, card && cardName(card)].filter(Boolean).join(": ");
  if (!words) return;
  const size = Math.max(14, height / 14);
  brush.font = `600 ${size}px system-ui`;
  const wide = brush.measureText(words).width;
  brush.fillStyle = "rgb(20 18 14 / 78%)";
  brush.fillRect(0, height - size * 1.8, wide + size * 2, size * 1.8);
  brush.fillStyle = ink;
  brush.fillRect(0, height - size * 1.8, size / 3, size * 1.8);
  brush.fillStyle = "#ffffff";
  brush.fillText(words, size, height - size * 0.6, width - size * 2);
}

/**
 * Shows a clip large on the table, or over the page where there is none. A second look may be taken at it.
 * @param {Shown} shown @param {{ check?: boolean }} [how] check: read it again at once
 */
export function showReplay(shown, { check = false } = {}) {
  document.querySelector(".clip")?.remove();
  const place = h("div", { class: "clip-place" });
  const found = h("div", { class: "clip-found", role: "status" });
  const scene = h("section", { class: "clip", "aria-label": t("clip") });
  const end = () => scene.remove();
  const look = h("button", { type: "button", "data-act": "check" }, t("clip.check"));
  look.onclick = () => secondLook(shown, found, look, end);
  scene.append(
    place,
    found,
    h("div", { class: "row" }, look, h("button", { type: "button", class: "quiet", onclick: end }, t("close"))),
  );
  const felt = matchMedia(WIDE).matches ? document.querySelector(".table-page .felt") : null;
  (felt ?? document.body).append(scene);
  look.focus({ preventScroll: true });
  playIn(place, shown, () => {
    fill(found, t("clip.gone"));
    look.hidden = true;
  });
  if (check) look.click();
}

/**
 * Reads the clip again and shows what it says; a card that it shows can be taken at a tap.
 * @param {Shown} shown @param {HTMLElement} found @param {HTMLButtonElement} look @param {() => void} end
 */
async function secondLook(shown, found, look, end) {
  look.disabled = true;
  fill(found, t("clip.checking"));
  const answer = await attempt(shown.check);
  look.disabled = false;
  if (!answer) return fill(found);
  const take = (/** @type {string} */ card) => async () => {
    end();
    await shown.correct?.(card);
  };
  fill(
    found,
    h("p", {}, answer.cards.length ? t("clip.read", { count: answer.pictures }) : t("clip.nothing")),
    h(
      "div",
      { class: "row" },
      answer.cards.map(({ card, share }) => {
        const words = t("clip.share", { card: cardName(card), percent: Math.round(100 * share) });
        return shown.correct
          ? h("button", { type: "button", "data-card": card, onclick: take(card) }, words)
          : h("strong", { "data-card": card }, words);
      }),
    ),
  );
}

/**
 * What makes a tap on the caption play what it says, null where the camera did not see it.
 * @param {import("./types").Running} view @param {import("./shell.js").Me} me
 */
export function captionReplay({ ruling, history }, me) {
  const line = ruling && history.find((one) => one.n === ruling.n);
  if (!line || ruling.read_by !== "camera" || !may(me.role, "player")) return null;
  return h(
    "button",
    { type: "button", class: "quiet clip-button", "data-act": "clip", onclick: () => showReplay(ofLine(line)) },
    svg('<path d="M7 5v14l12-7z" fill="currentColor"/>'),
    h("span", {}, t("clip")),
  );
}

/** The button to the evening's best, for who may watch it. @param {import("./shell.js").Me} me */
export const bestButton = (me) =>
  may(me.role, "player") &&
  h("button", { type: "button", class: "quiet small-button", "data-act": "best", onclick: showBest }, t("clip.best"));

/** Lists the evening's best moments, which can be saved as one animated picture. */
async function showBest() {
  const found = await attempt(() => get("/api/replays/best"));
  if (!found) return;
  const { moments } = found;
  const address = "/api/replays/best.webp";
  await ask(
    t("clip.best"),
    () =>
      h(
        "div",
        { class: "stack" },
        moments.length === 0 && h("p", { class: "soft" }, t("clip.best.none")),
        h(
          "ul",
          {},
          moments.map(({ kind, player: who, card, amount }) =>
            h(
              "li",
              {},
              h("strong", {}, t(`clip.best.${kind}`, { count: amount })),
              " ",
              [who, card && cardName(card)].filter(Boolean).join(": "),
            ),
          ),
        ),
        moments.length > 0 && h("img", { class: "ruling-picture", src: address, alt: t("clip.best") }),
        moments.length > 0 &&
          h("a", { class: "button primary", id: "save-best", href: address, download: "best.webp" }, t("clip.save")),
        h("p", { class: "small soft" }, t("clip.memory")),
      ),
    t("close"),
  );
}
