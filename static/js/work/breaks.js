// When a rater should rest; kept with the drafts, so that a reload does not end a break.

import { breakIsDue } from "./session.js";

/** @import { BreakRules, PageStorage } from "./types.js" */

// A page may lie open while its rater is elsewhere: so much at most counts as work on one screen.
const LONGEST_SCREEN_MS = 10 * 60_000;

/** @param {number} number */
const countable = (number) => (Number.isFinite(number) ? Math.max(0, number) : 0);

/** @typedef {{ id: string, trials: number, worked: number, left: number | null, seen: number }} State */

/**
 * What was kept, as far as it makes sense.
 *
 * @param {State} found
 * @param {number} length of a break
 * @returns {State}
 */
const sensible = ({ id, trials, worked, left, seen }, length) => ({
  id,
  trials: countable(trials),
  worked: countable(worked),
  left: Number.isFinite(left) ? Math.min(countable(Number(left)), length) : null,
  seen: countable(seen),
});

/**
 * What is counted is work, not the time of day: minutes on the screens themselves, and the rest of
 * a break in milliseconds. The wall clock only tells how long the page was away; wherever it may
 * have been changed meanwhile, a break is never longer than the campaign says.
 */
export class Breaks {
  #storage;
  #rules;
  #wallClock;
  #id;
  #length;
  /** @type {State} */
  #state;

  /**
   * @param {{ storage: PageStorage, breaks: BreakRules,
   *   assignment: number, wallClock: () => number }} parts
   */
  constructor({ storage, breaks, assignment, wallClock }) {
    this.#storage = storage;
    this.#rules = breaks;
    this.#wallClock = wallClock;
    this.#id = `break:${assignment}`;
    this.#length = breaks.minutes * 60_000;
    this.#state = this.#fresh();
  }

  /** @returns {State} */
  #fresh() {
    return { id: this.#id, trials: 0, worked: 0, left: null, seen: this.#wallClock() };
  }

  #keep() {
    this.#state.seen = this.#wallClock();
    return this.#storage.change((transaction) => transaction.put("drafts", this.#state));
  }

  async load() {
    /** @type {State | undefined} */
    const found = await this.#storage.change((transaction) => transaction.get("drafts", this.#id));
    if (!found) return;
    this.#state = sensible(found, this.#length);
    this.returned();
  }

  /** The page goes out of sight. */
  leave() {
    this.#state.seen = this.#wallClock();
    this.#storage.keepAtOnce(this.#state);
  }

  /** The page is in sight again. Being away rests, too: for all of a break, or for a part of it. */
  returned() {
    const state = this.#state;
    const away = Math.max(0, this.#wallClock() - state.seen);
    state.seen = this.#wallClock();
    if (away >= this.#length) this.#state = this.#fresh();
    else if (state.left !== null) state.left -= away;
  }

  /** @param {number} milliseconds that were worked on a screen */
  worked(milliseconds) {
    this.#state.worked += Math.min(milliseconds, LONGEST_SCREEN_MS);
  }

  trialDone() {
    this.#state.trials += 1;
    return this.#keep();
  }

  isDue() {
    const { left, trials, worked } = this.#state;
    return left !== null || breakIsDue(this.#rules, trials, worked / 60_000);
  }

  /** Begin a break, or continue one that a reload interrupted; returns what is left of it. */
  async begin() {
    this.#state.left ??= this.#rules.enforced ? this.#length : 0;
    await this.#keep();
    return this.#state.left;
  }

  /** @param {number} left of the break, in milliseconds */
  rest(left) {
    this.#state.left = left;
    return this.#keep();
  }

  end() {
    this.#state = this.#fresh();
    return this.#keep();
  }
}
