/** Places and head-to-head results, calculated from what the server lists. Draws nothing. */

/** @typedef {{ players: string[], winners: string[], over: boolean, started: number }} Past */

/**
 * The players of a match, the best first, and those who lead it.
 * @param {Pick<import("./answers").ScoresAnswer, "players" | "scores" | "scoring" | "left" | "totals">} match
 */
export function leadersOf({ players, scores, scoring, left, totals }) {
  const sign = scoring === "low-total" ? 1 : -1;
  const order = [...players].sort((a, b) => sign * (scores[a] - scores[b]));
  const best = scores[order.find((player) => !left.includes(player)) ?? order[0]];
  const leads = totals.length === 0 ? [] : order.filter((one) => scores[one] === best && !left.includes(one));
  return { order, leads };
}

/**
 * How many of the latest matches each person has won in a row, counting only matches that came to an end.
 * @param {Past[]} matches @returns {Record<string, number>} only people with two or more
 */
export function streaksOf(matches) {
  /** @type {Record<string, number>} */
  const found = {};
  const broken = new Set();
  for (const { players, winners, over } of [...matches].sort((a, b) => b.started - a.started)) {
    if (!over) continue;
    for (const player of players) {
      if (!winners.includes(player)) broken.add(player);
      else if (!broken.has(player)) found[player] = (found[player] ?? 0) + 1;
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count > 1));
}

/**
 * Who beat whom how often: of two who played the same match, one beats the other by winning it alone.
 * @param {Past[]} matches @returns {Record<string, Record<string, number>>} wins by winner and loser
 */
export function headToHead(matches) {
  /** @type {Record<string, Record<string, number>>} */
  const wins = {};
  for (const { players, winners, over } of matches) {
    if (!over) continue;
    for (const winner of winners)
      for (const loser of players) {
        if (winners.includes(loser)) continue;
        wins[winner] ??= {};
        wins[winner][loser] = (wins[winner][loser] ?? 0) + 1;
      }
  }
  return wins;
}
