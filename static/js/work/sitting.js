// A rater's sitting: screen after screen, each kept before the next one is shown.

import { Desk } from "./desk.js";
import { createHeader } from "./header.js";
import { showMessage } from "./message.js";
import { Route } from "./route.js";

/** @import { Answer, Bell, BrowserTools, Device, Drafts, Entry, Feedback, InstrumentModule, Material, PageDocument, PageStorage, PageView, Refusal, Rests, Step, Submission } from "./types.js" */

/**
 * What the sitting is made of, and what the page does for it.
 *
 * @typedef {object} SittingParts
 * @property {PageDocument} page
 * @property {PageStorage} storage
 * @property {Drafts} drafts
 * @property {Rests} breaks
 * @property {Record<string, InstrumentModule>} instruments
 * @property {PageView} view
 * @property {BrowserTools & { bell?: Bell }} tools with a bell where a screen is timed
 * @property {Device} device
 * @property {import("./traces.js").Traces} [traces] where the campaign keeps them
 * @property {typeof import("./timed.js").TimedTrials} [TimedTrials] where one is timed
 * @property {typeof import("./practice.js").Practice} [Practice] where there are examples
 * @property {() => unknown} afterSending
 * @property {() => unknown} onPractised
 * @property {(trial: number, screens: Answer[][]) =>
 *   Promise<Feedback>} askForFeedback
 * @property {(route: Route) => Promise<boolean>} onEnd
 *   whether the page is left
 * @property {(error: unknown) => void} onFailure
 * @property {() => Promise<unknown>} reload
 */

/**
 * The sitting ties together the route (which screen is next), the desk (the screen in front of the
 * rater) and the timed trials, and decides what may come between two screens.
 */
export class Sitting {
  #parts;
  #route;
  #header;
  #desk;
  #timedTrials;
  #practice;
  // What covers the work, by name: each comes once.
  /** @type {Map<string, () => unknown>} */
  #interruptions = new Map();
  // What the server said against answers, by screen.
  /** @type {Map<string, Refusal[]>} */
  #refusals = new Map();
  #inTrial = false; // a time is being measured, from its first screen to its last

  /** @param {SittingParts} parts */
  constructor(parts) {
    const { page, storage, drafts, breaks, view, tools, TimedTrials, Practice } = parts;
    const route = new Route({ page, drafts });
    const header = createHeader({ page, view, route });
    const desk = new Desk({ ...parts, route, header, onWork: (spent) => breaks.worked(spent) });
    this.#parts = parts;
    this.#route = route;
    this.#header = header;
    this.#desk = desk;
    const { bell } = tools;
    if (TimedTrials && bell) {
      this.#timedTrials = new TimedTrials({ page, desk, header, view, tools: { ...tools, bell } });
    }
    this.#practice =
      Practice &&
      new Practice({
        page,
        storage,
        drafts,
        route,
        tell: (title, text) => this.#comeBetween(title, text),
        compare: (result, material) => this.#compareAnswers(result, material),
        leave: () => parts.reload().then(() => new Promise(() => undefined)),
        askForFeedback: parts.askForFeedback,
        onDone: parts.onPractised,
      });
  }

  async run() {
    await Promise.all([this.#route.load(), this.#parts.breaks.load()]);
    await this.#practice?.load();
    for (;;) {
      this.#desk.clear();
      const step = this.#route.next();
      // Reading and finding are one trial: what covers the page waits until both are done.
      if (!this.#inTrial || !step || step.screen === 0) await this.#endTrial(step);
      if (await this.#practice?.catchUp()) continue;
      if (step) await this.#showStep(step);
      else if (await this.#parts.onEnd(this.#route)) return;
    }
  }

  /**
   * Between two trials nothing is measured: now comes whatever had to wait.
   *
   * @param {Step | undefined} next
   */
  async #endTrial(next) {
    this.#inTrial = false;
    this.#parts.view.notice.release();
    for (const [name, work] of next ? this.#interruptions : []) {
      this.#interruptions.delete(name);
      this.#timedTrials?.stop();
      await work();
    }
    this.#interruptions.clear();
  }

  /** @param {Step} step */
  async #showStep(step) {
    const { page, drafts, breaks, view } = this.#parts;
    if (!step.practice && step.screen === 0 && breaks.isDue()) await this.#rest(step);
    const draft = await drafts.show(step);
    if (draft.state === "sent") {
      this.#route.markAnswered(step);
      view.notice("elsewhere", page.words.answered_elsewhere, "");
      return;
    }
    view.notice("elsewhere", "");
    const { timed } = page.screens[step.screen];
    const refusals = this.#refusals.get(this.#route.id(step)) ?? [];
    const outcome = timed
      ? await this.#timedTrials?.show(step, draft, timed, () => this.#beginTrial())
      : await this.#desk.show(step, draft, refusals);
    view.notice("back", "");
    if (outcome === "sent") await this.#afterSending(step);
  }

  #beginTrial() {
    this.#inTrial = true;
    this.#parts.view.notice.hold(); // a line more or less above them would move the pictures
  }

  /** @param {Step} step */
  async #afterSending(step) {
    const { breaks, view, afterSending } = this.#parts;
    if (this.#refusals.delete(this.#route.id(step))) view.notice("refused", "");
    if (step.practice) return;
    if (step.screen === step.screens - 1) await breaks.trialDone();
    await afterSending();
  }

  // What comes between two screens -----------------------------------------------------------

  /** @param {Parameters<typeof showMessage>[2]} message */
  #say(message) {
    this.#timedTrials?.stop();
    const { view } = this.#parts;
    return showMessage(view.stage, view.messageTemplate, message);
  }

  /** @param {Step} step */
  async #rest(step) {
    const { page, breaks } = this.#parts;
    const { words } = page;
    const { enforced } = page.breaks;
    const left = await breaks.begin();
    this.#header.show(step);
    await this.#say({
      title: words.break,
      text: enforced ? "" : words.break_suggested,
      button: words.go_on,
      rest: left,
      counting: enforced ? words.break_enforced : "",
      over: words.break_over,
      onRest: (left) => breaks.rest(left),
    });
    await breaks.end();
  }

  /**
   * A message that the rater reads before the work continues.
   *
   * @param {string} title
   * @param {string} text
   */
  #comeBetween(title, text) {
    return this.#say({ title, text, button: this.#parts.page.words.go_on });
  }

  /**
   * The feedback on an example; resolves with whether the rater tries it again.
   *
   * @param {Feedback} result
   * @param {Material} material
   */
  async #compareAnswers(result, material) {
    this.#timedTrials?.stop();
    const { page, view } = this.#parts;
    const { showAnswers } = await import("./practice_answers.js");
    const template = /** @type {HTMLTemplateElement} */ (view.answersTemplate);
    return showAnswers(view.stage, template, result, material, page.words);
  }

  // What happens around the work -------------------------------------------------------------

  async back() {
    const { page, drafts, view } = this.#parts;
    const here = this.#desk.current();
    const before = here && !here.measuring && this.#route.before(here.step);
    if (!before) return;
    await this.#desk.keep();
    const draft = await drafts.reopen(before);
    if (draft) {
      this.#route.markOpen(before);
      this.#desk.leave("back");
    } else {
      // What was answered on another device is not here to be changed.
      view.notice("back", page.words.not_here, "");
    }
  }

  /** Another window may have gone on: leave a screen that is answered by now. */
  async refresh() {
    const here = this.#desk.current();
    if (!here) return;
    const draft = await this.#parts.drafts.read(here.step);
    if (draft?.state !== "sent" || draft.key !== here.draft.key) return;
    if (this.#desk.current() !== here) return;
    this.#route.markAnswered(here.step);
    this.#desk.leave("elsewhere");
  }

  /**
   * The screen that an answer is about, if it is one of this batch.
   *
   * @param {Entry} entry
   */
  #stepOf({ payload: { assignment, trial, screen } }) {
    if (assignment !== this.#parts.page.assignment || trial === null) return undefined;
    return this.#route.find({ trial, screen });
  }

  /**
   * The server has refused an answer: back to its screen.
   *
   * @param {Entry} entry
   * @param {Refusal[]} problems
   */
  async refused(entry, problems) {
    const step = this.#stepOf(entry);
    if (!step) return;
    this.#refusals.set(this.#route.id(step), problems);
    await this.#desk.keep();
    await this.#route.reopen(step);
    this.#desk.leave("refused");
  }

  /**
   * The server wants another answer to a screen that it has stored.
   *
   * @param {Entry} entry
   */
  async askAgain(entry) {
    const { page, drafts, view } = this.#parts;
    const step = this.#stepOf(entry);
    if (!step) return;
    await this.#desk.keep();
    await drafts.reopen(step);
    this.#route.markOpen(step);
    this.#refusals.set(this.#route.id(step), []);
    view.notice("refused", page.words.try_again);
    this.#desk.leave("refused");
  }

  /**
   * The rater went on on another device: answers from here would be stored in vain.
   *
   * @param {Entry} entry
   */
  async overtaken({ payload }) {
    const { page, reload } = this.#parts;
    const { words } = page;
    if (payload.assignment !== page.assignment || this.#interruptions.has("overtaken")) return;
    this.#interruptions.set("overtaken", async () => {
      const [title, text] = [words.overtaken, words.overtaken_text];
      await this.#say({ title, text, button: words.go_on_here });
      await reload();
    });
    await this.#desk.keep();
    this.#desk.leave("overtaken");
  }

  /**
   * Do something that covers the work: at once, or after the trial that is being measured.
   * Asking twice for the same is asking once. Returns whether it has to wait.
   *
   * @param {string} name
   * @param {() => unknown} work
   */
  interrupt(name, work) {
    if (this.#inTrial) this.#interruptions.set(name, work);
    else work();
    return this.#inTrial;
  }

  keepAtOnce() {
    this.#desk.keepAtOnce();
  }

  stopwatch() {
    return this.#desk.stopwatch();
  }

  /** The screen in front of the rater. */
  here() {
    return this.#desk.current()?.step;
  }
}
