/** A moment of theatre for what the item box turned up. */

import { itemIcon } from "./card.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

const SECONDS = 3.2;

/** Shows the item of an update's ruling, if there is one. @param {any} update */
export function playItem(update) {
  const effect = update.ruling?.effects.find((/** @type {any} */ one) => one.effect === "item");
  if (!effect || update.kind !== "ruling") return;
  document.querySelector(".theatre")?.remove();
  const stage = h("div", { class: `theatre theatre-${effect.item.replace(" ", "-")}`, "aria-hidden": "true", onclick: () => stage.remove() },
    h("div", { class: "theatre-rays" }),
    h("div", { class: "theatre-item" }, itemIcon(effect.item)),
    h("p", { class: "theatre-name" }, t(`item.${effect.item}`)),
    h("p", { class: "theatre-what" }, update.sentences.slice(1).join(" ")));
  document.body.append(stage);
  setTimeout(() => stage.remove(), SECONDS * 1000);
}
