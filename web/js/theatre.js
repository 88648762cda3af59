/** Scenes over the table: what the item box turned up, UNO, and the karts when a round was scored. */

import { itemIcon } from "./card.js";
import { fill, h } from "./dom.js";
import { has, t } from "./i18n.js";
import { moves, throwAt } from "./motion.js";
import { mark, personColor } from "./people.js";
import { driveRace } from "./race.js";
import { markTitle } from "./signs.js";

/** How long a scene is shown, in seconds. An item that asks for a choice stays until that is made. */
const SECONDS = { item: 1.9, uno: 1.3, race: 4 };

/** Shows one scene at a time: another one takes its place. */
class Theatre {
  constructor() {
    /** @type {HTMLElement | null} */
    this.scene = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** When the scene ends, in ms of the page. */
    this.until = 0;
    /** Those who wait for the end of the scene. @type {(() => void)[]} */
    this.waiting = [];
    /** The item that waits for whom it is to hit. @type {string | null} */
    this.aimed = null;
    /** The match and the totals that were shown last. */
    this.shown = { match: "", scores: /** @type {Record<string, number> | null} */ (null) };
  }

  /**
   * Shows a scene over the table, or over the place that a page has for it: the buttons beside it stay free. It ends
   * by time, by a tap on it, or by Escape.
   * @param {HTMLElement} scene
   * @param {number} seconds
   */
  show(scene, seconds) {
    const place = document.querySelector(".table-page .felt, .scene-place");
    if (!place || !moves()) return;
    this.end();
    this.scene = scene;
    place.append(scene);
    scene.addEventListener("pointerdown", (event) => {
      if (!(/** @type {Element} */ (event.target).closest("button"))) this.end();
    });
    this.until = performance.now() + seconds * 1000;
    this.endIn(this.until - performance.now());
  }

  /** @param {number} milliseconds */
  endIn(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), Math.max(0, milliseconds));
  }

  /** Ends the scene. */
  end() {
    clearTimeout(this.timer);
    this.scene?.remove();
    this.scene = null;
    for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves at the end of the scene; at once without one. @returns {Promise<void>} */
  over() {
    return this.scene ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }
}

const theatre = new Theatre();

/** Ends the scene that is shown. */
export const endScene = () => theatre.end();

/** Resolves when no scene is shown. */
export const sceneOver = () => theatre.over();

/**
 * Shows the scene of an update, if there is one.
 * @param {import("./types").Update} update
 */
export function playScene(update) {
  if (update.kind !== "ruling") return;
  const effects = update.ruling?.effects ?? [];
  const item = effects.find((one) => one.effect === "item");
  const uno = effects.find((one) => one.effect === "uno");
  const drawn = effects.filter((one) => one.effect === "draw" && one.count);
  const hit = theatre.aimed === null ? null : drawn.find((one) => one.why === theatre.aimed);
  if (hit) theatre.aimed = null;
  if (item) theatre.aimed = drawn.length ? null : item.item;
  if (item) theatre.show(drawItem(item, effects, update.sentences), SECONDS.item);
  else if (hit) throwItem(hit.why, hit.player);
  else if (uno) theatre.show(drawUno(uno.player), SECONDS.uno);
}

/** Lets an item fly to the one it was aimed at. @param {string} item @param {string} player */
async function throwItem(item, player) {
  const seat = document.querySelector(`#ring [data-player="${CSS.escape(player)}"]`);
  if (!seat) return;
  const thrown = h("div", { class: "theatre-item" }, itemIcon(item));
  const scene = h("div", { class: "thrown", "aria-hidden": "true" }, thrown);
  theatre.show(scene, SECONDS.item);
  if (!scene.isConnected) return;
  await throwAt(thrown, seat);
  if (theatre.scene === scene) theatre.end();
}

/** The name of a mark that was turned up. @param {string} item */
const itemName = (item) => (has(`item.${item}`) ? t(`item.${item}`) : `${markTitle(item)}!`);

/**
 * The scene of an item: it comes in with a movement of its own and strikes those whom it concerns.
 * @param {import("./types").Effect} effect
 * @param {import("./types").Effect[]} effects
 * @param {string[]} sentences
 */
function drawItem(effect, effects, sentences) {
  const again = effects.some((one) => one.effect === "again");
  const struck = effects.filter((one) => one.effect === "draw" && one.count);
  const cast = [
    ...(again ? [{ player: effect.player, note: "" }] : []),
    ...struck.map(({ player, count }) => ({ player, note: `+${count}` })),
  ];
  return h(
    "div",
    { class: `theatre theatre-${effect.item.replaceAll(" ", "-")}`, "aria-hidden": "true" },
    h(
      "div",
      { class: "theatre-run" },
      h("div", { class: "theatre-item" }, itemIcon(effect.item)),
      cast.map(({ player, note }, nth) =>
        h(
          "div",
          {
            class: `theatre-person ${note ? "theatre-struck" : "theatre-again"}`,
            vars: { "--color": personColor(player), "--nth": nth },
          },
          mark(player),
          h("strong", {}, note || player),
        ),
      ),
    ),
    h("p", { class: "theatre-name" }, itemName(effect.item)),
    h("p", { class: "theatre-what" }, sentences.slice(1).join(" ")),
    h("div", { class: "theatre-choice row" }),
  );
}

/** @param {string} player */
function drawUno(player) {
  return h(
    "div",
    { class: "theatre theatre-uno", "aria-hidden": "true", vars: { "--scene": personColor(player) } },
    h(
      "p",
      { class: "theatre-cry" },
      ["U", "N", "O", "!"].map((letter) => h("span", {}, letter)),
    ),
    h("p", { class: "theatre-name" }, mark(player), " ", player),
  );
}

/**
 * Puts what must be chosen now into the item's scene, which then stays until it is.
 * @param {import("./actions.js").Action[]} choices
 */
export function offerChoice(choices) {
  const place = theatre.scene?.querySelector(".theatre-choice");
  if (!place) return;
  if (choices.length) clearTimeout(theatre.timer);
  else theatre.endIn(theatre.until - performance.now());
  // The same buttons are on the page beneath for who does not point.
  fill(
    place,
    choices.map((one) =>
      h(
        "button",
        {
          type: "button",
          class: `big ${one.class ?? ""}`,
          tabindex: "-1",
          "data-choose": one.id,
          onclick: async () => {
            theatre.end();
            await one.do();
          },
        },
        one.icon,
        one.label,
      ),
    ),
  );
}

/** Lets the karts drive where a round has been scored. @param {import("./types").Running} view */
export function playRace({ match, state }) {
  const before = theatre.shown.match === match.id ? theatre.shown.scores : null;
  theatre.shown = { match: match.id, scores: state.scores };
  const risen = before && match.players.some((/** @type {string} */ player) => state.scores[player] > before[player]);
  if (!risen || match.scoring === "single-round" || state.winners.length) return;
  const place = h("div", { class: "theatre-race" });
  theatre.show(h("div", { class: "theatre theatre-scored", "aria-hidden": "true" }, place), SECONDS.race);
  driveRace(place, { ...match, scores: state.scores, winners: state.winners }, before);
}
