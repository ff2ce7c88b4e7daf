// After a practice example: what its authors say about it, and at the end that the work begins.

/** @import { Answer, Drafts, Feedback, Material, PageDocument, PageStorage, Route } from "./types.js" */

/**
 * What a practice works with.
 *
 * @typedef {object} PracticeParts
 * @property {PageDocument} page
 * @property {PageStorage} storage
 * @property {Drafts} drafts
 * @property {Route} route
 * @property {(title: string, text: string) => Promise<unknown>} tell show a message until the rater
 *   continues
 * @property {(result: Feedback, material: Material) => Promise<boolean>} compare show the answers
 *   next to the feedback; whether the rater tries again
 * @property {(trial: number, screens: Answer[][]) => Promise<Feedback>} askForFeedback the server
 *   gives it for the answers; rejects without a connection
 * @property {() => unknown} onDone tell the server that the practice is over
 * @property {() => Promise<never>} leave open the page that says why the work has ended
 */

/** What was told is kept with the drafts, so that a reload neither skips nor repeats it. */
export class Practice {
  #parts;
  #state;

  /** @param {PracticeParts} parts */
  constructor(parts) {
    this.#parts = parts;
    const id = `${parts.page.assignment}:told`;
    this.#state = { id, trials: /** @type {number[]} */ ([]), isOver: false };
  }

  #keep() {
    return this.#parts.storage.change((transaction) => transaction.put("drafts", this.#state));
  }

  /** @param {number} trial */
  #stepsOf(trial) {
    return this.#parts.route.steps.filter(
      ({ practice, number }) => practice && number === trial + 1,
    );
  }

  async load() {
    const { page, storage, onDone } = this.#parts;
    const { id } = this.#state;
    /** @type {{ trials: number[], isOver: boolean } | undefined} */
    const kept = await storage.change((transaction) => transaction.get("drafts", id));
    this.#state = { ...this.#state, ...kept };
    // The server may not have heard of it when the practice ended.
    if (this.#state.isOver && page.practice.length) onDone();
  }

  /** What there is to say about the examples that are answered; whether one is tried again. */
  async catchUp() {
    const { page, route, tell, onDone } = this.#parts;
    const { practice, words } = page;
    for (const [trial, material] of practice.entries()) {
      const steps = this.#stepsOf(trial);
      if (!steps.every(route.isAnswered) || this.#state.trials.includes(trial)) continue;
      if (material.has_feedback && (await this.#discuss(trial, material))) {
        for (const step of steps) await route.reopen(step);
        return true;
      }
      this.#state.trials.push(trial);
      await this.#keep();
    }
    const { isOver, trials } = this.#state;
    if (!practice.length || isOver || trials.length < practice.length) return false;
    await tell(words.practice_over, "");
    this.#state.isOver = true;
    await this.#keep();
    onDone();
    return false;
  }

  /**
   * Resolves with whether the rater tries the example again.
   *
   * @param {number} trial
   * @param {Material} material
   */
  async #discuss(trial, material) {
    const { page, leave, tell, compare } = this.#parts;
    const result = await this.#feedback(trial, material);
    if (result.ends_the_work) return leave();
    if (!result.answers) return void (await tell(page.words.feedback, result.feedback ?? ""));
    const mustTryAgain = page.practice_gate && result.may_try_again;
    return compare({ ...result, must_try_again: mustTryAgain }, material);
  }

  /**
   * @param {number} trial
   * @param {Material} material
   * @returns {Promise<Feedback>}
   */
  async #feedback(trial, material) {
    const { page, drafts, askForFeedback, tell } = this.#parts;
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
        return await askForFeedback(trial, screens);
      } catch {
        if (!page.practice_gate) return { feedback: page.words.no_feedback };
        await tell(page.words.feedback, page.words.waiting_for_server);
      }
    }
  }
}
