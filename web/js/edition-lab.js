/** The house-rule laboratory: random rounds on the server, and what they show. It never delays a match. */

import { get, post, remove } from "./api.js";
import { attempt } from "./attempt.js";
import { fill, h, svg } from "./dom.js";
import { has, t } from "./i18n.js";

/** How often the page asks how far the rounds are, in milliseconds. */
const EVERY = 400;
/** How many bars the lengths of rounds are drawn in. */
const BARS = 14;

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;
/** @param {number} count */
const oneDecimal = (count) => count.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });

/**
 * Draws the panel.
 * @param {() => import("./answers").LabBody} task what is to be tried now
 */
export function drawLab(task) {
  const place = h("div", { class: "stack", id: "lab-found", role: "status" });
  let asking = false;
  const follow = async () => {
    if (asking) return;
    asking = true;
    let found = await attempt(() => get("/api/lab"));
    while (found?.running && place.isConnected) {
      fill(place, drawFound(found));
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      found = await attempt(() => get("/api/lab"));
    }
    asking = false;
    if (found) fill(place, drawFound(found));
  };
  const begin = async () => {
    if (await attempt(() => post("/api/lab", task()))) await follow();
  };
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "small soft" }, t("lab.help")),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", id: "lab-begin", onclick: begin }, t("lab.begin")),
      h(
        "button",
        { type: "button", class: "quiet", id: "lab-stop", onclick: () => attempt(() => remove("/api/lab")) },
        t("lab.stop"),
      ),
    ),
    place,
  );
}

/** @param {import("./answers").LabAnswer} found */
function drawFound(found) {
  if (!found.lengths.length)
    return h("p", { class: "soft" }, found.running ? t("lab.running") : found.rounds ? t("lab.endless") : "");
  const sorted = [...found.lengths].sort((a, b) => a - b);
  const turns = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  const fair = 1 / found.players;
  return [
    found.running &&
      h("progress", {
        max: String(found.wanted),
        value: found.rounds,
        "aria-label": t("lab.progress", { count: found.rounds, wanted: found.wanted }),
      }),
    h(
      "dl",
      { class: "lab-facts" },
      fact("lab.rounds", found.rounds.toLocaleString(document.documentElement.lang)),
      fact("lab.turns", t("lab.turns.of", { mean: oneDecimal(turns), half: sorted[Math.floor(sorted.length / 2)] })),
      fact("lab.starter", t("lab.starter.of", { share: percent(found.beginner_wins), fair: percent(fair) })),
      fact("lab.leader", percent(found.leader_caught)),
      found.eliminated > 0 && fact("lab.out", oneDecimal(found.eliminated)),
      found.unfinished > 0 && fact("lab.unfinished", found.unfinished),
    ),
    plot(sorted),
    h("h3", {}, t("lab.drawn")),
    h(
      "ul",
      { class: "plain lab-drawn" },
      Object.entries(found.drawn).map(([why, count]) =>
        h(
          "li",
          { "data-key": why },
          h("span", {}, has(`lab.why.${why}`) ? t(`lab.why.${why}`) : (found.titles[why] ?? why)),
          h("span", { class: "lab-bar", vars: { "--share": count / Math.max(...Object.values(found.drawn)) } }),
          h("span", {}, oneDecimal(count)),
        ),
      ),
    ),
  ];
}

/** @param {string} name @param {string | number} value */
const fact = (name, value) => h("div", { "data-key": name }, h("dt", {}, t(name)), h("dd", {}, value));

/** The lengths of rounds as bars. @param {number[]} sorted */
function plot(sorted) {
  const width = Math.max(1, Math.ceil((sorted[sorted.length - 1] + 1) / BARS));
  const counts = Array(BARS).fill(0);
  for (const turns of sorted) counts[Math.floor(turns / width)] += 1;
  const tallest = Math.max(...counts);
  const bars = counts.map((count, i) => {
    const height = (100 * count) / tallest;
    return (
      `<rect class="lab-column" x="${10 + i * 20}" y="${104 - height}" width="16" height="${height}" rx="2"/>` +
      (i % 2 ? "" : `<text class="lab-tick" x="${18 + i * 20}" y="118">${i * width}</text>`)
    );
  });
  const says = t("lab.plot", { low: sorted[0], high: sorted[sorted.length - 1], middle: sorted[sorted.length >> 1] });
  const picture = svg(bars.join(""), "0 0 300 124", says);
  picture.classList.add("lab-plot");
  return h("figure", {}, picture, h("figcaption", { class: "small soft" }, t("lab.axis")));
}
