/** The hall of fame: everybody's statistics over all finished matches, records, and removing a person. */

import { confirm } from "./actions.js";
import { get, post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { drawLines } from "./chart.js";
import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { know, person, personColor } from "./people.js";
import { headToHead } from "./standings.js";

/** From how many evenings on a chart tells more than the table. */
const LEAST_EVENINGS = 2;
/** How many people are compared with each other: more do not fit. */
const MOST_COMPARED = 8;

/**
 * Draws the hall into its place.
 * @param {string} role of this device
 * @param {import("./standings.js").Past[]} matches all that were played
 * @param {(match: string) => void} show shows a match on the board
 */
export async function drawFame(role, matches, show) {
  const hall = await attempt(() => get("/api/people/fame"));
  if (!hall) return;
  const names = Object.keys(hall.people);
  await know(names);
  const columns = /** @type {Array<keyof import("./answers").Fame>} */ (Object.keys(hall.people[names[0]] ?? {}));
  const most = Math.max(1, ...names.map((name) => hall.people[name].won));
  fill(
    $("#fame"),
    names.length === 0
      ? h("p", { class: "soft" }, t("fame.none"))
      : [
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("fame.who"))),
                columns.map((column) => h("th", { scope: "col" }, t(`fame.${column}`))),
                may(role, "host") && h("td", {}),
              ),
            ),
            h(
              "tbody",
              {},
              names.map((name) =>
                h(
                  "tr",
                  { "data-player": name },
                  h("th", { scope: "row" }, person(name)),
                  columns.map((column) =>
                    h(
                      "td",
                      { "data-label": t(`fame.${column}`) },
                      hall.people[name][column],
                      column === "won" &&
                        h("span", {
                          class: "fame-bar",
                          "aria-hidden": "true",
                          vars: { "--part": (hall.people[name].won / most).toFixed(3), "--color": personColor(name) },
                        }),
                    ),
                  ),
                  may(role, "host") &&
                    h(
                      "td",
                      {},
                      h(
                        "button",
                        {
                          type: "button",
                          class: "quiet small-button",
                          "aria-label": t("fame.forget.who", { player: name }),
                          onclick: () => forget(name, role, matches, show),
                        },
                        t("fame.forget"),
                      ),
                    ),
                ),
              ),
            ),
          ),
          hall.records.length > 0 &&
            h(
              "ul",
              { class: "plain awards" },
              hall.records.map((/** @type {import("./answers").Record} */ one) =>
                h(
                  "li",
                  { "data-key": one.kind },
                  h("span", { class: "award-who" }, one.players.map(person)),
                  h(
                    "button",
                    { type: "button", class: "link", onclick: () => show(one.match) },
                    t(`award.${one.kind}`, { count: one.amount }),
                  ),
                ),
              ),
            ),
        ],
  );
  drawVersus(names, headToHead(matches));
  await drawEvenings(hall, names);
}

/**
 * Who beat whom: a table with the wins of the person of the row over that of the column.
 * @param {string[]} names @param {Record<string, Record<string, number>>} wins
 */
function drawVersus(names, wins) {
  const met = (/** @type {string} */ one) => names.some((other) => wins[one]?.[other] || wins[other]?.[one]);
  const compared = names.filter(met).slice(0, MOST_COMPARED);
  const cell = (/** @type {string} */ one, /** @type {string} */ other) => {
    if (one === other) return "";
    const [won, lost] = [wins[one]?.[other] ?? 0, wins[other]?.[one] ?? 0];
    return won + lost ? `${won} : ${lost}` : "–";
  };
  fill(
    $("#versus"),
    compared.length > 1 && [
      h("h3", {}, t("fame.versus")),
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            compared.map((one) => h("th", { scope: "col" }, person(one))),
          ),
        ),
        h(
          "tbody",
          {},
          compared.map((one) =>
            h(
              "tr",
              { "data-player": one },
              h("th", { scope: "row" }, person(one)),
              compared.map((other) => h("td", { "data-against": other }, cell(one, other))),
            ),
          ),
        ),
      ),
    ],
  );
}

/**
 * What each person has won by each evening, or how many points.
 * @param {import("./answers").HallOfFame} hall
 * @param {string[]} names
 */
async function drawEvenings(hall, names) {
  const place = $("#evenings");
  const charted = place.dataset.charted === "points" ? "points" : "won";
  if (hall.evenings.length < LEAST_EVENINGS) return fill(place);
  const chart = place.querySelector(".evenings-chart") ?? h("div", { class: "evenings-chart" });
  fill(
    place,
    h(
      "div",
      { class: "row spread" },
      h("h3", {}, t("fame.chart")),
      h(
        "div",
        { class: "row", role: "group", "aria-label": t("fame.chart") },
        /** @type {Array<"won" | "points">} */ (["won", "points"]).map((one) =>
          h(
            "button",
            {
              type: "button",
              class: "quiet small-button",
              "data-key": `chart-${one}`,
              "aria-pressed": one === charted,
              onclick: () => {
                place.dataset.charted = one;
                drawEvenings(hall, names);
              },
            },
            t(`fame.${one}`),
          ),
        ),
      ),
    ),
    chart,
  );
  // What the browser calls a day depends on its zone; noon is in that day everywhere.
  const days = hall.evenings.map(({ day }) =>
    new Date(`${day}T12:00`).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "short" }),
  );
  await drawLines(chart, {
    title: t("fame.chart"),
    axis: t("fame.evening"),
    steps: ["", ...days],
    lines: Object.fromEntries(
      names.map((name) => {
        let sum = 0;
        return [name, [0, ...hall.evenings.map((evening) => (sum += evening[charted][name] ?? 0))]];
      }),
    ),
  });
}

/**
 * @param {string} player @param {string} role
 * @param {import("./standings.js").Past[]} matches @param {(match: string) => void} show
 */
async function forget(player, role, matches, show) {
  if (!(await confirm(t("fame.forget.sure", { player }), t("fame.forget")))) return;
  await attempt(() => post("/api/people/forget", { player }));
  await drawFame(role, matches, show);
}
