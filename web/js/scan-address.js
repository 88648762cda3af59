/** The address of the page that reads a hand: whose hand, and which entered hand is corrected. */

/** @typedef {{ isChallenge: boolean, player: string | null, ruling: number | null }} WantedHand */

/** The hand that an address asks for. @param {string} search the part from the question mark @returns {WantedHand} */
export function wantedHand(search) {
  const wanted = new URLSearchParams(search);
  return {
    isChallenge: wanted.get("purpose") === "challenge",
    player: wanted.get("player"),
    ruling: Number(wanted.get("n")) || null,
  };
}

/**
 * Where a player's hand is entered.
 * @param {string} player @param {number | null} [ruling] the ruling of an entered hand, to correct it
 */
export const handAddress = (player, ruling = null) =>
  `/scan?player=${encodeURIComponent(player)}${ruling === null ? "" : `&n=${ruling}`}`;

/** Where the hand of a challenged player is shown. */
export const challengeAddress = () => "/scan?purpose=challenge";
