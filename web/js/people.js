/** The people at the table: each has a colour and a shape, the same on every screen and every evening. */

import { get } from "./api.js";
import { h, svg } from "./dom.js";

/** How many colours and shapes there are; the style sheet has the colours as --person-0 and so on. */
const MARKS = 10;

/** One shape per person, in a box of 20; none of those that stand for the cards' colours. */
const SHAPES = [
  '<path d="m10 1.5 2.5 5.6 6.1.6-4.6 4.1 1.3 6L10 14.7l-5.3 3.1 1.3-6L1.4 7.7l6.1-.6z"/>',
  '<path d="M10 18C4 13.5 1.5 10.5 1.5 7a4.3 4.3 0 0 1 8.5-1.5A4.3 4.3 0 0 1 18.5 7c0 3.5-2.5 6.5-8.5 11z"/>',
  '<path d="m10 1.2 7.6 4.4v8.8L10 18.8l-7.6-4.4V5.6z"/>',
  '<path d="M13.5 1.8A8.6 8.6 0 1 0 18 14.5 7.2 7.2 0 0 1 13.5 1.8z"/>',
  '<path d="M10 1c3.5 5 6 8 6 11.5a6 6 0 0 1-12 0C4 9 6.5 6 10 1z"/>',
  '<path d="M7 1.5h6V7h5.5v6H13v5.5H7V13H1.5V7H7z"/>',
  '<path d="M11.5 1 3.5 11.5h5L7.5 19l9-11.5h-5.3z"/>',
  '<path fill-rule="evenodd" d="M10 1.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zm0 5a3.5 3.5 0 1 1 0 7 ' +
    '3.5 3.5 0 0 1 0-7z"/>',
  '<path d="m10 1.5 8.5 6.2-3.2 10H4.7l-3.2-10z"/>',
  '<path d="M10 10C7 7.5 5.5 6 5.5 4.5a4.5 4.5 0 0 1 9 0C14.5 6 13 7.5 10 10c2.5-3 4-4.5 5.5-4.5a4.5 ' +
    "4.5 0 0 1 0 9C14 14.5 12.5 13 10 10c3 2.5 4.5 4 4.5 5.5a4.5 4.5 0 0 1-9 0c0-1.5 1.5-3 4.5-5.5-2.5 " +
    '3-4 4.5-5.5 4.5a4.5 4.5 0 0 1 0-9C6 5.5 7.5 7 10 10z"/>',
];

/** @type {Record<string, number>} */
let numbers = {};

/** Learns the numbers of these people where one is not known yet. @param {string[]} names */
export async function know(names) {
  if (names.every((name) => name in numbers)) return;
  const found = await get("/api/people").catch(() => null);
  if (found) numbers = found.people;
  for (const name of names) {
    // Who played before people had numbers gets one for this page.
    if (!(name in numbers)) numbers[name] = Math.max(-1, ...Object.values(numbers)) + 1;
  }
}

/** The person's number, counted from 0. @param {string} name */
export const numberOf = (name) => numbers[name] ?? 0;

/** The colour of a person, for a style sheet. @param {string} name */
export function personColor(name) {
  return `var(--person-${numberOf(name) % MARKS})`;
}

/** The same, as it is now, for a canvas. @param {string} name */
export function personInk(name) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue(`--person-${numberOf(name) % MARKS}`)
    .trim();
}

/**
 * A person's shape in a box of 20, as markup. Beyond ten people, colours and shapes are paired differently.
 * @param {string} name
 */
export function personShape(name) {
  const n = numberOf(name);
  return SHAPES[(n + Math.floor(n / MARKS)) % MARKS];
}

/** A person's mark: the shape in the colour. @param {string} name */
export function mark(name) {
  const element = svg(`<g fill="currentColor">${personShape(name)}</g>`, "0 0 20 20");
  element.classList.add("mark");
  element.style.color = personColor(name);
  return element;
}

/** A person's name with the mark before it. @param {string} name */
export function person(name) {
  return h("span", { class: "person" }, mark(name), h("span", {}, name));
}
