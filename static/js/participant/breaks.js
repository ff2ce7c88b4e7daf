// When a rater should rest; kept with the drafts, so that a reload does not end a break.

import { breakIsDue } from "./session.js";

export function createBreaks({ storage, breaks, assignment, now }) {
  const id = `break:${assignment}`;
  const fresh = () => ({ id, trials: 0, since: now(), until: null });
  let state = fresh();

  const keep = () => storage.change((transaction) => transaction.put("drafts", state));

  return {
    async load() {
      state = (await storage.change((transaction) => transaction.get("drafts", id))) ?? fresh();
    },
    trialDone() {
      state.trials += 1;
      return keep();
    },
    isDue: () =>
      state.until !== null || breakIsDue(breaks, state.trials, (now() - state.since) / 60_000),
    /** Begin a break, or go on with one that a reload interrupted; gives its end. */
    async begin() {
      state.until ??= now() + (breaks.enforced ? breaks.minutes * 60_000 : 0);
      await keep();
      return state.until;
    },
    end() {
      state = fresh();
      return keep();
    },
  };
}
