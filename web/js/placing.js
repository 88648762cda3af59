/** The places at the end of a match. */

/**
 * The players who stand on the podium, best first, each with the place: players of equal points share one.
 * @param {{
 *   players: string[], winners: string[], scores: Record<string, number>, scoring: string
 * }} match
 * @returns {{ player: string, place: number }[]}
 */
export function podium({ players, winners, scores, scoring }) {
  const first = winners.map((player) => ({ player, place: 1 }));
  if (scoring === "single-round") return first;
  const sign = scoring === "low-total" ? 1 : -1;
  const rest = players.filter((player) => !winners.includes(player)).sort((a, b) => sign * (scores[a] - scores[b]));
  const better = (/** @type {string} */ player) =>
    rest.filter((other) => sign * (scores[other] - scores[player]) < 0).length;
  const others = rest.map((player) => ({ player, place: 1 + winners.length + better(player) }));
  return [...first, ...others.filter(({ place }) => place <= 3)];
}
