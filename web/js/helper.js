/** The worst obstacle to reading the table, one at a time, outlined on the picture. */

import { post } from "./api.js";
import { h } from "./dom.js";
import { has, t } from "./i18n.js";
import { outline } from "./picture.js";

/** How long (ms) after an answer it is looked again: reading a picture takes the computer a while. */
const EVERY = 2000;

/** @typedef {import("./answers").HelpAnswer} Look */

/** What is to be mended, in words. @param {Look["advice"]} advice */
function said({ hindrance, nearer, measured }) {
  const key = `helper.${hindrance}`;
  if (!has(key)) return "";
  // Pixels, degrees and levels are shown as they are, shares in percent.
  return t(key, { percent: Math.round(nearer * 100), value: Math.round(measured), share: Math.round(measured * 100) });
}

/**
 * Looks again and again while it is wanted, and says what it finds.
 * @param {HTMLElement} place @param {HTMLCanvasElement} canvas laid over the picture @param {() => boolean} wanted
 * @param {() => boolean} gone whether the picture is an old one: then nothing is well
 */
export function help(place, canvas, wanted, gone = () => false) {
  const line = h("p", { class: "helper", role: "status", hidden: true });
  canvas.classList.add("helper-outline");
  place.append(line);
  const look = async () => {
    /** @type {Look | null} */
    const seen = wanted() && !document.hidden ? await post("/api/camera/advice").catch(() => null) : null;
    const good = seen?.advice.hindrance === "nothing";
    const text = seen && !(good && gone()) ? said(seen.advice) : "";
    line.hidden = text === "";
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("good", good);
    line.classList.toggle("warn", !good);
    canvas.width = seen?.width ?? 1;
    canvas.height = seen?.height ?? 1;
    if (seen?.advice.quad && text) outline(canvas, seen.advice.quad, good ? "#3ecf6d" : "#ff9d4d");
    setTimeout(look, EVERY);
  };
  look();
}
