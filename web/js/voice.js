/**
 * Speaks the caller's sentences and plays sounds, on the screens where both are switched on. Phones require a tap
 * first.
 */

import { isCalm } from "./comfort.js";
import { h, svg, toast } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { duck, play, setVolume, soundOf, volume, wake } from "./sounds.js";

const ON = () =>
  svg(
    '<path d="M4 9v6h4l5 4V5L8 9z" fill="currentColor"/>' +
      '<path d="M16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12" fill="none" stroke="currentColor" ' +
      'stroke-width="2" stroke-linecap="round"/>',
  );
const OFF = () =>
  svg(
    '<path d="M4 9v6h4l5 4V5L8 9z" fill="currentColor"/>' +
      '<path d="m16.5 9.5 5 5m0-5-5 5" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
  );

/**
 * What the table waits for, to be said after these sentences: nothing where the last of them has named who is on turn.
 * @param {import("./answers").ViewAnswer} view @param {string[]} sentences @returns {string[]}
 */
export function whatNext({ prompt, state }, sentences) {
  const named = state?.turn && sentences.at(-1)?.includes(state.turn);
  return !prompt || named || sentences.includes(prompt) || state?.winners.length ? [] : [prompt];
}

/** How much is spoken: what follows from a card; who is next, too; the card as well. */
const MUCH = ["effects", "next", "everything"];

export class Voice {
  constructor() {
    // A screen that speaks goes on speaking on its next page, as far as its browser lets it.
    this.on = sessionStorage.getItem("voice.on") === "yes";
    /** @type {string[]} */
    this.last = [];
    this.speech = window.speechSynthesis;
    /** @type {HTMLButtonElement | null} */
    this.toggle = null;
    /** The caller's language, whatever the screen's own is. */
    this.language = "en";
    /** @type {string[]} */
    this.waiting = [];
    this.news = false;
    this.turn = "";
  }

  /** The button that lets this screen speak, or hushes it. */
  button() {
    this.toggle = h("button", {
      class: "quiet icon",
      type: "button",
      id: "speak",
      onclick: () => this.switch(!this.on),
    });
    this.toggle.hidden = true;
    this.draw();
    return this.toggle;
  }

  /** Lets the button be seen: this page hears what is said. */
  offer() {
    if (this.toggle && this.speech) this.toggle.hidden = false;
    if (!this.on || navigator.userActivation?.hasBeenActive !== false) return;
    // Phones let a page be heard from its first tap on, and say nothing of what they keep back.
    toast(t("voice.tap"));
    document.addEventListener(
      "pointerdown",
      () => {
        wake();
        if (this.on) this.speak(this.last.length ? this.last : [t("voice.ready")]);
      },
      { once: true },
    );
  }

  draw() {
    if (!this.toggle) return;
    this.toggle.replaceChildren(this.on ? ON() : OFF());
    const label = t(this.on ? "voice.stop" : "voice.start");
    this.toggle.setAttribute("aria-label", label);
    this.toggle.setAttribute("aria-pressed", String(this.on));
    this.toggle.title = label;
  }

  /** @param {boolean} on */
  switch(on) {
    this.on = on;
    sessionStorage.setItem("voice.on", on ? "yes" : "no");
    this.draw();
    if (on) wake();
    if (on) this.speak(this.last.length ? this.last : [t("voice.ready")]);
    else this.speech?.cancel();
  }

  /** How much this screen speaks. */
  get much() {
    const kept = localStorage.getItem("voice.much") ?? "";
    return MUCH.includes(kept) ? kept : "next";
  }

  /**
   * Sounds at once, and keeps what is to be said until the view is there that tells who is next.
   * @param {import("./types").Update} update
   */
  update(update) {
    const sound = this.on && !isCalm() && soundOf(update);
    if (sound) play(sound);
    this.waiting.push(...update.sentences);
    this.news ||= update.kind === "ruling" || update.kind === "corrected";
  }

  /** Says what has happened, and what the table waits for. @param {import("./answers").ViewAnswer} view */
  view(view) {
    this.language = view.language;
    const sentences = this.waiting;
    const newest = view.history.at(-1);
    if (this.news && this.much === "everything" && newest?.move.card)
      sentences.unshift(`${cardName(newest.move.card)}.`);
    const turn = `${view.state?.turn} ${view.state?.phase}`;
    if (this.news && this.much !== "effects" && turn !== this.turn) sentences.push(...whatNext(view, sentences));
    this.turn = turn;
    this.waiting = [];
    this.news = false;
    if (sentences.length) this.say(sentences);
  }

  /** Says this, if this screen speaks. @param {string[]} sentences */
  say(sentences) {
    this.last = sentences;
    if (this.on) this.speak(sentences);
  }

  /** Says the last sentences once more. */
  repeat() {
    this.speak(this.last);
  }

  /** @param {string[]} sentences */
  speak(sentences) {
    if (!this.speech) return;
    // What is new matters more than the end of what is old.
    this.speech.cancel();
    for (const sentence of sentences) {
      const words = new SpeechSynthesisUtterance(sentence);
      words.rate = Number(localStorage.getItem("voice.rate") ?? "1");
      const voice = this.speech.getVoices().find((one) => one.voiceURI === localStorage.getItem("voice.name"));
      if (voice) words.voice = voice;
      // Some Android browsers look at this alone.
      words.lang = voice?.lang ?? this.language;
      words.onstart = () => duck(true);
      words.onend = () => duck(this.speech.pending);
      // Browsers want a tap on each page first.
      words.onerror = (event) => {
        duck(false);
        if (event.error === "not-allowed") this.switch(false);
      };
      this.speech.speak(words);
    }
  }

  /** What can be chosen about voice and sounds. */
  settings() {
    const loud = h(
      "label",
      { class: "field" },
      t("sound.volume"),
      h("input", {
        type: "range",
        id: "volume",
        min: "0",
        max: "1",
        step: "0.1",
        value: String(volume()),
        onchange: (event) => {
          setVolume(Number(event.target.value));
          play("uno");
        },
      }),
    );
    const attempt = h("button", { type: "button", id: "try-voice", onclick: () => this.attempt() }, t("voice.try"));
    if (!this.speech) return h("div", { class: "stack" }, h("p", { class: "soft" }, t("voice.none")), loud, attempt);
    const voices = h("select", {
      id: "voice-name",
      onchange: (event) => localStorage.setItem("voice.name", event.target.value),
    });
    const list = () => {
      const chosen = localStorage.getItem("voice.name");
      voices.replaceChildren(
        h("option", { value: "" }, t("voice.default")),
        ...this.speech
          .getVoices()
          .filter((voice) => voice.lang.startsWith(this.language))
          .map((voice) => h("option", { value: voice.voiceURI, selected: voice.voiceURI === chosen }, voice.name)),
      );
    };
    list();
    // Some browsers learn only later which voices there are.
    this.speech.addEventListener?.("voiceschanged", list);
    return h(
      "div",
      { class: "stack" },
      h(
        "label",
        { class: "field" },
        t("voice.much"),
        h(
          "select",
          { id: "much", onchange: (event) => localStorage.setItem("voice.much", event.target.value) },
          MUCH.map((one) => h("option", { value: one, selected: one === this.much }, t(`voice.much.${one}`))),
        ),
      ),
      h("label", { class: "field" }, t("voice.voice"), voices),
      h(
        "label",
        { class: "field" },
        t("voice.speed"),
        h("input", {
          type: "range",
          min: "0.6",
          max: "1.6",
          step: "0.1",
          value: localStorage.getItem("voice.rate") ?? "1",
          onchange: (event) => localStorage.setItem("voice.rate", event.target.value),
        }),
      ),
      loud,
      h(
        "div",
        { class: "row" },
        attempt,
        h("button", { type: "button", onclick: () => this.repeat() }, t("voice.repeat")),
      ),
    );
  }

  /** Lets voice and sounds be heard once, whether or not this screen speaks. */
  attempt() {
    wake();
    play("win");
    this.speak([t("voice.ready")]);
  }
}
