/** The dialog of settings: those of this screen, and what the host may change about the running match. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { comfortSettings } from "./comfort.js";
import { $, ask, h } from "./dom.js";
import { t } from "./i18n.js";
import { chooseLanguage } from "./options.js";
import { drawSources } from "./sources.js";
import { drawTurns } from "./turns.js";

/** The times (s) after which a player can be reminded; 0 for never. */
const REMINDERS = [0, 30, 60, 90, 120];

/** @param {import("./shell.js").Me} me @param {import("./voice.js").Voice} voice */
export async function settings(me, voice) {
  const match = me.role === "host" ? await matchPart(voice) : null;
  await ask(
    t("settings"),
    () => [
      match,
      h(
        "section",
        { class: "stack", "aria-labelledby": "screen-title" },
        h("h3", { id: "screen-title" }, t("screen")),
        h(
          "label",
          { class: "field" },
          t("screen.language"),
          chooseLanguage(document.documentElement.lang, (code) => {
            localStorage.setItem("language", code);
            location.reload();
          }),
        ),
        comfortSettings(),
        voice.settings(),
        me.role !== null &&
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: async () => {
                await attempt(() => post("/api/leave"));
                location.assign("/join");
              },
            },
            t("screen.leave"),
          ),
      ),
      h(
        "p",
        { class: "small soft" },
        t("about"),
        " ",
        h("a", { href: "/web/licence.txt" }, "AGPL-3.0-or-later"),
        ". ",
        t("about.marks"),
      ),
    ],
    t("close"),
  );
}

/** What the host may change while a match runs. @param {import("./voice.js").Voice} voice */
async function matchPart(voice) {
  const view = await attempt(() => get("/api/view"));
  // On the set-up page the same is asked for the match to come.
  if (!view?.match || $("#setup")) return null;
  const cameras = h("div", { class: "stack" });
  await drawSources(cameras, { simulated: false, none: true });
  return h(
    "section",
    { class: "stack", "aria-labelledby": "match-title" },
    h("h3", { id: "match-title" }, t("match")),
    h(
      "label",
      { class: "field" },
      t("setup.language"),
      chooseLanguage(voice.language, (code) => attempt(() => post("/api/language", { language: code })), "spoken"),
    ),
    drawTurns(view.turns, (turns) => attempt(() => post("/api/turns", { turns }))),
    await timerField(),
    h(
      "p",
      { class: "row" },
      t("screens"),
      h("a", { href: "/tv" }, t("tv.title")),
      h("a", { href: "/broadcast" }, t("broadcast.title")),
    ),
    h("fieldset", {}, h("legend", {}, t("setup.camera")), cameras),
  );
}

/** After how many seconds a player whose turn lasts is reminded. */
async function timerField() {
  const { seconds } = await get("/api/turn-timer");
  const offered = [...new Set([...REMINDERS, seconds])].sort((a, b) => a - b);
  return h(
    "label",
    { class: "field" },
    t("timer"),
    h(
      "select",
      {
        id: "turn-timer",
        onchange: (event) => attempt(() => post("/api/turn-timer", { seconds: Number(event.target.value) })),
      },
      offered.map((count) =>
        h(
          "option",
          { value: count, selected: count === seconds },
          count ? t("timer.seconds", { count }) : t("timer.off"),
        ),
      ),
    ),
  );
}
