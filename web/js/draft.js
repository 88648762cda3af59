/** The match that is being set up: players, seats and rules. Draws nothing. */

/** @typedef {import("./answers").ChoicesAnswer} Choices */
/** @typedef {boolean | number | string} Value */

/** The choice of a profile that stands for the family's own rules. */
export const OURS = "ours";

export class Draft {
  /** @param {Choices} choices @param {string} language of the page */
  constructor(choices, language) {
    const last = /** @type {import("./types").Wishes} */ (choices.last);
    this.choices = choices;
    this.ourRules = last.our_rules ?? null;
    /** @type {string[]} */
    this.players = [...(last.players ?? ["", ""])];
    /** @type {string | null} */
    this.dealer = last.dealer ?? null;
    this.edition = last.edition ?? choices.editions[0].name;
    /** @type {import("./answers").EditionDetailAnswer | null} of the edition that is chosen, once it was asked for */
    this.detail = null;
    /** The values of the edition's own options. @type {Record<string, Value>} */
    this.own = last.choices ?? {};
    this.profile = last.profile ?? choices.profiles[0].name;
    /** @type {Record<string, Value>} */
    this.options = last.options ?? {};
    this.ours = last.ours ?? false;
    this.language = last.language ?? language;
    this.before = last.turns ?? "camera";
    /** How turns are learnt, as chosen here; null while nobody has chosen. @type {string | null} */
    this.chosenTurns = null;
    this.hasCamera = false;
  }

  /** The names that are there, without blanks around them. */
  get named() {
    return this.players.map((name) => name.trim()).filter(Boolean);
  }

  get isFull() {
    return this.named.length >= this.choices.most_players;
  }

  /** How turns are learnt: where nothing watches, by taps. @returns {string} */
  get turns() {
    if (this.chosenTurns !== null) return this.chosenTurns;
    return !this.hasCamera && this.before === "camera" ? "tapped" : this.before;
  }

  /** Lets somebody play: in the first free seat, or in a new one. @param {string} name */
  seat(name) {
    const free = this.players.findIndex((one) => !one.trim());
    if (free >= 0) this.players[free] = name;
    else this.players.push(name);
  }

  /** @param {number} seat @param {number} to */
  move(seat, to) {
    if (to >= 0 && to < this.players.length) this.players.splice(to, 0, ...this.players.splice(seat, 1));
  }

  /** Forgets a dealer who does not play. */
  checkDealer() {
    if (this.dealer !== null && !this.named.includes(this.dealer)) this.dealer = null;
  }

  /** @param {string} value a profile's name, or that of the family's own rules */
  chooseProfile(value) {
    if (value !== OURS) this.profile = value;
    this.options = value === OURS ? { ...(this.ourRules ?? this.options) } : {};
    this.ours = value === OURS;
  }

  /** What an option is: as chosen here, as the profile has it, as the edition has it. @param {string} name */
  value(name) {
    const edition =
      this.detail ?? this.choices.editions.find((one) => one.name === this.edition) ?? this.choices.editions[0];
    const profile = this.choices.profiles.find((one) => one.name === this.profile) ?? this.choices.profiles[0];
    return this.own[name] ?? this.options[name] ?? profile.sets[name] ?? edition.defaults[name];
  }

  /** @param {string} name @param {Value} value */
  choose(name, value) {
    this.options = { ...this.options, [name]: value };
    this.ours = true;
  }

  /** @param {import("./answers").EditionDetailAnswer} detail of the edition that is chosen from now on */
  chooseEdition(detail) {
    const same = this.detail === null && detail.edition.id === this.edition;
    // A file that was edited since may not have an option any more.
    const known = detail.choices.map((one) => one.name);
    this.own = Object.fromEntries(same ? Object.entries(this.own).filter(([name]) => known.includes(name)) : []);
    this.detail = detail;
    this.edition = detail.edition.id;
  }

  /** Sets an option that only this edition has. @param {string} name @param {Value} value */
  chooseOwn(name, value) {
    this.own = { ...this.own, [name]: value };
  }

  /** The options that only this edition has. @returns {import("./answers").OptionAnswer[]} */
  get ownOptions() {
    return (this.detail?.choices ?? []).map(({ name, text, values }) => ({
      name,
      kind: values.every((one) => typeof one === "boolean") ? "flag" : "choice",
      title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "),
      sentence: text,
      values: values.map((one) => ({ value: String(one), title: String(one) })),
      least: null,
      most: null,
      house: true,
    }));
  }

  /** The options that can matter: without points there is nothing to play to. */
  get apt() {
    return this.choices.options.filter((one) => one.name !== "target" || this.value("scoring") !== "single-round");
  }

  /** What hinders a start, null for nothing. @returns {{ twice: string } | { fewer: number } | null} */
  get fault() {
    const { named } = this;
    const twice = named.find((name, i) => named.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== i);
    if (twice) return { twice };
    return named.length < this.choices.least_players ? { fewer: this.choices.least_players } : null;
  }

  /** What is sent to start the match. */
  get body() {
    const { edition, profile, options, own: choices, ours, language, turns, dealer, named: players } = this;
    const wish = { edition, profile, options, choices, ours, language, turns, dealer, players };
    return /** @type {import("./answers").MatchBody} */ (wish);
  }
}

/**
 * The values that a profile changes, by the titles of the options: what it means to a family.
 * @param {Choices} choices @param {Record<string, Value>} sets
 * @returns {Array<{ title: string, value: string | number | boolean }>} value: its title where it has one
 */
export function changesOf(choices, sets) {
  return Object.entries(sets).flatMap(([name, value]) => {
    const option = choices.options.find((one) => one.name === name);
    if (!option) return [];
    return [{ title: option.title, value: option.values.find((one) => one.value === value)?.title ?? value }];
  });
}
