/** What every page has around it: who we are, the words, the bar at the top, the live stream. */

import { get } from "./api.js";
import { may } from "./attempt.js";
import { $, fill, h, svg, toast } from "./dom.js";
import { languageHere, load, t, translate } from "./i18n.js";
import { invite } from "./invite.js";
import { settings } from "./settings.js";
import { Voice } from "./voice.js";

/** @typedef {{ role: string | null, player: string | null, language: string, secure: boolean, players: string[] }} Me */

export const voice = new Voice();

const PAGES = [
  ["/table", "nav.table", "viewer"],
  ["/player", "nav.player", "player"],
  ["/scores", "nav.scores", "viewer"],
  ["/scan", "nav.scan", "player"],
  ["/camera", "nav.camera", "player"],
  ["/", "nav.setup", "host"],
];

/**
 * Prepares a page and returns who we are; leads to the join page where this device has not joined.
 * @param {string | null} needed the role that the page needs, null for none
 * @returns {Promise<Me>}
 */
export async function prepare(needed) {
  const me = /** @type {Me} */ (await get("/api/me"));
  await load(languageHere(me.language));
  translate();
  document.title = `${t(document.body.dataset.title ?? "brand")} · ${t("brand")}`;
  if (needed !== null && !may(me.role, needed)) {
    if (me.role === null) location.replace(`/join#next=${encodeURIComponent(location.pathname + location.search)}`);
    else location.replace("/table");
    await new Promise(() => {});
  }
  voice.language = me.language;
  drawBar(me);
  document.body.classList.add("ready");
  return me;
}

/** @param {Me} me */
function drawBar(me) {
  const bar = $("header.bar");
  if (!bar) return;
  const links = PAGES.filter(([, , role]) => may(me.role, role)).map(([path, key]) =>
    h("a", { href: path, "aria-current": location.pathname === path ? "page" : null }, t(key)));
  fill(bar,
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("a", { class: "brand", href: "/table" }, logo(), h("span", {}, t("brand"))),
    h("nav", { "aria-label": t("nav") }, links),
    h("div", { class: "tools" },
      me.role === "host" && h("button", { class: "quiet icon", type: "button", id: "invite", "aria-label": t("invite"), title: t("invite"), onclick: () => invite(me) }, QR()),
      me.role !== null && voice.button(),
      h("button", { class: "quiet icon", type: "button", id: "settings", "aria-label": t("settings"), title: t("settings"), onclick: () => settings(me, voice) }, GEAR())),
  );
  bar.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
}

const logo = () => svg('<rect x="3" y="5" width="12" height="17" rx="2.5" fill="var(--red)" transform="rotate(-12 9 13)"/><rect x="9" y="3" width="12" height="17" rx="2.5" fill="var(--blue)" transform="rotate(10 15 12)"/><circle cx="15.2" cy="11.6" r="3.4" fill="#fff"/>');
const QR = () => svg('<path fill="none" stroke="currentColor" stroke-width="2" d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4z"/><path fill="currentColor" d="M14 14h2v2h-2zM18 14h2v2h-2zM16 16h2v2h-2zM14 18h2v2h-2zM18 18h2v2h-2z"/>');
const GEAR = () => svg('<path d="M4 7h10M18 7h2M4 17h2M10 17h10" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><circle cx="16" cy="7" r="2.4" fill="none" stroke="currentColor" stroke-width="2"/><circle cx="8" cy="17" r="2.4" fill="none" stroke="currentColor" stroke-width="2"/>');

/**
 * Listens to what happens. The stream comes back by itself, and goes on where it broke off.
 * @param {{ view?: (view: any) => void, update?: (update: any) => void, frame?: (frame: any) => void }} on
 */
export function live(on) {
  voice.offer();
  const source = new EventSource("/api/events");
  const listen = (/** @type {string} */ name, /** @type {((data: any) => void) | undefined} */ then) =>
    source.addEventListener(name, (event) => then?.(JSON.parse(event.data)));
  listen("view", (view) => {
    voice.language = view.language;
    on.view?.(view);
  });
  listen("frame", on.frame);
  listen("update", (update) => {
    on.update?.(update);
    if (!update.sentences.length) return;
    // What is spoken can always be read, too.
    if (!$("#caption") && update.kind !== "camera") toast(update.sentences.join(" "));
    voice.say(update.sentences);
  });
  source.onopen = () => offline(false);
  source.onerror = async () => {
    offline(true);
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    // The server refused: either this device is not known any more, or too many pages are open.
    const me = await get("/api/me").catch(() => undefined);
    if (me && me.role === null) location.replace("/join");
    else setTimeout(() => live(on), 3000);
  };
  addEventListener("pagehide", () => source.close(), { once: true });
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
