/** Finds the dealer by cards: each player shows one to the camera, and the highest deals. */

import { post } from "./api.js";
import { attempt } from "./attempt.js";
import { fill, h, toast } from "./dom.js";
import { cardName, t } from "./i18n.js";

/**
 * Asks each player in turn for a card, and again those who share the highest one.
 * @param {Element} place where the prompts stand
 * @param {string[]} players
 * @param {(player: string) => void} found called with the dealer
 */
export function drawForDealer(place, players, found) {
  let drawing = players;
  /** @type {string[]} */
  let cards = [];
  const draw = () =>
    fill(
      place,
      h("p", {}, t("setup.dealer.show", { player: drawing[cards.length] })),
      h(
        "ul",
        { class: "plain" },
        cards.map((card, i) => h("li", {}, `${drawing[i]}: ${cardName(card)}`)),
      ),
      h("button", { type: "button", class: "primary", onclick: read }, t("setup.dealer.read")),
    );
  const read = async () => {
    const seen = await attempt(() => post("/api/camera/look"));
    if (!seen) return;
    if (seen.cards.length !== 1) return void toast(t("setup.dealer.one", { count: seen.cards.length }));
    cards.push(seen.cards[0].card);
    if (cards.length < drawing.length) return void draw();
    const { highest } = await post("/api/dealer", { cards });
    const best = highest.map((/** @type {number} */ i) => drawing[i]);
    if (best.length === 1) {
      found(best[0]);
      toast(t("setup.dealer.is", { player: best[0] }));
      return;
    }
    toast(t("setup.dealer.again", { players: best.join(", ") }));
    drawing = best;
    cards = [];
    draw();
  };
  draw();
}
