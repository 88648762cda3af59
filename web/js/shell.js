/** What all pages share: the device's role, the texts, the bar at the top, the live stream. */

import { get } from "./api.js";
import { attempt, may } from "./attempt.js";
import { edition, renew } from "./choices.js";
import { comfort } from "./comfort.js";
import { $, fill, h, svg, toast } from "./dom.js";
import { languageHere, load, t, translate } from "./i18n.js";
import { know } from "./people.js";
import { wear } from "./signs.js";
import { play, useOwn } from "./sounds.js";
import { followStream } from "./stream.js";
import { Voice } from "./voice.js";

/** @typedef {import("./answers").MeAnswer} Me */

export const voice = new Voice();

/** Each page's address, its word, who may see it, and its sign in the bar of a phone. */
const PAGES = [
  [
    "/table",
    "nav.table",
    "viewer",
    '<circle cx="12" cy="12" r="4.5"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 ' +
      '1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>',
  ],
  ["/player", "nav.player", "player", '<circle cx="12" cy="8" r="4"/><path d="M4 21c1-5 4-7 8-7s7 2 8 7"/>'],
  ["/scores", "nav.scores", "viewer", '<path d="M5 20v-7M12 20V5M19 20v-10"/>'],
  ["/scan", "nav.scan", "player", '<path d="M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 8h6v8H9z"/>'],
  ["/camera", "nav.camera", "player", '<path d="M3 8h4l2-3h6l2 3h4v11H3z"/><circle cx="12" cy="13" r="3.5"/>'],
  ["/", "nav.setup", "host", '<path d="M12 5v14M5 12h14"/>'],
];

/**
 * Prepares a page and returns who we are; leads to the join page where this device has not joined.
 * @param {string | null} needed the role that the page needs, null for none
 * @returns {Promise<Me>}
 */
export async function prepare(needed) {
  const me = await get("/api/me");
  await load(languageHere(me.language, me.languages));
  translate();
  document.title = `${t(document.body.dataset.title ?? "brand")} · ${t("brand")}`;
  if (needed !== null && !may(me.role, needed)) {
    if (me.role === null) location.replace(`/join#next=${encodeURIComponent(location.pathname + location.search)}`);
    else location.replace("/table");
    await new Promise(() => {});
  }
  voice.language = me.language;
  if (me.role !== null) await know(me.players);
  drawBar(me);
  comfort();
  document.body.classList.add("ready");
  return me;
}

/** @param {Me} me */
function drawBar(me) {
  const bar = $("header.bar");
  if (!bar) return;
  const links = PAGES.filter(([, , role]) => may(me.role, role)).map(([path, key, , sign]) =>
    h(
      "a",
      { href: path, "aria-current": location.pathname === path ? "page" : null },
      svg(
        `<g fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" ` +
          `stroke-linejoin="round">${sign}</g>`,
      ),
      h("span", {}, t(key)),
    ),
  );
  fill(
    bar,
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("a", { class: "brand", href: "/table", "aria-label": t("brand") }, logo(), h("span", {}, t("brand"))),
    me.demo && h("span", { class: "demo", id: "demo", title: t("demo.says") }, t("demo")),
    h("nav", { "aria-label": t("nav") }, links),
    h(
      "div",
      { class: "tools" },
      me.role === "host" &&
        h(
          "button",
          {
            class: "quiet icon",
            type: "button",
            id: "invite",
            "aria-label": t("invite"),
            title: t("invite"),
            onclick: () => attempt(async () => (await import("./invite.js")).invite(me)),
          },
          QR(),
        ),
      me.role !== null && voice.button(),
      h(
        "a",
        {
          class: "button quiet icon",
          id: "help-link",
          href: "/help",
          "aria-label": t("help.title"),
          title: t("help.title"),
        },
        "?",
      ),
      h(
        "button",
        {
          class: "quiet icon",
          type: "button",
          id: "settings",
          "aria-label": t("settings"),
          title: t("settings"),
          onclick: () => attempt(async () => (await import("./settings.js")).settings(me, voice)),
        },
        GEAR(),
      ),
    ),
  );
}

/** The sign of the whole: every page has it from the start, so that none is blank while it loads. */
const logo = () => $(".bar .brand svg")?.cloneNode(true) ?? null;
const QR = () =>
  svg(
    '<path fill="none" stroke="currentColor" stroke-width="2" d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4z"/>' +
      '<path fill="currentColor" d="M14 14h2v2h-2zM18 14h2v2h-2zM16 16h2v2h-2zM14 18h2v2h-2zM18 ' +
      '18h2v2h-2z"/>',
  );
const GEAR = () =>
  svg(
    '<path d="M4 7h10M18 7h2M4 17h2M10 17h10" stroke="currentColor" stroke-width="2" ' +
      'stroke-linecap="round"/><circle cx="16" cy="7" r="2.4" fill="none" stroke="currentColor" ' +
      'stroke-width="2"/><circle cx="8" cy="17" r="2.4" fill="none" stroke="currentColor" ' +
      'stroke-width="2"/>',
  );

/**
 * Listens to what happens. The stream comes back by itself, and goes on where it broke off.
 * @param {{
 *   own?: boolean,
 *   view?: (view: import("./answers").ViewAnswer) => unknown,
 *   update?: (update: import("./types").Update) => unknown,
 *   frame?: (frame: import("./types").Frame) => unknown,
 * }} on
 *   own: whether the page draws cards as an edition of its own has them, whatever match runs; view: shown at each
 *   change; update: called once as it happens; frame: the camera's newest picture
 */
export function live(on) {
  voice.offer();
  get("/api/sounds")
    .then(({ sounds }) => useOwn(sounds))
    .catch(() => {});
  /** @type {Promise<unknown>} */
  let drawn = Promise.resolve();
  /** @type {Record<string, (data: never) => unknown>} */
  const then = {
    view: (/** @type {import("./answers").ViewAnswer} */ view) => {
      // Each waits for the one before: what one of them must ask for first may not put an old view over a new one.
      drawn = drawn
        .catch(() => {})
        .then(async () => {
          if (view.match) await Promise.all([know(view.match.players), !on.own && dress(view.match)]);
          voice.view(view);
          await on.view?.(await inOwnLanguage(view));
        });
    },
    frame: (/** @type {import("./types").Frame} */ frame) => document.hidden || on.frame?.(frame),
    update: (/** @type {import("./types").Update} */ update) => {
      on.update?.(update);
      voice.update(update);
      // What is spoken can always be read, too.
      if (update.sentences.length && !$("#caption") && update.kind !== "camera") toast(update.sentences.join(" "));
    },
    nudge: (/** @type {{ sentence: string }} */ { sentence }) => {
      toast(sentence);
      play("nudge");
    },
  };
  followStream({
    hear: ({ event, data }) => then[event]?.(/** @type {never} */ (data)),
    online: (online) => offline(!online),
    signedOut: () => location.replace("/join"),
    audible: () => voice.on,
  });
}

/**
 * A view in the language of this screen. A screen without a language of its own takes the caller's.
 * @param {import("./answers").ViewAnswer} view
 */
async function inOwnLanguage(view) {
  const { lang } = document.documentElement;
  if (lang === view.language) return view;
  if (localStorage.getItem("language") !== null) return get(`/api/view?language=${lang}`).catch(() => view);
  await load(view.language);
  translate();
  return view;
}

/** Draws cards as the edition of this match has them. @param {import("./answers").MatchAnswer} match */
async function dress(match) {
  renew(match.id);
  wear(await edition(match.edition));
}

/** @param {boolean} is */
function offline(is) {
  document.body.dataset.live = is ? "no" : "yes";
  let notice = $("#offline");
  if (is && !notice) {
    notice = h("div", { id: "offline", class: "notice", role: "status" }, t("offline"));
    $("header.bar")?.after(notice);
  }
  if (!is) notice?.remove();
}
