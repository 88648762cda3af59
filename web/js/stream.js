/**
 * The live stream of a browser. Browsers allow few connections to one address, so one tab listens to the server and
 * forwards the messages to the others. A tab that closes hands the stream over without loss.
 */

import { Listener } from "./listener.js";

/** @typedef {import("./types").Heard} Heard */
/** @typedef {import("./types").Follower} Follower */
/**
 * What tabs say to each other. `welcome` answers a `hello`, for the tab that asked alone.
 * @typedef {{ kind: "heard", heard: Heard } | { kind: "online", online: boolean } | { kind: "hello", from: string } |
 *   { kind: "welcome", to: string, online: boolean, heard: Heard | null } | { kind: "signed-out" }} Word
 */

/** The name of the lock and of the channel. */
const NAME = "companion.events";
/** How long (ms) a tab waits for an answer of the one that listens before it takes its place. */
const PATIENCE = 6000;

/** Whether tabs of this browser can agree on one that listens. Locks need a secure page. */
const canShare = () => "locks" in navigator && "BroadcastChannel" in window;

/** The order of a message: the server process and a number, which may not be known. @param {string} id */
function orderOf(id) {
  const [boot, number] = id.split("-");
  return { boot, number: Number(number) };
}

/**
 * Whether a message is new to a tab that last heard the one with the id `last`. A view holds the whole match: the same
 * one may be shown twice, an older one never. A frame has no number of its own.
 * @param {{ event: string, id: string }} heard
 * @param {string} last
 */
export function isNew({ event, id }, last) {
  const [one, before] = [orderOf(id), orderOf(last)];
  if (event === "frame" || last === "" || one.boot !== before.boot) return true;
  return event === "view" ? one.number >= before.number : one.number > before.number;
}

/**
 * Follows the live stream, by itself or through another tab.
 * @param {Follower} follower
 */
export function followStream(follower) {
  const stream = canShare() ? new SharedStream(follower) : new OwnStream(follower);
  stream.open();
  addEventListener("pagehide", () => stream.close());
  // A page that the browser had put by and shows again has heard nothing meanwhile.
  addEventListener("pageshow", (event) => event.persisted && stream.open());
  document.addEventListener("visibilitychange", () => stream.turn(document.visibilityState === "visible"));
}

/** Without locks each tab listens for itself, but not while nobody sees or hears it. */
class OwnStream {
  /** @param {Follower} follower */
  constructor(follower) {
    this.follower = follower;
    this.last = "";
    this.listener = new Listener({
      hear: (heard) => {
        this.last = heard.id;
        follower.hear(heard);
      },
      online: follower.online,
      signedOut: follower.signedOut,
    });
  }

  open() {
    this.listener.open(this.last);
  }

  close() {
    this.listener.close();
  }

  /** @param {boolean} visible */
  turn(visible) {
    if (visible && !this.listener.isOpen) this.open();
    else if (!visible && !this.follower.audible()) this.close();
  }
}

/** With locks the tab that holds the lock listens, and the others hear it. */
class SharedStream {
  /** @param {Follower} follower */
  constructor(follower) {
    this.follower = follower;
    this.last = "";
    this.isOnline = false;
    /** The newest view, for tabs that come later. @type {Heard | null} */
    this.view = null;
    /** @type {BroadcastChannel | null} */
    this.channel = null;
    /** Lets the lock go; null while another tab has it. @type {(() => void) | null} */
    this.release = null;
    /** Which wait for the lock is the present one. @type {AbortController | null} */
    this.waiting = null;
    this.name = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.timer = 0;
    this.listener = new Listener({
      hear: (heard) => {
        this.take(heard);
        this.say({ kind: "heard", heard });
      },
      online: (online) => {
        this.connected(online);
        this.say({ kind: "online", online });
      },
      signedOut: () => {
        this.say({ kind: "signed-out" });
        follower.signedOut();
      },
    });
  }

  open() {
    this.close();
    this.channel = new BroadcastChannel(NAME);
    this.channel.onmessage = ({ data }) => this.answer(/** @type {Word} */ (data));
    this.lead(false);
    this.greet();
  }

  close() {
    clearTimeout(this.timer);
    this.waiting?.abort();
    this.waiting = null;
    this.release?.();
    this.channel?.close();
    this.channel = null;
  }

  /** @param {boolean} visible */
  async turn(visible) {
    if (visible) return this.greet();
    if (!this.release) return;
    // A hidden tab may be put to sleep: another one takes over where there is one.
    const { pending } = await navigator.locks.query();
    if (!pending?.some((one) => one.name === NAME)) return;
    this.release?.();
    this.lead(false);
  }

  /** Asks the tab that listens for what there is now, and takes its place where it does not answer. */
  greet() {
    if (this.release || !this.channel) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lead(true), PATIENCE);
    this.say({ kind: "hello", from: this.name });
  }

  /** Listens to the server as soon as no other tab does, or at once. @param {boolean} steal */
  async lead(steal) {
    this.waiting?.abort();
    const mine = new AbortController();
    this.waiting = mine;
    const until = new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      mine.signal.addEventListener("abort", resolve);
    });
    const listen = async () => {
      if (this.waiting !== mine) return;
      clearTimeout(this.timer);
      this.release = () => {
        this.release = null;
        this.listener.close();
        mine.abort();
      };
      this.listener.open(this.last);
      await until;
    };
    try {
      await navigator.locks.request(NAME, steal ? { steal } : { signal: mine.signal }, listen);
    } catch {
      // Either this wait was ended here, or another tab took the lock: then this one waits again.
      if (this.waiting !== mine || !this.release) return;
      this.release();
      this.lead(false);
    }
  }

  /** @param {Word} word */
  say(word) {
    this.channel?.postMessage(word);
  }

  /** @param {Word} word of another tab */
  answer(word) {
    if (word.kind === "hello") {
      const { isOnline: online, view: heard } = this;
      if (this.release) this.say({ kind: "welcome", to: word.from, online, heard });
      return;
    }
    if (word.kind === "welcome" && word.to !== this.name) return;
    clearTimeout(this.timer);
    if (word.kind === "signed-out") this.follower.signedOut();
    else {
      if (word.kind !== "heard") this.connected(word.online);
      if (word.kind !== "online" && word.heard) this.take(word.heard);
    }
  }

  /** @param {Heard} heard */
  take(heard) {
    if (!isNew(heard, this.last)) return;
    if (heard.event === "view") this.view = heard;
    // What happens before a tab has its first view is in that view.
    if (this.view === null) return;
    if (heard.event !== "frame") this.last = heard.id;
    this.follower.hear(heard);
  }

  /** @param {boolean} online */
  connected(online) {
    this.isOnline = online;
    this.follower.online(online);
  }
}
