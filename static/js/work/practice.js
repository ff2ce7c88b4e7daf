// After a practice example: what its authors say about it, and at the end that the work begins.

/**
 * @typedef {import("./types.js").Answer} Answer
 * @typedef {import("./types.js").Feedback} Feedback
 */

/**
 * What was told is kept with the drafts, so that a reload neither skips nor repeats it.
 *
 * @param {{ page: import("./types.js").PageDocument, storage: import("./types.js").PageStorage,
 *   drafts: import("./types.js").Drafts, route: import("./types.js").Route,
 *   tell: (title: string, text: string) => Promise<unknown>,
 *   compare: (result: Feedback, material: import("./types.js").Material) => Promise<boolean>,
 *   askForFeedback: (trial: number, screens: Answer[][]) => Promise<Feedback>,
 *   onDone: () => unknown, leave: () => Promise<never> }} parts
 *   tell: shows a message until the rater continues ·
 *   compare: shows the answers next to the feedback; whether the rater tries again ·
 *   askForFeedback: the server gives it for the answers, and rejects without a connection ·
 *   onDone: tells the server that the practice is over ·
 *   leave: opens the page that says why the work has ended
 */
export function createPractice(parts) {
  const { page, storage, drafts, route } = parts;
  const { words } = page;
  const id = `${page.assignment}:told`;
  let state = { id, trials: /** @type {number[]} */ ([]), isOver: false };

  const keep = () => storage.change((transaction) => transaction.put("drafts", state));
  /** @param {number} trial */
  const isDone = (trial) =>
    route.steps.every(
      (step) => !step.practice || step.number !== trial + 1 || route.isAnswered(step),
    );

  async function load() {
    state = (await storage.change((transaction) => transaction.get("drafts", id))) ?? state;
    // The server may not have heard of it when the practice ended.
    if (state.isOver && page.practice.length) parts.onDone();
  }

  /** What there is to say about the examples that are answered; whether one is tried again. */
  async function catchUp() {
    for (const [trial, material] of page.practice.entries()) {
      if (!isDone(trial) || state.trials.includes(trial)) continue;
      if (material.has_feedback && (await discuss(trial, material))) {
        await askAgain(trial);
        return true;
      }
      state.trials.push(trial);
      await keep();
    }
    if (!page.practice.length || state.isOver || state.trials.length < page.practice.length) {
      return false;
    }
    await parts.tell(words.practice_over, "");
    state.isOver = true;
    await keep();
    parts.onDone();
    return false;
  }

  /**
   * Resolves with whether the rater tries the example again.
   *
   * @param {number} trial
   * @param {import("./types.js").Material} material
   */
  async function discuss(trial, material) {
    const result = await feedback(trial, material);
    if (result.ends_the_work) return parts.leave();
    if (!result.answers) return void (await parts.tell(words.feedback, result.feedback ?? ""));
    const mustTryAgain = page.practice_gate && result.may_try_again;
    return parts.compare({ ...result, must_try_again: mustTryAgain }, material);
  }

  /**
   * @param {number} trial
   * @param {import("./types.js").Material} material
   * @returns {Promise<Feedback>}
   */
  async function feedback(trial, material) {
    // The organiser's preview has it at once.
    if (material.feedback) return { feedback: material.feedback };
    /** @type {Answer[][]} */
    const screens = [];
    for (const screen of page.screens.keys()) {
      const draft = await drafts.read({ trial: `practice-${trial}`, screen });
      screens.push(draft?.given ?? []);
    }
    for (;;) {
      try {
        return await parts.askForFeedback(trial, screens);
      } catch {
        if (!page.practice_gate) return { feedback: words.no_feedback };
        await parts.tell(words.feedback, words.waiting_for_server);
      }
    }
  }

  /** @param {number} trial */
  async function askAgain(trial) {
    for (const step of route.steps) {
      if (step.practice && step.number === trial + 1) await route.reopen(step);
    }
  }

  return { load, catchUp };
}
