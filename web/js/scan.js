/** Reading a hand from pictures of it: each card outlined and named, one tap to add, change or remove. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { edition } from "./choices.js";
import { $, fill, h } from "./dom.js";
import { Hand, tapped } from "./hand.js";
import { pictureButtons, shrunk } from "./hand-pictures.js";
import { chooseHeld, drawHeld } from "./held-card.js";
import { cardName, t } from "./i18n.js";
import { drawOutlined } from "./outlines.js";
import { pickCards } from "./picker.js";
import { handAddress, wantedHand } from "./scan-address.js";
import { live, prepare } from "./shell.js";

/** @typedef {import("./types").Running} Running */

/** How many pictures of one hand are kept: the newest. */
const MOST_PICTURES = 6;

const me = await prepare("player");
live({});
// Going back leads to the hand before.
addEventListener("popstate", () => location.reload());
const wanted = wantedHand(location.search);
const { isChallenge } = wanted;
const [view, { source }] = await Promise.all([get("/api/view"), get("/api/camera")]);
/** @param {Running} view */
async function begin(view) {
  const { phase, challenger } = view.state;
  if (isChallenge && (phase !== "reveal" || (me.role !== "host" && me.player !== challenger))) {
    const says = phase === "reveal" ? t("scan.private", { player: challenger ?? "" }) : t("scan.nochallenge");
    fill($("#scan"), h("p", { class: "panel" }, says));
    return;
  }
  const { deck } = await edition(view.match.edition);
  const kinds = new Map(deck.map((one) => [one.card, one]));
  const scan = new Scan(view, new Hand((card) => kinds.get(card)), wanted.ruling);
  await scan.begin(isChallenge ? view.state.turn : wanted.player);
}

class Scan {
  /** @param {Running} view @param {Hand} hand @param {number | null} amended the ruling of a hand to be mended */
  constructor(view, hand, amended) {
    this.view = view;
    this.hand = hand;
    this.amended = amended;
    this.player = "";
    /** @type {Blob[]} */
    this.pictures = [];
    /** The sizes of the pictures as they were read. @type {{ width: number, height: number }[]} */
    this.sizes = [];
    /** The pictures as they were drawn. @type {WeakMap<Blob, HTMLImageElement>} */
    this.decoded = new WeakMap();
    /** What the server calls the picture that was read. @type {string | null} */
    this.name = null;
    this.taken = h("div", { id: "taken", role: "status" });
    this.drawn = h("div", { class: "stack" });
    this.sum = h("div", { class: "stack" });
    this.found = h("div", { class: "hand" });
    this.canvas = h("canvas");
    this.points = h("input", { type: "number", min: "0", max: "9999", step: "1", inputmode: "numeric", id: "points" });
  }

  /** Whether a hand can be entered now: of a round that is over, or one that is mended. */
  get isAwaited() {
    return isChallenge || this.amended !== null || this.view.legal.hand.length > 0;
  }

  /** How many cards the table knows this hand to have. */
  get expected() {
    return this.amended === null ? (this.view.state.hands[this.player] ?? null) : null;
  }

  /** @param {string | null} player */
  async begin(player) {
    this.player = player ?? this.view.legal.hand[0] ?? this.view.match.players[0];
    this.drawPage();
    if (this.amended !== null) await this.recall(this.amended);
  }

  /** Takes up a hand that was scored, with its picture. @param {number} n */
  async recall(n) {
    const { lines } = await get("/api/history");
    const line = lines.find((one) => one.n === n && one.move.do === "hand" && one.move.player === this.player);
    if (!line) return;
    if (line.move.points !== undefined) this.points.value = String(line.move.points);
    if (line.picture) {
      const answer = await fetch(`/api/pictures/${encodeURIComponent(line.picture)}`);
      this.pictures = [await answer.blob()];
    }
    this.hand.cards = (line.move.cards ?? []).map(tapped);
    this.draw();
  }

  drawPage() {
    const { player } = this;
    const challenger = this.view.state.challenger ?? "";
    const title = isChallenge
      ? t("scan.challenge")
      : this.amended === null
        ? t("scan.title")
        : t("scan.mend", { player });
    fill($("#title"), title);
    fill(
      $("#scan"),
      this.taken,
      isChallenge && h("p", { class: "panel warn" }, t("scan.secret", { challenger, player })),
      !this.isAwaited && h("p", { class: "panel", id: "nobody" }, t("scan.nobody")),
      !isChallenge && this.amended === null && this.isAwaited && this.whose(),
      h(
        "div",
        { class: "scan-grid" },
        h(
          "section",
          { class: "panel stack", "aria-label": t("scan.pictures") },
          h("p", { class: "soft" }, t("scan.how")),
          pictureButtons((pictures) => this.take(pictures), source !== null),
          this.drawn,
        ),
        h(
          "section",
          { class: "panel stack", "aria-label": t("scan.cards") },
          this.sum,
          this.found,
          !isChallenge && this.isAwaited && this.pointsForm(),
        ),
      ),
    );
    this.draw();
  }

  /** Whose hand it is. */
  whose() {
    const { match, legal } = this.view;
    const choose = (/** @type {string} */ player) => {
      this.player = player;
      this.clear();
    };
    return h(
      "label",
      { class: "field" },
      t("scan.whose"),
      h(
        "select",
        { id: "whose", onchange: (event) => choose(event.target.value) },
        match.players.map((/** @type {string} */ one) =>
          h(
            "option",
            { value: one, selected: one === this.player },
            one,
            legal.hand.includes(one) ? "" : ` (${t("scan.notawaited")})`,
          ),
        ),
      ),
    );
  }

  /** For a hand that its player has added up. */
  pointsForm() {
    const enter = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.points.value !== "") this.confirm({ points: Number(this.points.value) });
    };
    return h(
      "form",
      { class: "row points-form", id: "points-form", onsubmit: enter },
      h("label", { class: "field inline-field grow" }, h("span", {}, t("scan.known")), this.points),
      h("button", { id: "enter-points" }, t("scan.enter")),
    );
  }

  clear() {
    this.points.value = "";
    this.pictures = [];
    this.sizes = [];
    this.hand.cards = [];
    this.hand.read = false;
    this.name = null;
    this.draw();
  }

  /** @param {Blob[]} more */
  async take(more) {
    this.pictures = [...this.pictures, ...more].slice(-MOST_PICTURES);
    if (!more.length || !this.pictures.length) return;
    fill(this.sum, h("p", { class: "soft", role: "status" }, t("scan.reading")));
    const form = new FormData();
    for (const picture of this.pictures) form.append("pictures", await shrunk(picture, this.canvas), "hand.jpg");
    const query = new URLSearchParams({ purpose: isChallenge ? "challenge" : "hand", player: this.player });
    const read = await attempt(() => post(`/api/hands/read?${query}`, form));
    if (read) {
      this.hand.cards = read.cards;
      this.hand.read = true;
      this.sizes = read.pictures;
      this.name = read.scan;
    }
    this.draw();
  }

  draw() {
    const { cards } = this.hand;
    fill(
      this.drawn,
      this.pictures.map((picture, number) =>
        drawOutlined(picture, number, this.decoded, { size: this.sizes[number], cards }),
      ),
      this.pictures.length > 0 &&
        h("button", { type: "button", class: "quiet", onclick: () => this.clear() }, t("scan.clear")),
    );
    fill(this.sum, this.drawSum());
    fill(
      this.found,
      cards.map((held, place) => drawHeld(held, place, () => this.change(place))),
    );
  }

  drawSum() {
    const { hand, expected } = this;
    const count = t("scan.count", { count: hand.cards.length });
    const difference = hand.difference(expected);
    return [
      h(
        "p",
        { class: "scan-sum", "aria-live": "polite" },
        h("strong", {}, isChallenge ? count : this.worth),
        !isChallenge && h("span", { class: "soft" }, count),
      ),
      difference !== null &&
        h(
          "p",
          { class: "warn", id: "expected" },
          t(`scan.${difference}`, { count: expected ?? 0, found: hand.cards.length }),
        ),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", id: "add-card", onclick: () => this.add() }, t("scan.add")),
        this.isAwaited && this.confirmButton(),
      ),
      this.isAwaited && this.drawHindrance(),
    ];
  }

  confirmButton() {
    return h(
      "button",
      {
        type: "button",
        class: "primary",
        id: "confirm",
        disabled: this.hand.hindrance(this.expected) !== null,
        "aria-describedby": "hindrance",
        onclick: () => this.confirm({ cards: this.hand.names }),
      },
      t(isChallenge ? "scan.settle" : "scan.confirm"),
    );
  }

  /** Says why the hand cannot be confirmed. */
  drawHindrance() {
    const why = this.hand.hindrance(this.expected);
    if (why === null) return null;
    if (why === "empty") return h("p", { class: "small soft", id: "hindrance" }, t("scan.empty"));
    const { card } = why;
    return h(
      "p",
      { class: "warn", id: "hindrance", role: "alert" },
      t("scan.impossible", { card: cardName(card), copies: this.hand.copies(card) }),
    );
  }

  /** What the cards are worth, in words. */
  get worth() {
    return t("scan.points", { count: this.hand.points });
  }

  /** Cards are tapped one after the other until all of the hand are there. */
  async add() {
    await pickCards(isChallenge ? t("scan.add") : t("scan.whose.cards", { player: this.player }), {
      edition: this.view.match.edition,
      cards: () => this.hand.names,
      says: () => `${t("scan.count", { count: this.hand.cards.length })}, ${this.worth}`,
      add: (card) => {
        this.hand.add(card);
        this.draw();
      },
      remove: (place) => {
        this.hand.remove(place);
        this.draw();
      },
    });
  }

  /** @param {number} place */
  async change(place) {
    const card = await chooseHeld(this.hand.cards[place], this.view.match.edition);
    if (card === "remove") this.hand.remove(place);
    else if (card) this.hand.correct(place, card);
    this.draw();
  }

  /** @param {{ cards?: string[], points?: number }} shown the cards, or what they are worth */
  async confirm(shown) {
    if (isChallenge) return this.settle();
    const n = this.amended;
    /** @type {import("./answers").MoveBody} */
    const hand = { do: "hand", player: this.player, ...shown };
    const done = await attempt(() =>
      n === null
        ? post("/api/moves", { ...hand, scan: shown.cards ? this.name : null })
        : post("/api/amend", { n, move: hand }),
    );
    if (!done) return;
    const worth = shown.points === undefined ? this.worth : t("scan.points", { count: shown.points });
    this.view = /** @type {Running} */ (await get("/api/view"));
    const next = this.view.legal?.hand[0];
    if (!next) return location.assign("/scores");
    this.goOn(next, n ?? done.rulings[0]?.n, worth);
  }

  async settle() {
    const end = await attempt(() => post("/api/challenge", { cards: this.hand.names }));
    if (!end) return;
    const says = t(end.guilty ? "scan.guilty" : "scan.innocent", { player: this.player });
    fill(
      $("#scan"),
      h(
        "div",
        { class: "panel stack" },
        h("p", { class: "turn-word" }, says),
        h("a", { class: "button primary", href: "/table" }, t("nav.table")),
      ),
    );
  }

  /**
   * Says what was taken in, and takes up the next hand.
   * @param {string} next @param {number} n the ruling that the last hand was @param {string} worth
   */
  goOn(next, n, worth) {
    const before = this.player;
    const mend = handAddress(before, n);
    fill(
      this.taken,
      h(
        "p",
        { class: "panel taken" },
        h("strong", {}, t("scan.next", { player: before, points: worth, next })),
        " ",
        h("a", { class: "button small-button", id: "mend-last", href: mend }, t("scan.mend.last")),
      ),
    );
    this.player = next;
    this.amended = null;
    history.pushState(null, "", handAddress(next));
    this.clear();
    this.drawPage();
    scrollTo({ top: 0 });
  }
}

if (view.match === null) fill($("#scan"), h("p", { class: "panel" }, t("table.none")));
else await begin(/** @type {Running} */ (view));
