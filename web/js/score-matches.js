/** The list of matches: show, export, resume, delete; and the backup of everything in one file. */

import { confirm } from "./actions.js";
import { post, remove } from "./api.js";
import { attempt, may } from "./attempt.js";
import { $, fill, h, toast } from "./dom.js";
import { t } from "./i18n.js";
import { matchLabel, takeUp } from "./matches.js";

/** @typedef {import("./answers").MatchesAnswer} Matches */

/**
 * Draws the list.
 * @param {Matches} found
 * @param {{ role: string | null, show: (match: string) => unknown, changed: () => Promise<unknown> }} how
 *   show: shows a match on the board; changed: called after a match was deleted or brought back
 */
export function drawMatches({ matches, damaged }, how) {
  fill(
    $("#past"),
    drawDamaged(damaged),
    matches.length
      ? h(
          "ul",
          { class: "plain past" },
          matches.map((one) => h("li", { "data-key": one.id }, drawMatch(one, how), drawWays(one, how))),
        )
      : h("p", { class: "soft" }, t("scores.none")),
    may(how.role, "host") && drawBackup(how.changed),
  );
}

/** @param {Matches["matches"][number]} one @param {Parameters<typeof drawMatches>[1]} how */
function drawMatch(one, how) {
  return h(
    "div",
    {},
    h("button", { type: "button", class: "link", onclick: () => how.show(one.id) }, matchLabel(one)),
    h(
      "p",
      { class: "small soft" },
      one.over ? t("scores.won", { players: one.winners.join(", ") }) : t("scores.open"),
      " · ",
      t("scores.moves", { count: one.moves }),
    ),
  );
}

/**
 * What can be done with a match.
 * @param {Matches["matches"][number]} one
 * @param {Parameters<typeof drawMatches>[1]} how
 */
function drawWays(one, how) {
  const host = may(how.role, "host") && !one.running;
  const discard = async () => {
    if (!(await confirm(t("scores.delete.sure"), t("scores.delete")))) return;
    await attempt(() => remove(`/api/matches/${encodeURIComponent(one.id)}`));
    await how.changed();
  };
  return h(
    "div",
    { class: "row" },
    h("a", { class: "button small-button", href: `/replay?match=${encodeURIComponent(one.id)}` }, t("replay.open")),
    ["rounds-csv", "rounds-json", "transcript"].map((format) =>
      h(
        "a",
        {
          class: "button small-button",
          href: `/api/matches/${encodeURIComponent(one.id)}/export?format=${format}`,
          download: true,
        },
        format === "transcript" ? t("scores.transcript") : format.replace("rounds-", "").toUpperCase(),
      ),
    ),
    host && !one.over && takeUp(one),
    host && h("button", { type: "button", class: "quiet small-button", onclick: discard }, t("scores.delete")),
  );
}

/** Everything in one file, for the host to keep or to bring back. */
function drawBackup(/** @type {() => Promise<unknown>} */ changed) {
  const restore = async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    const found = await attempt(() => post("/api/restore", new Blob([chosen], { type: "application/zip" })));
    if (found === null) return;
    const counts = { matches: found.matches, decks: found.decks, known: found.known };
    toast([t("backup.restored", counts), ...found.refused].join(" "));
    await changed();
  };
  const file = h("input", { type: "file", accept: ".zip,application/zip", hidden: true, onchange: restore });
  return h(
    "div",
    { class: "row" },
    h("a", { class: "button small-button", href: "/api/backup", download: true }, t("backup.make")),
    h(
      "button",
      { type: "button", class: "small-button", id: "restore", onclick: () => file.click() },
      t("backup.restore"),
    ),
    file,
  );
}

/** What is left of matches that cannot be shown any more. @param {Array<import("./answers").DamagedAnswer>} damaged */
function drawDamaged(damaged) {
  return (
    damaged.length > 0 &&
    h(
      "ul",
      { class: "plain past" },
      damaged.map((one) =>
        h(
          "li",
          { "data-damaged": one.id },
          h(
            "div",
            {},
            h("strong", {}, t("scores.damaged", { id: one.id })),
            h("p", { class: "small soft" }, t("scores.damaged.note")),
          ),
          h(
            "a",
            {
              class: "button small-button",
              href: `/api/matches/${encodeURIComponent(one.id)}/export?format=transcript`,
              download: true,
            },
            t("scores.transcript"),
          ),
        ),
      ),
    )
  );
}
