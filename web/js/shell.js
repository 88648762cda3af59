/** What every page has around it: who we are, the words, the bar at the top, the live stream. */

import { Refused, get, post } from "./api.js";
import { $, ask, fill, h, svg, toast } from "./dom.js";
import { LANGUAGES, languageHere, load, t, translate } from "./i18n.js";
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
const RANKS = ["viewer", "player", "host"];

/** Whether a role may do what another one may. @param {string | null} role @param {string} needed */
export function may(role, needed) {
  return role !== null && RANKS.indexOf(role) >= RANKS.indexOf(needed);
}

/**
 * Prepares a page and returns who we are; leads to the join page where this device has not joined.
 * @param {string | null} needed the role that the page needs, null for none
 * @returns {Promise<Me>}
 */
export async function prepare(needed) {
  const me = /** @type {Me} */ (await get("/api/me"));
  await load(languageHere(me.language));
  translate();
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

/** Does something and shows what the server refused. @template T @param {() => Promise<T>} action @returns {Promise<T | null>} */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Refused && error.status === 401 && error.code === "not-joined") location.replace("/join");
    toast(error instanceof Refused ? error.message : t("offline"));
    return null;
  }
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
      me.role === "host" && h("button", { class: "quiet icon", type: "button", "aria-label": t("invite"), title: t("invite"), onclick: () => invite(me) }, QR()),
      me.role !== null && voice.button(),
      h("button", { class: "quiet icon", type: "button", "aria-label": t("screen"), title: t("screen"), onclick: () => screenDialog(me) }, GEAR())),
  );
}

const logo = () => svg('<rect x="3" y="5" width="12" height="17" rx="2.5" fill="var(--red)" transform="rotate(-12 9 13)"/><rect x="9" y="3" width="12" height="17" rx="2.5" fill="var(--blue)" transform="rotate(10 15 12)"/><circle cx="15.2" cy="11.6" r="3.4" fill="#fff"/>');
const QR = () => svg('<path fill="none" stroke="currentColor" stroke-width="2" d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4z"/><path fill="currentColor" d="M14 14h2v2h-2zM18 14h2v2h-2zM16 16h2v2h-2zM14 18h2v2h-2zM18 18h2v2h-2z"/>');
const GEAR = () => svg('<path d="M4 7h10M18 7h2M4 17h2M10 17h10" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><circle cx="16" cy="7" r="2.4" fill="none" stroke="currentColor" stroke-width="2"/><circle cx="8" cy="17" r="2.4" fill="none" stroke="currentColor" stroke-width="2"/>');

/** Shows how another device joins. @param {Me} me */
async function invite(me) {
  const pairing = await attempt(() => get("/api/pairing"));
  if (!pairing) return;
  const place = h("div", { class: "stack" });
  let wish = { role: "player", player: /** @type {string | null} */ (null), page: "player" };
  const draw = async () => {
    const [now, invitation] = await Promise.all([get("/api/pairing"), post("/api/pairing/invitations", wish)]);
    fill(place,
      h("label", { class: "check" },
        h("input", { type: "checkbox", checked: now.open, onchange: async (/** @type {any} */ event) => {
          await attempt(() => post("/api/doors", { open: event.target.checked }));
          await draw();
        } }), t("invite.open")),
      !now.open && h("p", { class: "warn" }, t("invite.closed")),
      h("label", { class: "field" }, t("invite.for"),
        h("select", { onchange: async (/** @type {any} */ event) => {
          wish = JSON.parse(event.target.value);
          await draw();
        } }, wishes(me).map(([label, value]) => h("option", { value: JSON.stringify(value), selected: JSON.stringify(value) === JSON.stringify(wish) }, label)))),
      h("img", { class: "qr", alt: t("invite.qr"), src: `data:image/svg+xml,${encodeURIComponent(invitation.qr)}` }),
      h("p", { class: "small soft break" }, invitation.url),
      h("p", {}, t("invite.pin"), " ", h("strong", { class: "pin" }, now.pin)),
      now.addresses.length > 0 && h("p", { class: "small soft" }, now.addresses.join("   ")),
      now.fingerprint && h("p", { class: "small" }, h("a", { href: "/trust" }, t("invite.trust"))));
  };
  await draw();
  await ask(t("invite"), () => place, t("close"));
}

/** @param {Me} me @returns {Array<[string, any]>} */
function wishes(me) {
  return [
    [t("invite.anyone"), { role: "player", player: null, page: "player" }],
    ...me.players.map((player) => /** @type {[string, any]} */ ([player, { role: "player", player, page: "player" }])),
    [t("invite.viewer"), { role: "viewer", player: null, page: "table" }],
    [t("invite.camera"), { role: "player", player: null, page: "camera" }],
    [t("invite.host"), { role: "host", player: null, page: "table" }],
  ];
}

/** What belongs to this screen alone. @param {Me} me */
async function screenDialog(me) {
  await ask(t("screen"), () => h("div", { class: "stack" },
    h("label", { class: "field" }, t("screen.language"),
      h("select", { onchange: (/** @type {any} */ event) => {
        localStorage.setItem("language", event.target.value);
        location.reload();
      } }, Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === document.documentElement.lang }, name)))),
    me.role === "host" && h("label", { class: "field" }, t("setup.language"),
      h("select", { id: "spoken", onchange: (/** @type {any} */ event) => attempt(() => post("/api/language", { language: event.target.value })) },
        Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === voice.language }, name)))),
    voice.settings(),
    me.role !== null && h("button", { type: "button", class: "quiet", onclick: async () => {
      await attempt(() => post("/api/leave"));
      location.assign("/join");
    } }, t("screen.leave")),
    h("p", { class: "small soft" }, t("about"), " ", h("a", { href: "/web/licence.txt" }, "AGPL-3.0-or-later"), ". ", t("about.marks"))), t("close"));
}

/**
 * Listens to what happens. The stream comes back by itself, and goes on where it broke off.
 * @param {{ view?: (view: any) => void, update?: (update: any) => void, frame?: (frame: any) => void }} on
 */
export function live(on) {
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
    if (update.sentences.length) voice.say(update.sentences);
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
