/** Talks to the server. Everything that a page wants or does goes through here. */

/** What the server refused, with its own words. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {string} method @param {string} path @param {any} [body] JSON, or a Blob or FormData sent as it is
 * @returns {Promise<any>} the JSON answered, null for none
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
  const response = await fetch(path, options);
  const json = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : null;
  if (!response.ok) throw new Refused(response.status, json?.error ?? "failure", json?.message ?? response.statusText);
  return json;
}

export const get = (/** @type {string} */ path) => send("GET", path);
export const post = (/** @type {string} */ path, /** @type {any} */ body = undefined) => send("POST", path, body);
export const remove = (/** @type {string} */ path) => send("DELETE", path);
