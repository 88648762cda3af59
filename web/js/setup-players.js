/** The first step of a set-up: who plays, in the order of the seats, and who deals. */

import { drawForDealer } from "./dealer.js";
import { $, fill, h, svg, toast } from "./dom.js";
import { t } from "./i18n.js";
import { person } from "./people.js";

const MOST_KNOWN = 12;

/**
 * Draws the step, again after each change.
 * @param {HTMLElement} place @param {import("./draft.js").Draft} draft
 * @param {{ people: string[], edited: () => void }} how people: who played here before; edited: called at each change
 * @returns {{ focus: (seat: number) => void }}
 */
export function drawPlayers(place, draft, { people, edited }) {
  const fields = () => /** @type {NodeListOf<HTMLInputElement>} */ (place.querySelectorAll(".players input"));
  const focus = (/** @type {number} */ seat) => fields()[seat]?.focus();

  const draw = (focused = -1) => {
    const known = people.filter((name) => !draft.players.includes(name)).slice(0, MOST_KNOWN);
    fill(
      place,
      known.length > 0 && drawKnown(known),
      h("ol", { class: "players" }, draft.players.map(row)),
      draft.players.length < draft.choices.most_players &&
        h("button", { type: "button", id: "add-player", onclick: add }, t("setup.add")),
      drawDealerFold(),
    );
    drawDealer();
    if (focused >= 0) focus(focused);
  };

  const add = () => {
    draft.players.push("");
    draw(draft.players.length - 1);
  };

  const drawKnown = (/** @type {string[]} */ known) =>
    h(
      "div",
      { class: "row known-people", role: "group", "aria-label": t("setup.known") },
      known.map((name) =>
        h(
          "button",
          {
            type: "button",
            class: "small-button",
            "data-known": name,
            disabled: draft.isFull,
            onclick: () => {
              draft.seat(name);
              edited();
              draw();
            },
          },
          person(name),
        ),
      ),
    );

  const row = (/** @type {string} */ name, /** @type {number} */ seat) => {
    const shift = (/** @type {number} */ to) => {
      draft.move(seat, to);
      draw(Math.min(Math.max(to, 0), draft.players.length - 1));
    };
    const label = t("setup.player", { seat: seat + 1 });
    return h(
      "li",
      {
        class: "player-row",
        "data-key": `seat-${seat}`,
        draggable: true,
        ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", String(seat)),
        ondragover: (/** @type {Event} */ event) => event.preventDefault(),
        ondrop: (/** @type {DragEvent} */ event) => {
          event.preventDefault();
          draft.move(Number(event.dataTransfer?.getData("text/plain")), seat);
          draw();
        },
      },
      h("input", {
        value: name,
        maxlength: "24",
        "aria-label": label,
        placeholder: label,
        oninput: (event) => {
          draft.players[seat] = event.target.value;
          edited();
        },
        onchange: drawDealer,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.altKey && event.key === "ArrowUp") shift(seat - 1);
          if (event.altKey && event.key === "ArrowDown") shift(seat + 1);
          if (event.key === "Enter") {
            event.preventDefault();
            next(seat);
          }
        },
      }),
      h(
        "button",
        {
          type: "button",
          class: "quiet icon",
          "aria-label": t("setup.up", { seat: seat + 1 }),
          disabled: seat === 0,
          onclick: () => shift(seat - 1),
        },
        svg('<path d="m6 15 6-6 6 6" fill="none" stroke="currentColor" stroke-width="2.4"/>'),
      ),
      h(
        "button",
        {
          type: "button",
          class: "quiet icon",
          "aria-label": t("setup.remove", { seat: seat + 1 }),
          disabled: draft.players.length <= draft.choices.least_players,
          onclick: () => {
            draft.players.splice(seat, 1);
            draw();
          },
        },
        svg('<path d="m6 6 12 12M18 6 6 18" stroke="currentColor" stroke-width="2.4"/>'),
      ),
    );
  };

  /** Goes on to the next name: Enter in a field starts no match. @param {number} seat */
  const next = (seat) => {
    if (seat + 1 < draft.players.length) focus(seat + 1);
    else if (draft.players[seat].trim() && draft.players.length < draft.choices.most_players) add();
    else $("#start").focus();
  };

  const drawDealerFold = () =>
    h(
      "details",
      { class: "fold", id: "dealer-fold" },
      h("summary", {}, t("setup.dealer"), ": ", draft.dealer ?? t("setup.dealer.last")),
      h(
        "div",
        { class: "stack" },
        h(
          "label",
          { class: "field" },
          h("span", { class: "visually-hidden" }, t("setup.dealer")),
          h("select", {
            id: "dealer",
            onchange: (event) => {
              draft.dealer = event.target.value || null;
              draw();
            },
          }),
        ),
        h(
          "div",
          { class: "row" },
          h("button", { type: "button", class: "small-button", onclick: byLot }, t("setup.dealer.random")),
          h("button", { type: "button", class: "small-button", onclick: byCards }, t("setup.dealer.cards")),
        ),
        h("p", { class: "soft small" }, t("setup.players.help")),
      ),
      h("div", { id: "dealer-cards", class: "stack" }),
    );

  /** Offers the players named so far as dealers. */
  const drawDealer = () => {
    draft.checkDealer();
    fill(
      $("#dealer"),
      h("option", { value: "" }, t("setup.dealer.last")),
      draft.named.map((name) => h("option", { value: name, selected: name === draft.dealer }, name)),
    );
  };

  const byLot = () => {
    const { named } = draft;
    if (!named.length) return;
    draft.dealer = named[Math.floor(Math.random() * named.length)];
    draw();
    toast(t("setup.dealer.is", { player: draft.dealer }));
  };

  /** The highest card drawn deals. */
  const byCards = () => {
    if (draft.named.length < 2) return;
    drawForDealer($("#dealer-cards"), draft.named, (player) => {
      draft.dealer = player;
      draw();
    });
  };

  draw();
  return { focus };
}
