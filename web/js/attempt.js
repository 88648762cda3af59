/** Actions that the server may refuse, and who may do what. */

import { Refused } from "./api.js";
import { toast } from "./dom.js";
import { has, t } from "./i18n.js";

const RANKS = ["viewer", "player", "host"];

/** Whether a role may do what another one may. @param {string | null} role @param {string} needed */
export function may(role, needed) {
  return role !== null && RANKS.indexOf(role) >= RANKS.indexOf(needed);
}

/**
 * Does something and shows what the server refused.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T | null>}
 */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Refused && error.status === 401 && ["not-joined", "signed-out"].includes(error.code))
      location.replace("/join");
    toast(error instanceof Refused ? worded(error) : t("offline"));
    return null;
  }
}

/** What was refused, in the language of this screen; rules are worded by the caller. @param {Refused} error */
export function worded(error) {
  if (error.code === "invalid") return t(`invalid.${error.rule ?? "other"}`, { limit: error.limit ?? "" });
  const key = `refused.${error.code}`;
  return has(key) ? t(key) : error.message;
}
