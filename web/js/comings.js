/** Players who join between two rounds, with a seat and points, or leave. */

import { move } from "./actions.js";
import { get } from "./api.js";
import { ask, dialogForm, h } from "./dom.js";
import { t } from "./i18n.js";
import { mayLeave, tidy } from "./leaving.js";
import { person } from "./people.js";

/** @param {import("./types").Running} view */
export async function comeAndGo({ match, state }) {
  const known = Object.keys((await get("/api/people").catch(() => ({ people: {} }))).people).filter(
    (name) => !match.players.includes(name),
  );
  const name = h("input", { maxlength: "24", required: true, list: "comers", name: "comer" });
  const points = h("input", {
    type: "number",
    min: "0",
    max: String(match.target - 1),
    value: "0",
    required: true,
    name: "points",
  });
  const after = h(
    "select",
    { name: "after" },
    match.players.map((player, seat) =>
      h("option", { value: player, selected: seat === match.players.length - 1 }, player),
    ),
  );
  const choose = (/** @type {string} */ player) => {
    name.value = player;
    points.value = String(state.left[player] ?? 0);
  };
  name.onchange = () => name.value in state.left && choose(name.value);
  const answer = await ask(
    t("comings"),
    (close) =>
      h(
        "div",
        { class: "stack" },
        dialogForm(
          () => {
            const player = tidy(name.value);
            if (player) close({ do: "join", player, after: after.value, score: Number(points.value) });
          },
          h(
            "label",
            { class: "field" },
            t("comings.name"),
            name,
            h(
              "datalist",
              { id: "comers" },
              known.map((one) => h("option", { value: one })),
            ),
          ),
          h(
            "div",
            { class: "row" },
            Object.keys(state.left).map((player) =>
              h(
                "button",
                { type: "button", class: "small-button", "data-back": player, onclick: () => choose(player) },
                person(player),
              ),
            ),
          ),
          h("label", { class: "field" }, t("comings.after"), after),
          match.scoring !== "single-round" && h("label", { class: "field" }, t("comings.points"), points),
          h("div", { class: "row end" }, h("button", { class: "primary" }, t("comings.join"))),
        ),
        h(
          "fieldset",
          {},
          h("legend", {}, t("comings.who")),
          h(
            "div",
            { class: "row" },
            match.players.map((player) =>
              h(
                "button",
                { type: "button", "data-leave": player, onclick: () => close({ do: "leave", player }) },
                person(player),
              ),
            ),
          ),
          h("p", { class: "small soft" }, t("comings.note")),
        ),
      ),
    t("close"),
  );
  if (!answer) return;
  if (!(await mayLeave(answer, match.players))) return;
  await move(answer);
}
