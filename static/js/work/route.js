// The rater's way through a batch: which screens there are, which are answered, which comes next.

import { idOf } from "../sending/drafts.js";
import { firstOpen, mayGoBack, stepsOf } from "./session.js";

/** @import { Drafts, PageDocument, ScreenId, Step } from "./types.js" */

export class Route {
  #page;
  #drafts;
  /** @type {Set<string>} */
  #answered = new Set();
  /** @type {number[]} seconds that this rater took for screens, also before a reload */
  pace = [];

  /** @param {{ page: PageDocument, drafts: Drafts }} parts */
  constructor({ page, drafts }) {
    this.#page = page;
    this.#drafts = drafts;
    this.steps = stepsOf(page);
    this.whole = this.steps.filter((step) => !step.practice).length;
  }

  /** @param {ScreenId} step */
  id = (step) => idOf(this.#page.assignment, step);
  /** @param {ScreenId} step */
  isAnswered = (step) => this.#answered.has(this.id(step));

  /** What this browser has sent, and what the server already had when it made the page. */
  async load() {
    const kept = await this.#drafts.mine();
    const stored = new Set(this.#page.stored.map(([trial, screen]) => this.id({ trial, screen })));
    for (const step of this.steps) {
      const draft = kept.get(this.id(step));
      // Only a screen that was opened again on purpose replaces what the server has.
      const isOnServer = stored.has(this.id(step)) && !draft?.replaces;
      if (draft?.state === "sent" || isOnServer) this.markAnswered(step);
      if (draft?.state === "sent") this.pace.push(draft.spent_ms / 1_000);
    }
  }

  /**
   * Ask a screen again, under a new key.
   *
   * @param {Step} step
   */
  async reopen(step) {
    await this.#drafts.ask(step);
    this.markOpen(step);
  }

  /** @param {Step} step */
  markAnswered(step) {
    this.#answered.add(this.id(step));
  }

  /** @param {Step} step */
  markOpen(step) {
    this.#answered.delete(this.id(step));
  }

  /** The first screen without an answer; undefined when all are answered. */
  next() {
    return this.steps[firstOpen(this.steps, this.isAnswered)];
  }

  /** @param {Step} step */
  isLast(step) {
    const { steps } = this;
    return firstOpen(steps, (one) => one === step || this.isAnswered(one)) === steps.length;
  }

  left() {
    return this.steps.filter((step) => !step.practice && !this.isAnswered(step)).length;
  }

  /** @param {ScreenId} screenId */
  find({ trial, screen }) {
    return this.steps.find((step) => step.trial === trial && step.screen === screen);
  }

  /**
   * The screen that Back leads to, or null where there is no way back.
   *
   * @param {Step} step
   */
  before(step) {
    const index = this.steps.indexOf(step);
    return mayGoBack(this.steps, index, this.#page.screens) ? this.steps[index - 1] : null;
  }

  /**
   * The server lacks these screens: ask them again, with what was answered put back.
   *
   * @param {[number, number][]} stored trial and screen of what the server has
   */
  async reopenMissing(stored) {
    const kept = new Set(stored.map(([trial, screen]) => this.id({ trial, screen })));
    for (const step of this.steps) {
      if (!step.practice && !kept.has(this.id(step))) await this.reopen(step);
    }
  }
}
