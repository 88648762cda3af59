/** What a draft does: what the referee says as each special card is played, and ten turns of a random match. */

import { post } from "./api.js";
import { attempt } from "./attempt.js";
import { fill, h } from "./dom.js";
import { t } from "./i18n.js";

/** So many different plays there are. */
const SEEDS = 1_000_000;

/**
 * Shows what a draft does, again for each file that is given to `show`.
 * @param {HTMLElement} place
 */
export function trial(place) {
  const examples = h("div", { class: "stack", id: "examples" });
  const turns = h("ol", { class: "plain turns-played", id: "turns-played" });
  let file = "";
  let seed = 7;
  const language = /** @type {import("./answers").Language} */ (document.documentElement.lang);
  const draw = async () => {
    const asked = file;
    const found = await attempt(() => post("/api/editions/preview", { file, seed, language }));
    // Another draft may be there by now: what it does is on the way.
    if (!found || asked !== file) return;
    fill(examples, found.examples.length ? found.examples.map(drawExample) : h("p", {}, t("try.none")));
    fill(turns, found.turns.map(drawMove));
  };
  fill(
    place,
    h("h2", {}, t("try.title")),
    examples,
    h(
      "div",
      { class: "row spread" },
      h("h3", {}, t("try.turns")),
      h(
        "button",
        {
          type: "button",
          class: "small-button",
          id: "play-through",
          onclick: () => {
            seed = Math.floor(Math.random() * SEEDS);
            draw();
          },
        },
        t("try.again"),
      ),
    ),
    turns,
  );
  return {
    /** @param {string} now a file without faults */
    show(now) {
      if (now === file) return;
      file = now;
      draw();
    },
  };
}

/** @param {import("./answers").CardExampleAnswer} example */
const drawExample = ({ face, title, described, moves }) =>
  h(
    "section",
    { class: "example", "data-key": face },
    h("h3", {}, title),
    h("p", { class: "described" }, described),
    h("ol", { class: "plain turns-played" }, moves.map(drawMove)),
  );

/** @param {import("./answers").PreviewMoveAnswer} move */
const drawMove = ({ move, sentences, hands }) =>
  h(
    "li",
    {},
    h("span", { class: "move" }, move),
    h("span", { class: "said" }, sentences.join(" ")),
    h(
      "span",
      { class: "small soft" },
      Object.entries(hands)
        .map(([player, count]) => `${player} ${count}`)
        .join(" · "),
    ),
  );
