/** The host's dialog about other devices: inviting one, and signing one out. */

import { get, post, remove } from "./api.js";
import { attempt } from "./attempt.js";
import { ask, fill, h, toast } from "./dom.js";
import { t } from "./i18n.js";

/** Shows how another device joins, and which have. @param {import("./shell.js").Me} me */
export async function invite(me) {
  const place = h("div", { class: "stack" });
  const joined = h("section", { class: "stack", "aria-labelledby": "devices-title" });
  /** @type {import("./answers").InvitationBody} */
  let wish = { role: "player", player: null, page: "player" };
  const draw = async () => {
    const asked = wish;
    const [now, invitation] = await Promise.all([get("/api/pairing"), post("/api/pairing/invitations", asked)]);
    // Something else may have been chosen meanwhile: its code is on the way, or there already.
    if (asked !== wish) return;
    fill(
      place,
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: now.open,
          onchange: async (event) => {
            await attempt(() => post("/api/lan", { open: event.target.checked }));
            await draw();
          },
        }),
        t("invite.open"),
      ),
      // While the doors are closed, no code leads anywhere from another device.
      now.open ? way(now, invitation) : h("p", { class: "warn" }, t("invite.closed")),
    );
  };
  const way = (
    /** @type {import("./answers").PairingAnswer} */ now,
    /** @type {import("./answers").InvitationAnswer} */ invitation,
  ) => [
    h(
      "label",
      { class: "field" },
      t("invite.for"),
      h(
        "select",
        {
          onchange: async (event) => {
            wish = JSON.parse(event.target.value);
            await draw();
          },
        },
        wishes(me).map(([label, value]) =>
          h(
            "option",
            { value: JSON.stringify(value), selected: JSON.stringify(value) === JSON.stringify(wish) },
            label,
          ),
        ),
      ),
    ),
    h("img", { class: "qr", alt: t("invite.qr"), src: `data:image/svg+xml,${encodeURIComponent(invitation.qr)}` }),
    h("p", { class: "small soft break" }, invitation.url),
    h(
      "div",
      { class: "row spread" },
      h("p", {}, t("invite.pin"), " ", h("strong", { class: "pin" }, now.pin)),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          id: "new-pin",
          onclick: async () => {
            if (await attempt(() => post("/api/pairing/pin"))) await draw();
          },
        },
        t("invite.newpin"),
      ),
    ),
    now.addresses.length > 0 && h("p", { class: "small soft" }, now.addresses.join("   ")),
    now.interfaces.length > 1 && drawAddresses(now.interfaces, draw),
    now.fingerprint && h("p", { class: "small" }, h("a", { href: "/trust" }, t("invite.trust"))),
  ];
  if (
    (await attempt(async () => {
      await draw();
      await drawJoined(joined);
      return true;
    })) === null
  )
    return;
  await ask(t("invite"), () => [place, joined], t("close"));
}

/**
 * The addresses of this computer, of which at least one is served.
 * @param {import("./answers").InterfaceAnswer[]} interfaces @param {() => Promise<void>} changed
 */
function drawAddresses(interfaces, changed) {
  const choose = async () => {
    const addresses = interfaces.filter((_, i) => boxes[i].checked).map((one) => one.address);
    if (!addresses.length) toast(t("invite.last"));
    else await attempt(() => post("/api/lan", { open: true, addresses }));
    await changed();
  };
  const boxes = interfaces.map(({ served }) => h("input", { type: "checkbox", checked: served, onchange: choose }));
  return h(
    "fieldset",
    { id: "addresses" },
    h("legend", {}, t("invite.addresses")),
    interfaces.map(({ name, address, kind }, i) =>
      h(
        "label",
        { class: "check", "data-key": address },
        boxes[i],
        h("span", {}, address, " ", h("span", { class: "small soft" }, `${name} · ${t(`invite.${kind}`)}`)),
      ),
    ),
  );
}

/** @param {HTMLElement} place */
async function drawJoined(place) {
  const { devices } = await get("/api/devices");
  fill(
    place,
    h("h3", { id: "devices-title" }, t("devices")),
    h(
      "ul",
      { class: "plain devices" },
      devices.map((device) => {
        const name = [device.player ?? t(`role.${device.role}`), device.system].filter(Boolean).join(" · ");
        const more = [
          device.player && t(`role.${device.role}`),
          t(device.connected ? "devices.connected" : "devices.away"),
        ];
        return h(
          "li",
          { class: "row spread", "data-device": device.id },
          h("div", {}, h("strong", {}, name), h("p", { class: "small soft" }, more.filter(Boolean).join(" · "))),
          device.own
            ? h("span", { class: "soft" }, t("devices.own"))
            : h(
                "button",
                {
                  type: "button",
                  class: "quiet",
                  "aria-label": t("devices.dismiss.one", { device: name }),
                  onclick: async () => {
                    await attempt(() => remove(`/api/devices/${encodeURIComponent(device.id)}`));
                    await drawJoined(place);
                  },
                },
                t("devices.dismiss"),
              ),
        );
      }),
    ),
  );
}

/** @param {import("./shell.js").Me} me @returns {Array<[string, import("./answers").InvitationBody]>} */
function wishes(me) {
  return [
    [t("invite.anyone"), { role: "player", player: null, page: "player" }],
    ...me.players.map(
      (player) =>
        /** @type {[string, import("./answers").InvitationBody]} */ ([
          player,
          { role: "player", player, page: "player" },
        ]),
    ),
    [t("invite.viewer"), { role: "viewer", player: null, page: "table" }],
    [t("invite.camera"), { role: "player", player: null, page: "camera" }],
    [t("invite.host"), { role: "host", player: null, page: "table" }],
  ];
}
