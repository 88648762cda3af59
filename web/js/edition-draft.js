/** A draft of an edition: the values of its file, and how they change. Draws nothing. */

/**
 * @typedef {Record<string, string>} Texts a text by language
 * @typedef {import("./edition-verbs.js").Step} Step
 * @typedef {{ name?: Texts, text?: Texts, points?: number, reads_as?: string[], start?: string, answers?: string,
 *   when_played?: Step[], when_drawn?: Step[], [key: string]: unknown }} Face
 * @typedef {{ name?: Texts, text?: Texts, bears?: unknown[], when_turned_up?: Step[], [key: string]: unknown }} Mark
 * @typedef {{ format: 1, id: string, name: Texts, based_on?: string, checked?: string, deck: Record<string, number>,
 *   faces: Record<string, Face>, marks: Record<string, Mark>, options?: Record<string, boolean | number | string>,
 *   [key: string]: unknown }} Draft
 */

/** Plain words of a text: lower case, without accents. @param {string} text @returns {string[]} */
const words = (text) =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/** An ID for a name, one that is free. @param {string} name @param {Iterable<string>} taken */
export function idOf(name, taken = []) {
  return free(words(name).join("-").slice(0, 34).replace(/-$/, "") || "my-deck", "-", taken);
}

/** @param {string} id @param {string} gap @param {Iterable<string>} taken */
function free(id, gap, taken) {
  const known = new Set(taken);
  let number = 2;
  let found = id;
  while (known.has(found)) found = `${id}${gap}${number++}`;
  return found;
}

/**
 * The ID of a special face: what has no colour begins with "wild".
 * @param {string} name @param {boolean} wild @param {Draft} draft @param {string[]} colors
 */
export function faceIdOf(name, wild, draft, colors) {
  let found = words(name).filter((word) => word !== "wild");
  if (!found.length) found = ["card"];
  if (wild) found = ["wild", ...found];
  else if (colors.includes(found[0]) || found.every((word) => /^\d+$/.test(word))) found = ["card", ...found];
  return free(found.join(" ").slice(0, 34).trim(), " ", [
    ...Object.keys(draft.deck),
    ...Object.keys(draft.faces),
    ...Object.keys(draft.marks),
    "turn",
    "challenge",
    "uno",
    "debt",
  ]);
}

/** A draft from the values of a file; missing tables are there and empty. @param {Record<string, unknown>} values */
export const draftOf = (values) =>
  /** @type {Draft} */ ({ deck: {}, faces: {}, marks: {}, ...structuredClone(values) });

/** A draft of nothing but a name. @param {string} name @param {string} language @param {Iterable<string>} taken */
export const emptyDraft = (name, language, taken) =>
  draftOf({ format: 1, id: idOf(name, taken), name: { [language]: name }, based_on: "classic", checked: "own" });

/** The values to write: empty tables and lists are left out. @param {Draft} draft @returns {Record<string, unknown>} */
export function valuesOf(draft) {
  const empty = (/** @type {unknown} */ value) =>
    (Array.isArray(value) && !value.length) ||
    (value !== null && typeof value === "object" && !Array.isArray(value) && !Object.keys(value).length);
  return Object.fromEntries(
    Object.entries(draft)
      .filter(([, value]) => !empty(value))
      .map(([key, value]) =>
        key === "faces" || key === "marks"
          ? [key, Object.fromEntries(Object.entries(tables(value)).map(([id, table]) => [id, without(table, empty)]))]
          : [key, value],
      ),
  );
}

/** @param {unknown} value */
const tables = (value) => /** @type {Record<string, Record<string, unknown>>} */ (value);

/** @param {Record<string, unknown>} table @param {(value: unknown) => boolean} empty */
const without = (table, empty) => Object.fromEntries(Object.entries(table).filter(([, value]) => !empty(value)));

/** A text in a language, as the companion shows it. @param {Texts | undefined} texts @param {string} language */
export const textIn = (texts, language) => texts?.[language] ?? texts?.en ?? Object.values(texts ?? {})[0] ?? "";

/**
 * Texts with another one in a language; an empty one is left out.
 * @param {Texts | undefined} texts @param {string} language @param {string} text
 */
export function withText(texts, language, text) {
  const others = Object.entries(texts ?? {}).filter(([code]) => code !== language);
  return Object.fromEntries(text.trim() ? [...others, [language, text.trim()]] : others);
}

/** @template V @param {Record<string, V>} table @param {string} from @param {string} to */
const keyed = (table, from, to) =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key === from ? to : key, value]));

/**
 * Values in which a face has another ID in every filter.
 * @param {unknown} value @param {string} from @param {string} to @returns {unknown}
 */
function renamed(value, from, to) {
  if (Array.isArray(value)) return value.map((one) => renamed(one, from, to));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (key !== "face") return [key, renamed(one, from, to)];
      return [key, Array.isArray(one) ? one.map((id) => (id === from ? to : id)) : one === from ? to : one];
    }),
  );
}

/**
 * Gives a special face another ID, wherever it is named.
 * @param {Draft} draft @param {string} from @param {string} to
 */
export function renameFace(draft, from, to) {
  draft.deck = keyed(draft.deck, from, to);
  draft.faces = /** @type {Record<string, Face>} */ (renamed(keyed(draft.faces, from, to), from, to));
  draft.marks = /** @type {Record<string, Mark>} */ (renamed(draft.marks, from, to));
}

/**
 * Adds a special card that chooses the colour and makes the next player draw two.
 * @param {Draft} draft @param {string} name @param {string} language @param {string[]} colors
 */
export function addFace(draft, name, language, colors) {
  const id = faceIdOf(name, true, draft, colors);
  draft.deck[id] = 4;
  draft.faces[id] = {
    name: { [language]: name },
    reads_as: ["wild"],
    when_played: [{ color: "choose" }, { penalty: 2 }],
  };
  return id;
}

/** Takes a special card out. @param {Draft} draft @param {string} id */
export function removeFace(draft, id) {
  delete draft.deck[id];
  delete draft.faces[id];
}

/**
 * Adds a mark that all cards of the first colour bear.
 * @param {Draft} draft @param {string} name @param {string} language @param {string[]} colors
 */
export function addMark(draft, name, language, colors) {
  const id = free(words(name).join(" ").slice(0, 34) || "mark", " ", [
    ...Object.keys(draft.marks),
    ...Object.keys(draft.faces),
  ]);
  draft.marks[id] = { name: { [language]: name }, bears: [{ color: colors[0] }] };
  return id;
}

/** Whether a face has no colour. @param {string} id */
export const isWildFace = (id) => id === "wild" || id.startsWith("wild ");
