/** One connection to the server's live stream. It reconnects by itself and resumes where it broke off. */

import { get } from "./api.js";

/** @typedef {import("./types").Heard} Heard */

const EVENTS = ["view", "update", "frame", "nudge"];
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 10_000;

/** Which tab of the browser this is: its pages' streams take each other's place. @param {boolean} [renewed] */
function tab(renewed = false) {
  const known = sessionStorage.getItem("tab");
  if (known && !renewed) return known;
  const made = Array.from(crypto.getRandomValues(new Uint8Array(12)), (part) =>
    part.toString(16).padStart(2, "0"),
  ).join("");
  sessionStorage.setItem("tab", made);
  return made;
}

export class Listener {
  /**
   * @param {{ hear: (heard: Heard) => void, online: (online: boolean) => void, signedOut: () => void }} on
   *   hear: called with each message; online: whether the server is there; signedOut: this device is not known any more
   */
  constructor(on) {
    this.on = on;
    /** @type {EventSource | null} */
    this.source = null;
    this.tries = 0;
    this.last = "";
  }

  get isOpen() {
    return this.source !== null;
  }

  /** @param {string} last the id of the last message that is known, empty for none */
  open(last) {
    this.close();
    this.last = last;
    const query = new URLSearchParams({ tab: tab(), ...(last ? { after: last } : {}) });
    const source = new EventSource(`/api/events?${query}`);
    this.source = source;
    for (const event of EVENTS)
      source.addEventListener(event, ({ data, lastEventId: id }) => {
        if (this.source !== source) return;
        if (event !== "frame") this.last = id;
        this.on.hear({ event, id, data: JSON.parse(data) });
      });
    // A copied tab has its twin's name: the one that is replaced takes another.
    source.addEventListener("replaced", () => {
      if (this.source !== source) return;
      tab(true);
      this.open(this.last);
    });
    source.onopen = () => {
      if (this.source !== source) return;
      this.tries = 0;
      this.on.online(true);
    };
    source.onerror = () => this.failed(source);
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  /** @param {EventSource} source */
  async failed(source) {
    if (this.source !== source) return;
    this.on.online(false);
    if (source.readyState !== EventSource.CLOSED) return;
    // The server refused: either this device is not known any more, or too many pages are open.
    const me = await get("/api/me").catch(() => undefined);
    if (this.source !== source) return;
    if (me && me.role === null) this.on.signedOut();
    else {
      const wait = Math.min(FIRST_WAIT * 2 ** this.tries++, LONGEST_WAIT);
      setTimeout(() => this.source === source && this.open(this.last), wait);
    }
  }
}
