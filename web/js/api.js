/** Talks to the server. Everything that a page wants or does goes through here. */

/** What the server refused, with its own words. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {Partial<import("./answers").RefusalAnswer>} [answer]
   * @param {string} [otherwise] what to say without one
   */
  constructor(status, answer = {}, otherwise = "") {
    super(answer.message ?? otherwise);
    this.status = status;
    this.code = answer.error ?? "failure";
    /** Of a value that was sent: what it does not keep to, and the number in that. */
    this.rule = answer.rule ?? null;
    this.limit = answer.limit ?? null;
  }
}

/**
 * How long (ms) a failed request waits. A page that is being left fails its requests, but it is gone before that: no
 * such failure is shown or logged.
 */
const LEAVING = 400;

/**
 * What a request answers; its failure only where the page stays.
 * @template T
 * @param {Promise<T>} request
 */
export const unlessLeft = (request) =>
  request.catch(async (error) => {
    await new Promise((resolve) => setTimeout(resolve, LEAVING));
    throw error;
  });

/**
 * @param {string} method @param {string} path @param {unknown} [body] JSON, or a Blob or FormData sent as it is
 * @returns {Promise<unknown>} the JSON answered, null for none
 */
async function send(method, path, body) {
  /** @type {RequestInit} */
  const options = { method, credentials: "same-origin" };
  if (body instanceof Blob) {
    options.body = body;
    options.headers = { "Content-Type": body.type };
  } else if (body instanceof FormData) {
    options.body = body;
  } else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  const response = await unlessLeft(fetch(path, options));
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const json = isJson ? await unlessLeft(response.json()) : null;
  if (!response.ok) throw new Refused(response.status, json ?? {}, response.statusText);
  return json;
}

// What is asked for and answered at which path is in the API's own description.
export const get = /** @type {import("./answers").Get} */ ((/** @type {string} */ path) => send("GET", path));
export const post = /** @type {import("./answers").Post} */ (
  (/** @type {string} */ path, /** @type {unknown} */ body = undefined) => send("POST", path, body)
);
export const remove = /** @type {import("./answers").Delete} */ ((/** @type {string} */ path) => send("DELETE", path));
