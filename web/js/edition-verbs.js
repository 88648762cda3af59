/** The vocabulary of edition files: the verbs of a special card's steps, whom they apply to, and their values. */

/**
 * @typedef {Record<string, unknown>} Step a step as a file has it
 * @typedef {{ numbers?: number, words?: string[], filter?: boolean }} Takes
 *   numbers: 1 to so many; words: others that may stand in their place; filter: a kind of card
 * @typedef {{ key: string, takes: Takes, who: string[], first: unknown, more?: Record<string, Takes>,
 *   asks?: boolean }} Verb
 *   key: the step's key; who: whom it may be said of, nobody to choose from where empty; first: its value at the
 *   beginning; more: further keys; asks: whether steps follow for yes and for no
 */

const ONE = ["self", "next", "previous", "chosen"];
const ANYBODY = [...ONE, "others", "all", "most", "fewest"];
const OTHER = ["chosen", "next", "previous"];

/** All verbs by the name that the page gives them. @type {Record<string, Verb>} */
export const VERBS = {
  draw: { key: "draw", takes: { numbers: 25, words: ["told"] }, who: ANYBODY, first: 2 },
  draw_until: { key: "draw_until", takes: { filter: true }, who: ANYBODY, first: "any" },
  draw_to: { key: "draw_to", takes: { numbers: 25, words: ["most"] }, who: ANYBODY, first: "most" },
  penalty: { key: "penalty", takes: { numbers: 25 }, who: [], first: 2 },
  demand: {
    key: "demand",
    takes: { filter: true },
    who: [],
    first: { number: true },
    more: { else: { numbers: 25 } },
  },
  color: { key: "color", takes: { words: ["choose", "random"] }, who: ONE, first: "choose" },
  target: { key: "target", takes: { words: ["others", "all"] }, who: [], first: "others" },
  skip: { key: "skip", takes: { numbers: 9, words: ["all"] }, who: [], first: 1 },
  reverse: { key: "reverse", takes: {}, who: [], first: true },
  again: { key: "again", takes: {}, who: [], first: true },
  shed: {
    key: "shed",
    takes: { filter: true },
    who: ANYBODY,
    first: { color: "in force" },
    more: { up_to: { numbers: 25, words: ["any"] } },
  },
  shed_exactly: {
    key: "shed",
    takes: {},
    who: ANYBODY,
    first: "any",
    more: { exactly: { numbers: 25, words: ["half"] } },
  },
  take: { key: "take", takes: { numbers: 5 }, who: ANYBODY, first: 1 },
  swap: { key: "swap", takes: { words: OTHER }, who: [], first: "chosen" },
  rotate: { key: "rotate", takes: {}, who: [], first: true },
  pool: { key: "pool", takes: { words: ["all", "two"] }, who: [], first: "all" },
  refresh: { key: "refresh", takes: {}, who: ANYBODY, first: true },
  peek: { key: "peek", takes: { words: OTHER }, who: [], first: "next" },
  reveal: { key: "reveal", takes: { filter: true }, who: ANYBODY, first: { color: "in force" }, asks: true },
  dare: { key: "dare", takes: {}, who: ANYBODY, first: true, asks: true },
  rule: { key: "rule", takes: {}, who: [], first: true },
  turn_up: { key: "turn_up", takes: {}, who: [], first: true },
};

/** Verbs that may not follow an answer. */
const NOT_ASKED = new Set(["again", "turn_up", "penalty", "demand", "reveal", "dare"]);

/** Whom a verb is said of where nothing is chosen. @param {string} name */
export const unsaid = (name) => (name === "reveal" || name === "dare" ? "next" : "self");

/** The name of a step's verb. @param {Step} step */
export function verbOf(step) {
  const found = Object.keys(VERBS).find((name) => VERBS[name].key in step) ?? "draw";
  return found === "shed" && "exactly" in step ? "shed_exactly" : found;
}

/** The verbs that may stand here. @param {"played" | "turned" | "asked"} place */
export const verbsIn = (place) =>
  Object.keys(VERBS).filter(
    (name) => !(place === "asked" && NOT_ASKED.has(name)) && !(place === "turned" && name === "turn_up"),
  );

/** Whom a verb may be said of here. @param {string} name @param {"played" | "turned" | "asked"} place */
export function selectorsIn(name, place) {
  const { who } = VERBS[name];
  return place === "asked" && who.length && name !== "color" ? [...who, "asked"] : who;
}

/**
 * A fresh step with this verb; whom the one before it was said of stays if it may.
 * @param {string} name @param {Step} [before]
 */
export function freshStep(name, before = {}) {
  const verb = VERBS[name];
  /** @type {Step} */
  const step = { [verb.key]: verb.first };
  if (typeof before.who === "string" && verb.who.includes(before.who)) step.who = before.who;
  if ("if" in before) step.if = before.if;
  for (const [key, takes] of Object.entries(verb.more ?? {})) if (!takes.words?.includes("any")) step[key] = 2;
  return step;
}
