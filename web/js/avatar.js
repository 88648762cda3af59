/** A face for each person, drawn by us: an animal on the person's colour. It depends on the person's number. */

import { svg } from "./dom.js";
import { numberOf, personColor } from "./people.js";

const INK = "#2a2233";
const EYES = `<g fill="${INK}"><circle cx="39" cy="52" r="4.5"/><circle cx="61" cy="52" r="4.5"/></g>`;
const SMILE = `<path d="M43 68q7 6 14 0" fill="none" stroke="${INK}" stroke-width="3.5" stroke-linecap="round"/>`;

/** One animal per person, in a box of 100, in light colours that stand out from any person's. */
const ANIMALS = [
  // A cat.
  `<path d="M24 22l16 14h20l16-14v30a26 28 0 0 1-52 0z" fill="#ffe9c9"/>${EYES}
  <path d="M47 60h6l-3 4zM18 58l14 3M18 68l14-3M82 58l-14 3M82 68l-14-3" fill="${INK}" stroke="${INK}"
  stroke-width="2.5" stroke-linecap="round"/>${SMILE}`,
  // A bear.
  `<g fill="#e9c9a6"><circle cx="28" cy="32" r="12"/><circle cx="72" cy="32" r="12"/><circle cx="50" cy="56"
  r="30"/></g><ellipse cx="50" cy="66" rx="14" ry="11" fill="#fff4e4"/>${EYES}
  <ellipse cx="50" cy="61" rx="5" ry="4" fill="${INK}"/>
  ${SMILE}`,
  // A frog.
  `<g fill="#d6f2b4"><circle cx="34" cy="32" r="13"/><circle cx="66" cy="32" r="13"/><ellipse cx="50" cy="58" rx="33"
  ry="26"/></g><g fill="${INK}"><circle cx="34" cy="32" r="5"/><circle cx="66" cy="32" r="5"/></g>
  <path d="M30 62q20 16 40 0" fill="none" stroke="${INK}" stroke-width="4" stroke-linecap="round"/>`,
  // A fox.
  `<path d="M20 20l20 14h20l20-14-4 36-26 28-26-28z" fill="#ffc896"/><path d="M26 56l24 26 24-26-16 4-8 10-8-10z"
  fill="#fff6ec"/>${EYES}<circle cx="50" cy="78" r="5" fill="${INK}"/>`,
  // A rabbit.
  `<g fill="#f3e8f7"><ellipse cx="38" cy="24" rx="8" ry="20"/><ellipse cx="62" cy="24" rx="8" ry="20"/><circle cx="50"
  cy="58" r="26"/></g>${EYES}<path d="M46 61h8l-4 5z" fill="#d8749a"/>${SMILE}`,
  // An owl.
  `<path d="M24 26l14 8h24l14-8v34a26 26 0 0 1-52 0z" fill="#f1dfb9"/><g fill="#fff"><circle cx="39" cy="50" r="12"/>
  <circle cx="61" cy="50" r="12"/></g><g fill="${INK}"><circle cx="39" cy="50" r="6"/><circle cx="61" cy="50"
  r="6"/></g>  <path d="M45 60h10l-5 10z" fill="#e8982f"/>`,
  // A pig.
  `<path d="M24 24l16 10h20l16-10-4 20a28 28 0 1 1-44 0z" fill="#ffd3dd"/>${EYES}<ellipse cx="50" cy="66" rx="13" ry="9"
  fill="#f5a3b7"/><g fill="${INK}"><circle cx="45" cy="66" r="2.5"/><circle cx="55" cy="66" r="2.5"/></g>`,
  // A penguin.
  `<circle cx="50" cy="54" r="32" fill="#39415c"/><path d="M50 34q16-8 20 12a21 22 0 1 1-40 0q4-20 20-12z" fill="#fff"/>
  ${EYES}<path d="M42 60h16l-8 9z" fill="#f4a62a"/>`,
  // A dog.
  `<circle cx="50" cy="54" r="28" fill="#fff1dc"/><g fill="#b9804e"><path d="M26 30q-14 4-8 34 10 2 14-12zM74 30q14 4 8
  34-10 2-14-12z"/></g>${EYES}<ellipse cx="50" cy="63" rx="6" ry="4.5" fill="${INK}"/>${SMILE}`,
  // A panda.
  `<g fill="${INK}"><circle cx="27" cy="32" r="12"/><circle cx="73" cy="32" r="12"/></g><circle cx="50" cy="56" r="30"
  fill="#fff"/><g fill="${INK}"><ellipse cx="38" cy="52" rx="9" ry="11" transform="rotate(20 38 52)"/><ellipse cx="62"
  cy="52" rx="9" ry="11" transform="rotate(-20 62 52)"/><ellipse cx="50" cy="66" rx="5" ry="4"/></g><g fill="#fff">
  <circle cx="39" cy="51" r="3.5"/><circle cx="61" cy="51" r="3.5"/></g>${SMILE}`,
];

/** A person's face. Beyond ten people, colours and animals are paired differently. @param {string} name */
export function avatar(name) {
  const number = numberOf(name);
  const animal = ANIMALS[(number + Math.floor(number / ANIMALS.length)) % ANIMALS.length];
  const element = svg(`<circle cx="50" cy="50" r="50" fill="currentColor"/>${animal}`, "0 0 100 100");
  element.classList.add("avatar");
  element.style.color = personColor(name);
  return element;
}
