/** How to trust this table's certificate, system by system. */

import { get, unlessLeft } from "./api.js";
import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { prepare } from "./shell.js";

const me = await prepare(null);
const there = (await unlessLeft(fetch("/api/trust/authority.crt"))).ok;
const pairing = me.role === "host" ? await get("/api/pairing") : null;
const systems = ["iphone", "android", "windows", "macos", "linux"];
const agent = navigator.userAgent;
// An iPad calls itself a Macintosh, of which none has a touch screen.
const own =
  /iPhone|iPad/.test(agent) || (/Mac/.test(agent) && navigator.maxTouchPoints > 1)
    ? "iphone"
    : /Android/.test(agent)
      ? "android"
      : /Windows/.test(agent)
        ? "windows"
        : /Mac/.test(agent)
          ? "macos"
          : "linux";
fill(
  $("#trust"),
  h("p", {}, t("trust.why")),
  there
    ? h(
        "a",
        { class: "button primary big", href: "/api/trust/authority.crt", download: own !== "iphone" },
        t("trust.get"),
      )
    : h("p", { class: "warn" }, t("trust.none")),
  pairing?.fingerprint &&
    h("p", { class: "small break" }, t("trust.fingerprint"), " ", h("code", {}, pairing.fingerprint)),
  h(
    "div",
    { class: "stack" },
    systems.map((system) =>
      h(
        "details",
        { class: "panel", open: system === own },
        h("summary", {}, h("strong", {}, t(`trust.${system}`))),
        h(
          "ol",
          {},
          t(`trust.${system}.steps`)
            .split("|")
            .map((step) => h("li", {}, step)),
        ),
      ),
    ),
  ),
  h("p", {}, t("trust.without")),
  h("p", { class: "small soft" }, t("trust.safe")),
);
