/** Short sounds for events, synthesised by the page: no file is fetched. */

/**
 * @typedef {[frequency: number, start: number, length: number, to?: number]} Note Hz, seconds, seconds, Hz at its end
 */

/** Each sound's wave and its notes. @type {Record<string, { wave: OscillatorType, notes: Note[] }>} */
const SOUNDS = {
  landing: { wave: "triangle", notes: [[330, 0, 0.07, 250]] },
  draw: {
    wave: "triangle",
    notes: [
      [250, 0, 0.09, 330],
      [250, 0.1, 0.09, 330],
    ],
  },
  skip: {
    wave: "square",
    notes: [
      [520, 0, 0.08],
      [390, 0.1, 0.14],
    ],
  },
  reverse: {
    wave: "triangle",
    notes: [
      [300, 0, 0.14, 620],
      [620, 0.15, 0.14, 300],
    ],
  },
  jump: {
    wave: "square",
    notes: [
      [440, 0, 0.05],
      [660, 0.06, 0.05],
      [990, 0.12, 0.16],
    ],
  },
  swap: {
    wave: "sine",
    notes: [
      [400, 0, 0.18, 700],
      [700, 0, 0.18, 400],
    ],
  },
  rotate: { wave: "sine", notes: [[300, 0, 0.4, 800]] },
  debt: {
    wave: "triangle",
    notes: [
      [220, 0, 0.12, 180],
      [165, 0.13, 0.2, 140],
    ],
  },
  uno: {
    wave: "square",
    notes: [
      [660, 0, 0.1],
      [880, 0.11, 0.22],
    ],
  },
  wrong: {
    wave: "sawtooth",
    notes: [
      [150, 0, 0.16, 120],
      [120, 0.18, 0.22, 90],
    ],
  },
  nudge: {
    wave: "sine",
    notes: [
      [587, 0, 0.16],
      [740, 0.18, 0.3],
    ],
  },
  win: {
    wave: "triangle",
    notes: [
      [523, 0, 0.14],
      [659, 0.14, 0.14],
      [784, 0.28, 0.14],
      [1047, 0.42, 0.5],
    ],
  },
  fanfare: {
    wave: "triangle",
    notes: [
      [523, 0, 0.16],
      [523, 0.18, 0.09],
      [523, 0.28, 0.09],
      [523, 0.38, 0.3],
      [659, 0.38, 0.3],
      [698, 0.7, 0.16],
      [659, 0.88, 0.16],
      [784, 1.06, 0.9],
      [1047, 1.06, 0.9],
      [1319, 1.06, 0.9],
    ],
  },
  mushroom: {
    wave: "square",
    notes: [
      [392, 0, 0.07],
      [523, 0.07, 0.07],
      [659, 0.14, 0.07],
      [784, 0.21, 0.2],
    ],
  },
  "banana peel": { wave: "sine", notes: [[900, 0, 0.35, 180]] },
  "green shell": {
    wave: "square",
    notes: [
      [740, 0, 0.05],
      [440, 0.06, 0.05],
      [740, 0.12, 0.05],
      [300, 0.18, 0.2, 150],
    ],
  },
  lightning: {
    wave: "sawtooth",
    notes: [
      [1400, 0, 0.08, 200],
      [1100, 0.09, 0.3, 60],
    ],
  },
  "bob-omb": {
    wave: "sawtooth",
    notes: [
      [440, 0, 0.04],
      [440, 0.12, 0.04],
      [120, 0.26, 0.5, 40],
    ],
  },
};

/** How loud a wave of full strength is: several may sound at once. */
const GAIN = 0.3;
/** How loud the sounds are while a sentence is spoken, so that it is understood. */
const UNDER_VOICE = 0.3;

/** What the sounds go through, from the first tap on. */
class Output {
  constructor() {
    this.context = new AudioContext();
    this.master = this.context.createGain();
    this.master.connect(this.context.destination);
    // A call or another app interrupts it, as phones say: the next tap lets it go on.
    for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, () => this.resume());
  }

  resume() {
    const { context } = this;
    // iOS has a state of its own for it, `interrupted`.
    if (/** @type {string} */ (context.state) !== "running" && context.state !== "closed")
      context.resume().catch(() => {});
  }
}

/** @type {Output | null} */
let output = null;

/** How loud the sounds are, from 0 to 1. */
export function volume() {
  const kept = Number(localStorage.getItem("sound.volume") ?? "0.6");
  return Number.isFinite(kept) ? Math.min(1, Math.max(0, kept)) : 0.6;
}

/** @param {number} value */
export function setVolume(value) {
  localStorage.setItem("sound.volume", String(value));
}

/** Lets the page sound; to be called from a tap, as browsers demand. */
export function wake() {
  if (!("AudioContext" in window)) return;
  output ??= new Output();
  output.resume();
}

/** Makes the sounds softer while somebody speaks. @param {boolean} speaks */
export function duck(speaks) {
  const level = speaks ? UNDER_VOICE : 1;
  output?.master.gain.setValueAtTime(level, output.context.currentTime);
  for (const clip of own.values()) clip.volume = volume() * level;
}

/** A family's own sounds, by event. @type {Map<string, HTMLAudioElement>} */
const own = new Map();

/** Lets a family's own sounds take the place of the built-in ones. @param {Record<string, string>} sounds addresses */
export function useOwn(sounds) {
  own.clear();
  for (const [name, address] of Object.entries(sounds)) own.set(name, new Audio(address));
}

/** Plays a sound. @param {string} name */
export function play(name) {
  const clip = own.get(name);
  if (clip) {
    clip.volume = volume();
    clip.currentTime = 0;
    clip.play().catch(() => {});
    return;
  }
  const sound = SOUNDS[name];
  const loud = volume() * GAIN;
  if (!sound || loud === 0) return;
  wake();
  if (!output || output.context.state === "closed") return;
  const { context, master } = output;
  const now = context.currentTime;
  for (const [frequency, start, length, to] of sound.notes) {
    const wave = context.createOscillator();
    const gain = context.createGain();
    wave.type = sound.wave;
    wave.frequency.setValueAtTime(frequency, now + start);
    if (to) wave.frequency.exponentialRampToValueAtTime(to, now + start + length);
    // Square and saw-toothed waves sound louder than their strength.
    const peak = loud * (sound.wave === "square" || sound.wave === "sawtooth" ? 0.35 : 1);
    gain.gain.setValueAtTime(peak, now + start);
    gain.gain.exponentialRampToValueAtTime(0.0001, now + start + length);
    wave.connect(gain).connect(master);
    wave.start(now + start);
    wave.stop(now + start + length);
  }
}

/**
 * What an update sounds like: of several things the one that matters most.
 * @param {import("./types").Update} update @returns {string | null}
 */
export function soundOf(update) {
  if (update.kind === "illegal" || update.kind === "refused") return "wrong";
  if (update.kind !== "ruling") return null;
  const effects = update.ruling?.effects ?? [];
  const has = (/** @type {string} */ name) => effects.find((one) => one.effect === name);
  if (has("match")) return "fanfare";
  if (has("round")) return "win";
  const item = has("item");
  if (item) return item.item;
  if (has("double")) return "jump";
  for (const name of ["uno", "jump", "swap", "rotate", "debt", "reverse", "skip", "draw"]) if (has(name)) return name;
  return "landing";
}
