/** The list of past matches: when, who, and resuming one. */

import { post } from "./api.js";
import { attempt } from "./attempt.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** When a match began and who plays it. @param {{ started: number, players: string[] }} match */
export function matchLabel(match) {
  // A browser's own language may be one that it cannot format dates in; the page's own is known to be one.
  const when = new Date(match.started * 1000).toLocaleString(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return `${when} · ${match.players.join(", ")}`;
}

/** A button that takes an unfinished match up again. @param {{ id: string }} match */
export function takeUp(match) {
  return h(
    "button",
    {
      type: "button",
      class: "small-button",
      "data-resume": match.id,
      onclick: async () => {
        if (await attempt(() => post("/api/match/resume", { id: match.id }))) location.assign("/table");
      },
    },
    t("setup.resume"),
  );
}
