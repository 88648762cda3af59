/** Changes while a match runs: a player leaves or is renamed, and another target. */

import { confirm, move } from "./actions.js";
import { ask, dialogForm, h } from "./dom.js";
import { t } from "./i18n.js";

/** A name without needless spaces. @param {string} text */
export const tidy = (text) => text.trim().replace(/\s+/g, " ");

/**
 * Whether a player may leave: of two the match ends with it, which is asked first. Other answers may always be sent.
 * @param {{ do: string }} answer @param {string[]} players
 */
export const mayLeave = async (answer, players) =>
  answer.do !== "leave" || players.length !== 2 || (await confirm(t("comings.end"), t("move.leave")));

/**
 * Asks for a player's new name, or lets the player leave.
 * @param {import("./types").Running} view
 * @param {string} player
 * @returns {Promise<boolean>} whether anything was changed
 */
export async function changePlayer({ match, legal }, player) {
  const name = h("input", { name: "name", maxlength: "24", required: true, value: player });
  const answer = await ask(
    player,
    (close) =>
      h(
        "div",
        { class: "stack" },
        dialogForm(
          () => {
            const fresh = tidy(name.value);
            if (fresh) close({ do: "rename", player, name: fresh });
          },
          h("label", { class: "field" }, t("leaving.name"), name),
          h("div", { class: "row end" }, h("button", { class: "primary" }, t("leaving.rename"))),
        ),
        h(
          "div",
          { class: "stack" },
          legal.in_round && h("p", { class: "small soft" }, t("leaving.note")),
          h(
            "button",
            { type: "button", class: "warning", "data-leave": player, onclick: () => close({ do: "leave", player }) },
            t("leaving.leave", { player }),
          ),
        ),
      ),
    t("close"),
  );
  if (!answer || (answer.do === "rename" && answer.name === player)) return false;
  if (!(await mayLeave(answer, match.players))) return false;
  return Boolean(await move(answer));
}

/** Asks for another target. @param {import("./types").Running} view */
export async function changeTarget({ match, state }) {
  const least = 1 + Math.max(...Object.values(state.scores));
  const points = h("input", {
    type: "number",
    name: "points",
    min: String(least),
    max: "10000",
    step: "1",
    required: true,
    value: String(match.target),
  });
  const answer = await ask(
    t("leaving.target"),
    (close) =>
      dialogForm(
        () => close({ do: "retarget", points: Number(points.value) }),
        h("label", { class: "field" }, t("leaving.points"), points),
        h("div", { class: "row end" }, h("button", { class: "primary" }, t("save"))),
      ),
    t("close"),
  );
  if (answer && answer.points !== match.target) await move(answer);
}
