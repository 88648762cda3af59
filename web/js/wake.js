/** Keeps the screen awake while a page wants it; the browser releases this whenever the page is hidden. */

/** @type {WakeLockSentinel | null} */
let lock = null;
let wanted = false;

async function request() {
  if (!wanted || document.visibilityState !== "visible" || (lock && !lock.released)) return;
  try {
    lock = (await navigator.wakeLock?.request("screen")) ?? null;
    if (!wanted) letSleep();
  } catch {
    lock = null;
  }
}

document.addEventListener("visibilitychange", request);

/** Keeps the screen awake from now on. */
export function keepAwake() {
  wanted = true;
  return request();
}

/** Lets it sleep again. */
export function letSleep() {
  wanted = false;
  lock?.release?.().catch(() => {});
  lock = null;
}
