/** A position that is moved by hand or by itself, like that of a tape. Draws nothing. */

export class Tape {
  /**
   * @param {number} length @param {number} pace ms for which a position stands while it plays
   * @param {(place: number) => void} show called with each new position
   */
  constructor(length, pace, show) {
    this.length = length;
    this.pace = pace;
    this.show = show;
    this.place = 0;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
  }

  get isPlaying() {
    return this.timer !== null;
  }

  /** Goes to a position; at the end it stops. @param {number} place */
  go(place) {
    this.place = Math.min(Math.max(place, 0), this.length - 1);
    if (this.place === this.length - 1) this.stop();
    this.show(this.place);
  }

  /** Plays on from here, from the start where the end is reached, or stops. */
  toggle() {
    if (this.isPlaying) this.stop();
    else {
      if (this.place === this.length - 1) this.place = 0;
      this.run();
    }
    this.show(this.place);
  }

  run() {
    this.timer = setTimeout(() => {
      this.run();
      this.go(this.place + 1);
    }, this.pace);
  }

  stop() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

/**
 * Where each round begins.
 * @param {number[]} rounds the round of each position @returns {{ round: number, place: number }[]}
 */
export function roundStarts(rounds) {
  return rounds.flatMap((round, place) => (place === 0 || rounds[place - 1] !== round ? [{ round, place }] : []));
}
