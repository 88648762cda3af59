import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const contexts = [];
class Param {
  setValueAtTime(value) {
    this.value = value;
  }
  exponentialRampToValueAtTime() {}
}
class AudioNode {
  constructor() {
    this.gain = new Param();
    this.frequency = new Param();
  }
  connect(to) {
    return to;
  }
  start() {}
  stop() {}
}
globalThis.AudioContext = class {
  constructor() {
    this.state = "suspended";
    this.currentTime = 0;
    this.destination = new AudioNode();
    this.gains = [];
    contexts.push(this);
  }
  createOscillator() {
    return new AudioNode();
  }
  createGain() {
    this.gains.push(new AudioNode());
    return this.gains.at(-1);
  }
  async resume() {
    this.state = "running";
  }
};
globalThis.window = globalThis;
globalThis.document = new EventTarget();
globalThis.localStorage = { getItem: () => null };

let sounds;
beforeEach(async () => {
  contexts.length = 0;
  globalThis.document = new EventTarget();
  sounds = await import(`../../../web/js/sounds.js?${Math.random()}`);
});

test("a context that a call interrupted is resumed at the next tap", () => {
  sounds.wake();
  assert.equal(contexts[0].state, "running");
  contexts[0].state = "interrupted";
  document.dispatchEvent(new Event("pointerdown"));
  assert.equal(contexts[0].state, "running");
});

test("sounds are softer while a sentence is spoken", () => {
  sounds.wake();
  sounds.duck(true);
  assert.ok(contexts[0].gains[0].gain.value < 0.5);
  sounds.duck(false);
  assert.equal(contexts[0].gains[0].gain.value, 1);
});

test("a match ends with a fanfare, a round with less", () => {
  const ruling = (...effects) => ({ kind: "ruling", ruling: { effects: effects.map((effect) => ({ effect })) } });
  assert.equal(sounds.soundOf(ruling("score", "round", "match")), "fanfare");
  assert.equal(sounds.soundOf(ruling("score", "round")), "win");
  assert.equal(sounds.soundOf(ruling("draw", "skip")), "skip");
});
