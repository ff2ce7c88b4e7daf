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
 *
 * @param {{ storage: PageStorage, breaks: BreakRules,
 *   assignment: number, wallClock: () => number }} parts
 */
export function createBreaks({ storage, breaks, assignment, wallClock }) {
  const id = `break:${assignment}`;
  const length = breaks.minutes * 60_000;
  /** @returns {State} */
  const fresh = () => ({ id, trials: 0, worked: 0, left: null, seen: wallClock() });
  let state = fresh();

  function keep() {
    state.seen = wallClock();
    return storage.change((transaction) => transaction.put("drafts", state));
  }

  /** Being away is a rest, too: for the length of a break, or for a part of one. */
  function returned() {
    const away = Math.max(0, wallClock() - state.seen);
    state.seen = wallClock();
    if (away >= length) state = fresh();
    else if (state.left !== null) state.left -= away;
  }

  return {
    async load() {
      /** @type {State | undefined} */
      const found = await storage.change((transaction) => transaction.get("drafts", id));
      if (!found) return;
      state = sensible(found, length);
      returned();
    },
    /** The page goes out of sight. */
    leave() {
      state.seen = wallClock();
      storage.keepAtOnce(state);
    },
    /** The page is in sight again. */
    returned,
    /**
     * So much work was done on a screen.
     *
     * @param {number} milliseconds
     */
    worked(milliseconds) {
      state.worked += Math.min(milliseconds, LONGEST_SCREEN_MS);
    },
    trialDone() {
      state.trials += 1;
      return keep();
    },
    isDue: () => state.left !== null || breakIsDue(breaks, state.trials, state.worked / 60_000),
    /** Begin a break, or continue one that a reload interrupted; returns what is left of it. */
    async begin() {
      state.left ??= breaks.enforced ? length : 0;
      await keep();
      return state.left;
    },
    /**
     * So much of the break is left now.
     *
     * @param {number} left
     */
    rest(left) {
      state.left = left;
      return keep();
    },
    end() {
      state = fresh();
      return keep();
    },
  };
}
