/** Speaks what the caller says, on the screens that were asked to. A tap starts it, as phones demand. */

import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

const ON = () => svg('<path d="M4 9v6h4l5 4V5L8 9z" fill="currentColor"/><path d="M16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>');
const OFF = () => svg('<path d="M4 9v6h4l5 4V5L8 9z" fill="currentColor"/><path d="m16.5 9.5 5 5m0-5-5 5" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>');

export class Voice {
  constructor() {
    // A screen that speaks goes on speaking on its next page, as far as its browser lets it.
    this.on = sessionStorage.getItem("voice.on") === "yes";
    /** @type {string[]} */
    this.last = [];
    this.speech = window.speechSynthesis;
    /** @type {any} */
    this.toggle = null;
    /** The caller's language, whatever the screen's own is. */
    this.language = "en";
  }

  /** The button that lets this screen speak, or hushes it. */
  button() {
    this.toggle = h("button", { class: "quiet icon", type: "button", id: "speak", onclick: () => this.switch(!this.on) });
    this.toggle.hidden = true;
    this.draw();
    return this.toggle;
  }

  /** Lets the button be seen: this page hears what is said. */
  offer() {
    if (this.toggle && this.speech) this.toggle.hidden = false;
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
    if (on) this.speak(this.last.length ? this.last : [t("voice.ready")]);
    else this.speech?.cancel();
  }

  /** Takes in what is to be said. @param {string[]} sentences */
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
    for (const sentence of sentences) {
      const words = new SpeechSynthesisUtterance(sentence);
      words.lang = this.language;
      words.rate = Number(localStorage.getItem("voice.rate") ?? "1");
      const voice = this.speech.getVoices().find((one) => one.voiceURI === localStorage.getItem("voice.name"));
      if (voice) words.voice = voice;
      // Browsers want a tap on each page first.
      words.onerror = (event) => {
        if (event.error === "not-allowed") this.switch(false);
      };
      this.speech.speak(words);
    }
  }

  /** What can be chosen about the voice. */
  settings() {
    if (!this.speech) return h("p", { class: "soft" }, t("voice.none"));
    const fitting = this.speech.getVoices().filter((voice) => voice.lang.startsWith(this.language));
    const chosen = localStorage.getItem("voice.name");
    return h("div", { class: "stack" },
      h("label", { class: "field" }, t("voice.voice"),
        h("select", { onchange: (/** @type {any} */ event) => localStorage.setItem("voice.name", event.target.value) },
          h("option", { value: "" }, t("voice.default")),
          fitting.map((voice) => h("option", { value: voice.voiceURI, selected: voice.voiceURI === chosen }, voice.name)))),
      h("label", { class: "field" }, t("voice.speed"),
        h("input", { type: "range", min: "0.6", max: "1.6", step: "0.1", value: localStorage.getItem("voice.rate") ?? "1",
          onchange: (/** @type {any} */ event) => localStorage.setItem("voice.rate", event.target.value) })),
      h("button", { type: "button", onclick: () => this.repeat() }, t("voice.repeat")));
  }
}
