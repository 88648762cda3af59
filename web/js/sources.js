/** The choice of a camera: this computer's cameras, a phone, the simulated table, a file or stream, or none. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { fill, h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Draws what there is to choose; a choice holds at once.
 * @param {HTMLElement} place
 * @param {{ simulated: boolean, none: boolean, again?: boolean, listed?: (source: string | null) => void,
 *   chosen?: (source: string | null) => void }} offer
 *   simulated: whether the simulated table is offered; none: whether no camera is; again: whether the camera that was
 *   used last is taken where none watches; listed: called with what watches; chosen: called when another one watches
 */
export async function drawSources(place, offer) {
  const [listed, now] = await Promise.all([attempt(() => get("/api/cameras")), attempt(() => get("/api/camera"))]);
  let source = now?.source ?? null;
  offer.listed?.(source);
  const cameras = listed?.cameras ?? [];
  /** @type {Array<[string, string, string | null]>} */
  const options = cameras.map((one) => [
    one.source,
    one.source === listed?.last ? `${one.name} (${t("source.last")})` : one.name,
    one.source === source ? null : `/api/cameras/${one.number}/preview`,
  ]);
  options.push(["phone", t("source.phone"), null]);
  if (offer.simulated || source === "simulated") options.push(["simulated", t("source.simulated"), null]);
  if (offer.none) options.push(["", t("source.none"), null]);
  const other = source !== null && !options.some(([key]) => key === source) ? source : "";
  const field = h("input", {
    id: "source-other",
    value: other,
    placeholder: t("source.other.help"),
    "aria-label": t("source.other"),
  });
  const take = async (/** @type {string} */ value) => {
    const taken = await attempt(() => post("/api/camera", { source: value || null }));
    if (taken) {
      source = taken.source;
      offer.chosen?.(source);
    }
    /** @type {NodeListOf<HTMLInputElement>} */
    const radios = place.querySelectorAll('[name="source"]');
    for (const radio of radios) radio.checked = radio.value === (source ?? "");
  };
  fill(
    place,
    h(
      "div",
      { class: "sources", role: "radiogroup", "aria-label": t("setup.camera") },
      options.map(([key, name, picture]) =>
        h(
          "label",
          { class: "source" },
          h("input", {
            type: "radio",
            name: "source",
            value: key,
            checked: (source ?? "") === key,
            onchange: () => take(key),
          }),
          picture && h("img", { src: picture, alt: "" }),
          h("span", {}, name),
        ),
      ),
    ),
    h("p", { class: "small soft" }, h("a", { href: "/camera" }, t("setup.camera.phone"))),
    h(
      "details",
      { open: other !== "" },
      h("summary", {}, t("source.other")),
      h(
        "div",
        { class: "row" },
        h("div", { class: "grow" }, field),
        h("button", { type: "button", onclick: () => take(field.value.trim()) }, t("source.use")),
      ),
    ),
  );
  const last = cameras.find((one) => one.source === listed?.last);
  if (offer.again && source === null && last) await take(last.source);
}
