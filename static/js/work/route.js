// The rater's way through a batch: which screens there are, which are answered, which comes next.

import { idOf } from "../sending/drafts.js";
import { firstOpen, mayGoBack, stepsOf } from "./session.js";

/**
 * @typedef {import("./types.js").Step} Step
 * @typedef {import("./types.js").ScreenId} ScreenId
 */

/**
 * @param {{ page: import("./types.js").PageDocument, drafts: import("./types.js").Drafts }} parts
 */
export function createRoute({ page, drafts }) {
  const steps = stepsOf(page);
  /** @type {Set<string>} */
  const answered = new Set();
  /** @type {number[]} seconds that this rater took for screens, also before a reload */
  const pace = [];
  /** @param {ScreenId} step */
  const id = (step) => idOf(page.assignment, step);
  /** @param {ScreenId} step */
  const isAnswered = (step) => answered.has(id(step));

  /** What this browser has sent, and what the server already had when it made the page. */
  async function load() {
    const kept = await drafts.mine();
    const stored = new Set(page.stored.map(([trial, screen]) => id({ trial, screen })));
    for (const step of steps) {
      const draft = kept.get(id(step));
      // Only a screen that was opened again on purpose replaces what the server has.
      const isOnServer = stored.has(id(step)) && !draft?.replaces;
      if (draft?.state === "sent" || isOnServer) answered.add(id(step));
      if (draft?.state === "sent") pace.push(draft.spent_ms / 1_000);
    }
  }

  /**
   * Ask a screen again, under a new key.
   *
   * @param {Step} step
   */
  async function reopen(step) {
    await drafts.ask(step);
    answered.delete(id(step));
  }

  const whole = steps.filter((step) => !step.practice).length;

  return {
    steps,
    pace,
    whole,
    id,
    load,
    reopen,
    isAnswered,
    /** @param {Step} step */
    markAnswered: (step) => void answered.add(id(step)),
    /** @param {Step} step */
    markOpen: (step) => void answered.delete(id(step)),
    /** The first screen without an answer; undefined when all are answered. */
    next: () => steps[firstOpen(steps, isAnswered)],
    /** @param {Step} step */
    isLast: (step) => firstOpen(steps, (one) => one === step || isAnswered(one)) === steps.length,
    left: () => steps.filter((step) => !step.practice && !isAnswered(step)).length,
    /** @param {ScreenId} screenId */
    find: ({ trial, screen }) =>
      steps.find((step) => step.trial === trial && step.screen === screen),
    /**
     * The screen that Back leads to, or null where there is no way back.
     *
     * @param {Step} step
     */
    before(step) {
      const index = steps.indexOf(step);
      return mayGoBack(steps, index, page.screens) ? steps[index - 1] : null;
    },
    /**
     * The server lacks these screens: ask them again, with what was answered put back.
     *
     * @param {[number, number][]} stored trial and screen of what the server has
     */
    async reopenMissing(stored) {
      const kept = new Set(stored.map(([trial, screen]) => id({ trial, screen })));
      for (const step of steps.filter((one) => !one.practice && !kept.has(id(one)))) {
        await reopen(step);
      }
    },
  };
}
