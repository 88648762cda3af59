/** How the camera is placed, in three steps, on the first visit: choose it, place it, then names and start. */

import { h } from "./dom.js";
import { t } from "./i18n.js";

/** Where this browser keeps that it was shown the way, or wanted none of it. */
const KEPT = "guided";
const STEPS = ["choose", "place", "start"];

/** Whether this browser still has to be shown the way. */
export const isNew = () => localStorage.getItem(KEPT) === null;

/**
 * Shows the way until it is done or skipped; then everything is back where it was.
 * @param {Element} place
 * @param {{ camera: Element, picture: Element, done: () => void }} lent
 *   camera: where a camera is chosen; picture: what it sees, with what hinders it; done: called at the end
 */
export function guide(place, { camera, picture, done }) {
  // The two are lent: the page keeps their places.
  const homes = [camera, picture].map((element) => {
    const home = document.createComment("");
    element.before(home);
    return { element, home };
  });
  let step = 0;
  const body = h("div", { class: "stack" });
  const marks = STEPS.map((name, i) => h("li", {}, h("span", { class: "guide-number" }, i + 1), t(`guide.${name}`)));
  const back = h(
    "button",
    { type: "button", class: "quiet", id: "guide-back", onclick: () => show(step - 1) },
    t("guide.back"),
  );
  const next = h("button", { type: "button", class: "primary", id: "guide-next", onclick: () => show(step + 1) });
  const end = () => {
    localStorage.setItem(KEPT, "yes");
    for (const { element, home } of homes) home.replaceWith(element);
    place.replaceChildren();
    done();
  };
  const show = (/** @type {number} */ to) => {
    if (to >= STEPS.length) return end();
    step = to;
    for (const [i, mark] of marks.entries()) {
      if (i === step) mark.setAttribute("aria-current", "step");
      else mark.removeAttribute("aria-current");
    }
    back.disabled = step === 0;
    next.textContent = t(step === STEPS.length - 1 ? "guide.done" : "guide.next");
    for (const { element, home } of homes) home.after(element);
    const said = h("p", {}, t(`guide.${STEPS[step]}.says`, { camera: t("setup.camera") }));
    body.replaceChildren(said, ...(step === 0 ? [camera] : step === 1 ? [picture] : []));
    if (step === 1 && picture.hasAttribute("hidden"))
      body.append(h("p", { class: "soft", id: "guide-dark" }, t("guide.dark")));
  };
  // What the camera sees comes by itself, as soon as there is any.
  new MutationObserver(() => picture.hasAttribute("hidden") || document.querySelector("#guide-dark")?.remove()).observe(
    picture,
    { attributes: true, attributeFilter: ["hidden"] },
  );
  place.replaceChildren(
    h(
      "section",
      { class: "panel stack guide", "aria-labelledby": "guide-title" },
      h(
        "div",
        { class: "row spread" },
        h("h2", { id: "guide-title" }, t("guide.title")),
        h("button", { type: "button", class: "quiet small-button", id: "guide-skip", onclick: end }, t("guide.skip")),
      ),
      h("ol", { class: "plain guide-steps" }, marks),
      body,
      h("div", { class: "row end" }, back, next),
    ),
  );
  show(0);
}
