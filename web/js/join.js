/** Joining: by a scanned code or by the PIN; then the choice of a seat. */

import { get, post, Refused } from "./api.js";
import { attempt, worded } from "./attempt.js";
import { avatar } from "./avatar.js";
import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { know } from "./people.js";
import { prepare } from "./shell.js";

/**
 * Where each role is at home, and the pages that a code may lead it to instead.
 * @type {Record<string, { home: string, pages: string[] }>}
 */
const WAYS = {
  host: { home: "/", pages: ["table", "camera", "scores", "broadcast", "tv"] },
  player: { home: "/player", pages: ["player", "table", "camera", "scores"] },
  viewer: { home: "/table", pages: ["table", "scores", "broadcast", "tv"] },
};
const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", location.pathname);
// Another code, opened where this page is open already, loads nothing by itself.
addEventListener("hashchange", () => location.reload());
const me = await prepare(null);
const place = $("#join");

if (given.has("t")) await join({ token: given.get("t") });
else if (me.role !== null) await chooseSeat(me);
else askPin(me.signed_out ? t("refused.signed-out") : "");

/** @param {import("./answers").JoinBody} body */
async function join(body) {
  try {
    const now = await post("/api/join", body);
    const page = given.get("p");
    if (now.role === "host" || now.role === "viewer" || now.player || page === "camera" || !now.players.length)
      onward(now);
    else await chooseSeat(now);
  } catch (error) {
    const now = await get("/api/me");
    // A code works once; whoever comes back to its address has joined already.
    if (body.token && now.role !== null) onward(now);
    else askPin(error instanceof Refused ? worded(error) : t("offline"));
  }
}

/** @param {import("./answers").MeAnswer} now */
function onward(now) {
  const page = given.get("p") ?? "";
  const next = given.get("next") ?? "";
  // The bare address leads to the set-up page, which is the host's: everybody else goes to their own page.
  const fits = next !== "/join" && (next !== "/" || now.role === "host");
  if (fits && /^\/[a-z]*(\?[\w=&%.-]*)?$/.test(next)) location.replace(next);
  else {
    const { home, pages } = WAYS[now.role ?? "viewer"];
    location.replace(pages.includes(page) ? `/${page}` : home);
  }
}

/** @param {string} wrong */
function askPin(wrong) {
  const field = h("input", {
    id: "pin",
    inputmode: "numeric",
    autocomplete: "one-time-code",
    maxlength: "6",
    class: "pin-field",
    "aria-describedby": "pin-help",
    required: true,
  });
  fill(
    place,
    h("p", { id: "pin-help" }, t("join.how")),
    // Who sits at the companion's own computer is most likely its host.
    ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname) &&
      h("p", { class: "panel", id: "host-link" }, t("join.host")),
    wrong && h("p", { class: "warn", role: "alert" }, wrong),
    h(
      "form",
      {
        class: "stack",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          join({ pin: field.value.trim() });
        },
      },
      h("label", { class: "field" }, t("join.pin"), field),
      h("button", { class: "primary big" }, t("join.go")),
    ),
  );
  field.focus();
}

/** @param {import("./answers").MeAnswer} now */
async function chooseSeat(now) {
  await know(now.players);
  fill(
    place,
    h("h2", {}, t("join.who")),
    h(
      "div",
      { class: "actions actions-big" },
      now.players.map((/** @type {string} */ player) =>
        h(
          "button",
          { type: "button", "aria-pressed": now.player === player, onclick: () => sit(player) },
          avatar(player),
          player,
        ),
      ),
    ),
    h("button", { type: "button", class: "quiet", onclick: watch }, t("join.watch")),
  );
}

async function watch() {
  if (me.role !== "host") await attempt(() => post("/api/watch"));
  location.assign("/table");
}

/** @param {string} player */
async function sit(player) {
  try {
    onward(await post("/api/seat", { player }));
  } catch (error) {
    if (error instanceof Refused && error.status === 403) location.assign("/table");
    else askPin(error instanceof Refused ? worded(error) : t("offline"));
  }
}
