/** Reading a hand from pictures of it: each card outlined and named, one tap to add, change or remove. */

import { get, post, Refused } from "./api.js";
import { attempt, worded } from "./attempt.js";
import { drawCard } from "./card.js";
import { edition } from "./choices.js";
import { $, fill, h, pen as penOf, toast } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { drawOutlined } from "./outlines.js";
import { pickCard, pickCards } from "./picker.js";
import { live, prepare } from "./shell.js";
import { colorOf, isWild } from "./signs.js";
import { stills } from "./stills.js";

/** @typedef {import("./types").Held} Held */

/** What iPhones write where they are not told otherwise, and no other browser reads. */
const HEIC = /hei[cf]/i;

const me = await prepare("player");
live({});
const wanted = new URLSearchParams(location.search);
const challenge = wanted.get("purpose") === "challenge";
/** What is on the table; where there is no match, nothing is drawn of it. */
let view = /** @type {import("./types").Running} */ (await get("/api/view"));
const { deck } = await edition(view.match?.edition ?? "");
// Of a hand that was scored before and is to be mended: the number of its ruling.
let amended = Number(wanted.get("n")) || null;
let player = challenge ? (view.state?.turn ?? null) : wanted.get("player");
/** @type {Blob[]} */
let pictures = [];
/** @type {Held[]} */
let cards = [];
/** @type {{ width: number, height: number }[]} */
let sizes = [];
let read = false;
/** What the server calls the picture that was read. */
let scan = /** @type {string | null} */ (null);
const told = h("div", { id: "told", role: "status" });
const drawn = h("div", { class: "stack" });
const sum = h("div", { class: "stack" });
const found = h("div", { class: "hand" });
/** One for all pictures, which are made small one after the other: phones have little memory for canvases. */
const smaller = h("canvas");
const points = h("input", { type: "number", min: "0", max: "9999", step: "1", inputmode: "numeric", id: "points" });

// Going back leads to the hand before.
addEventListener("popstate", () => location.reload());
if (view.match === null) fill($("#scan"), h("p", { class: "panel" }, t("table.none")));
else if (challenge && (view.state.phase !== "reveal" || (me.role !== "host" && me.player !== view.state.challenger))) {
  fill(
    $("#scan"),
    h(
      "p",
      { class: "panel" },
      view.state.phase === "reveal"
        ? t("scan.private", { player: view.state.challenger ?? "" })
        : t("scan.nochallenge"),
    ),
  );
} else {
  begin();
  if (amended !== null) await recall(amended);
}

/** Takes up a hand that was scored, with its picture. @param {number} n */
async function recall(n) {
  const { lines } = await get("/api/history");
  const line = lines.find((one) => one.n === n && one.move.do === "hand" && one.move.player === player);
  if (!line) return;
  if (line.move.points !== undefined) points.value = String(line.move.points);
  if (line.picture) pictures = [await (await fetch(`/api/pictures/${encodeURIComponent(line.picture)}`)).blob()];
  cards = (line.move.cards ?? []).map((/** @type {string} */ card) => ({
    card,
    other: null,
    quad: null,
    picture: -1,
    confidence: 1,
  }));
  draw();
}

function begin() {
  const awaited = view.legal.hand;
  player ??= awaited[0] ?? view.match.players[0];
  fill(
    $("#title"),
    challenge ? t("scan.challenge") : amended === null ? t("scan.title") : t("scan.mend", { player: player ?? "" }),
  );
  fill(
    $("#scan"),
    told,
    challenge &&
      h(
        "p",
        { class: "panel warn" },
        t("scan.secret", { challenger: view.state.challenger ?? "", player: player ?? "" }),
      ),
    !challenge &&
      amended === null &&
      h(
        "label",
        { class: "field" },
        t("scan.whose"),
        h(
          "select",
          {
            id: "whose",
            onchange: (event) => {
              player = event.target.value;
              clear();
            },
          },
          view.match.players.map((/** @type {string} */ one) =>
            h(
              "option",
              { value: one, selected: one === player },
              one,
              awaited.includes(one) ? "" : ` (${t("scan.notawaited")})`,
            ),
          ),
        ),
      ),
    h(
      "div",
      { class: "scan-grid" },
      h(
        "section",
        { class: "panel stack", "aria-label": t("scan.pictures") },
        h("p", { class: "soft" }, t("scan.how")),
        takeButtons(),
        drawn,
      ),
      h("section", { class: "panel stack", "aria-label": t("scan.cards") }, sum, found, !challenge && pointsForm()),
    ),
  );
  draw();
}

/** For a hand that its player has added up. */
function pointsForm() {
  return h(
    "form",
    {
      class: "row points-form",
      id: "points-form",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (points.value !== "") confirmHand({ points: Number(points.value) });
      },
    },
    h("label", { class: "field inline-field grow" }, h("span", {}, t("scan.known")), points),
    h("button", { id: "enter-points" }, t("scan.enter")),
  );
}

function clear() {
  points.value = "";
  pictures = [];
  cards = [];
  sizes = [];
  read = false;
  scan = null;
  draw();
}

function takeButtons() {
  /** @type {HTMLInputElement} */
  const file = h("input", {
    type: "file",
    accept: "image/jpeg,image/png,image/webp",
    capture: "environment",
    id: "photo",
    class: "visually-hidden",
    onchange: () => take([...(file.files ?? [])]),
  });
  /** @type {HTMLInputElement} */
  const several = h("input", {
    type: "file",
    accept: "image/*,video/*",
    multiple: true,
    id: "files",
    class: "visually-hidden",
    onchange: async () => {
      const all = [...(several.files ?? [])];
      const videos = all.filter((one) => one.type.startsWith("video/"));
      /** @type {Blob[]} */
      const photos = all.filter((one) => one.type.startsWith("image/") && !HEIC.test(one.type + one.name));
      if (all.some((one) => !/^(image|video)\//.test(one.type) && !HEIC.test(one.name))) toast(t("scan.nofile"));
      if (all.some((one) => HEIC.test(one.type + one.name))) toast(t("scan.heic"));
      for (const video of videos) {
        const found = await stills(video, 4);
        if (!found.length) toast(t("scan.nofilm"));
        photos.push(...found);
      }
      several.value = "";
      take(photos);
    },
  });
  return h(
    "div",
    { class: "row" },
    file,
    several,
    h("label", { class: "button primary big", for: "photo" }, t("scan.photo")),
    h("label", { class: "button", for: "files" }, t("scan.files")),
    h("button", { type: "button", onclick: tableCamera }, t("scan.table")),
  );
}

/** Uses the picture of the camera over the table. */
async function tableCamera() {
  const response = await fetch("/api/camera/picture");
  if (response.ok) take([await response.blob()]);
  else {
    const { error, message } = await response.json();
    toast(worded(new Refused(response.status, error, message)));
  }
}

/** @param {Blob[]} more */
async function take(more) {
  pictures = [...pictures, ...more].slice(-6);
  if (!pictures.length) return;
  fill(sum, h("p", { class: "soft", role: "status" }, t("scan.reading")));
  const form = new FormData();
  for (const picture of pictures) form.append("pictures", await small(picture), "hand.jpg");
  const query = new URLSearchParams({ purpose: challenge ? "challenge" : "hand", ...(player ? { player } : {}) });
  const hand = await attempt(() => post(`/api/hands/read?${query}`, form));
  if (hand) {
    cards = hand.cards;
    sizes = hand.pictures;
    scan = hand.scan;
    read = true;
  }
  draw();
}

/** Makes a picture no larger than is of use. @param {Blob} picture @returns {Promise<Blob>} */
async function small(picture) {
  const bitmap = await createImageBitmap(picture).catch(() => null);
  if (bitmap === null) return picture;
  const scale = Math.min(1, 2400 / Math.max(bitmap.width, bitmap.height));
  smaller.width = Math.round(bitmap.width * scale);
  smaller.height = Math.round(bitmap.height * scale);
  penOf(smaller).drawImage(bitmap, 0, 0, smaller.width, smaller.height);
  return new Promise((resolve) =>
    smaller.toBlob((/** @type {Blob | null} */ blob) => resolve(blob ?? picture), "image/jpeg", 0.92),
  );
}

function draw() {
  fill(
    drawn,
    pictures.map((picture, number) => drawOutlined(picture, number, { size: sizes[number], cards })),
    pictures.length > 0 && h("button", { type: "button", class: "quiet", onclick: clear }, t("scan.clear")),
  );
  const expected = amended === null ? (view.state.hands[player ?? ""] ?? null) : null;
  const impossible = tooMany();
  fill(
    sum,
    h(
      "p",
      { class: "scan-sum", "aria-live": "polite" },
      h("strong", {}, challenge ? t("scan.count", { count: cards.length }) : said()),
      !challenge && h("span", { class: "soft" }, t("scan.count", { count: cards.length })),
    ),
    (read || cards.length > 0) &&
      expected !== null &&
      expected !== cards.length &&
      h(
        "p",
        { class: "warn", id: "expected" },
        t(!read ? "scan.differs" : cards.length < expected ? "scan.missing" : "scan.surplus", {
          count: expected,
          found: cards.length,
        }),
      ),
    impossible.map((card) =>
      h("p", { class: "warn", role: "alert" }, t("scan.impossible", { card: cardName(card), copies: copies(card) })),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", id: "add-card", onclick: add }, t("scan.add")),
      h(
        "button",
        {
          type: "button",
          class: "primary",
          id: "confirm",
          disabled: impossible.length > 0 || (cards.length === 0 && (expected ?? 0) > 0),
          onclick: () => confirmHand({ cards: names() }),
        },
        t(challenge ? "scan.settle" : "scan.confirm"),
      ),
    ),
  );
  fill(
    found,
    cards.map((held, place) =>
      h(
        "button",
        {
          type: "button",
          class: `card-button ${held.other ? "unsure" : ""}`,
          "data-place": place,
          onclick: () => change(place),
        },
        drawCard(held.card, { decorative: true }),
        h(
          "span",
          { class: "small" },
          held.other ? t("scan.or", { card: cardName(held.card), other: cardName(held.other) }) : cardName(held.card),
        ),
      ),
    ),
  );
}

/** The cards by their names. */
function names() {
  return cards.map(({ card }) => card);
}

/** What the cards are worth, in words. */
function said() {
  return t("scan.points", { count: cards.reduce((total, { card }) => total + (kind(card)?.points ?? 0), 0) });
}

/** A kind of card, as the deck has it. @param {string} card */
function kind(card) {
  return deck.find((one) => one.card === card);
}

/** How many of a card the deck holds. @param {string} card */
function copies(card) {
  return kind(card)?.count ?? 0;
}

/** The cards of which there are more than the deck holds. */
function tooMany() {
  return [...new Set(cards.map(({ card }) => card))].filter(
    (card) => cards.filter((held) => held.card === card).length > copies(card),
  );
}

/** Cards are tapped one after the other until all of the hand are there. */
async function add() {
  const change = (/** @type {Held[]} */ now) => {
    cards = now;
    draw();
  };
  await pickCards(challenge ? t("scan.add") : t("scan.whose.cards", { player: player ?? "" }), {
    edition: view.match.edition,
    cards: names,
    says: () => `${t("scan.count", { count: cards.length })}, ${said()}`,
    add: (card) => change([...cards, { card, other: null, quad: null, picture: -1, confidence: 1 }]),
    remove: (place) => change(cards.filter((_, i) => i !== place)),
  });
}

/** @param {number} place */
async function change(place) {
  const held = cards[place];
  const gone = (/** @type {import("./types").Close<string>} */ close) =>
    h(
      "div",
      { class: "row" },
      held.other &&
        h("button", { type: "button", onclick: () => close(held.other) }, t("scan.is", { card: cardName(held.other) })),
      h(
        "button",
        { type: "button", class: "warning", id: "remove-card", onclick: () => close("remove") },
        t("scan.remove"),
      ),
    );
  const card = await pickCard(cardName(held.card), {
    edition: view.match.edition,
    color: isWild(held.card) ? null : colorOf(held.card),
    extra: gone,
  });
  if (card === "remove") cards = cards.filter((_, i) => i !== place);
  else if (card) cards = cards.map((one, i) => (i === place ? { ...one, card, other: null } : one));
  draw();
}

/** @param {{ cards?: string[], points?: number }} shown the cards, or what they are worth */
async function confirmHand(shown) {
  if (challenge) {
    const end = await attempt(() => post("/api/challenge", { cards: names() }));
    if (end)
      fill(
        $("#scan"),
        h(
          "div",
          { class: "panel stack" },
          h("p", { class: "turn-word" }, t(end.guilty ? "scan.guilty" : "scan.innocent", { player: player ?? "" })),
          h("a", { class: "button primary", href: "/table" }, t("nav.table")),
        ),
      );
    return;
  }
  const n = amended;
  /** @type {import("./answers").MoveBody} */
  const hand = { do: "hand", player, ...shown };
  const done = await attempt(() =>
    n === null
      ? post("/api/moves", { ...hand, scan: shown.cards ? scan : null })
      : post("/api/amend", { n, move: hand }),
  );
  if (!done) return;
  const worth = shown.points === undefined ? said() : t("scan.points", { count: shown.points });
  view = /** @type {import("./types").Running} */ (await get("/api/view"));
  const next = view.legal?.hand[0];
  if (!next) return location.assign("/scores");
  goOn(next, n ?? done.rulings[0]?.n, worth);
}

/**
 * Says what was taken in, and takes up the next hand.
 * @param {string} next @param {number} n the ruling that the last hand was @param {string} worth
 */
function goOn(next, n, worth) {
  const before = player ?? "";
  fill(
    told,
    h(
      "p",
      { class: "panel told" },
      h("strong", {}, t("scan.next", { player: before, points: worth, next })),
      " ",
      h(
        "a",
        { class: "button small-button", id: "mend-last", href: `/scan?player=${encodeURIComponent(before)}&n=${n}` },
        t("scan.mend.last"),
      ),
    ),
  );
  player = next;
  amended = null;
  history.pushState(null, "", `/scan?player=${encodeURIComponent(next)}`);
  clear();
  begin();
  scrollTo({ top: 0 });
}
