// A rater's sitting: screen after screen, each kept before the next one is shown.

import { createDesk } from "./desk.js";
import { createHeader } from "./header.js";
import { showMessage } from "./message.js";
import { say } from "./notices.js";
import { createPractice } from "./practice.js";
import { createRoute } from "./route.js";

/**
 * @typedef {import("./types.js").Step} Step
 * @typedef {import("./types.js").Entry} Entry
 * @typedef {import("./types.js").Refusal} Refusal
 */

/**
 * What the sitting is made of, and what the page does for it.
 *
 * @typedef {object} SittingParts
 * @property {import("./types.js").PageDocument} page
 * @property {import("./types.js").PageStorage} storage
 * @property {import("./types.js").Drafts} drafts
 * @property {import("./types.js").Breaks} breaks
 * @property {Record<string, import("./types.js").InstrumentModule>} instruments
 * @property {import("./types.js").View} view
 * @property {any} tools with a bell where a screen is timed
 * @property {object} device
 * @property {typeof import("./timed.js").createTimedTrials} [createTimedTrials] where one is timed
 * @property {() => unknown} afterSending
 * @property {() => unknown} onPractised
 * @property {(trial: number, screens: import("./types.js").Answer[][]) =>
 *   Promise<import("./types.js").Feedback>} askForFeedback
 * @property {(route: import("./types.js").Route) => Promise<boolean>} onEnd
 *   whether the page is left
 * @property {(error: unknown) => void} onFailure
 * @property {() => Promise<unknown>} reload
 */

/**
 * The sitting ties together the route (which screen is next), the desk (the screen in front of the
 * rater) and the timed trials, and decides what may come between two screens.
 *
 * @param {SittingParts} parts
 */
export function createSitting(parts) {
  const { page, storage, drafts, breaks, view, tools } = parts;
  const { words } = page;
  const route = createRoute({ page, drafts });
  const header = createHeader({ page, view, route });
  const desk = createDesk({ ...parts, route, header, onWork: breaks.worked });
  const timedTrials = parts.createTimedTrials?.({ page, desk, header, view, tools });
  const practice = createPractice({
    page,
    storage,
    drafts,
    route,
    tell: comeBetween,
    compare: compareAnswers,
    leave: () => parts.reload().then(() => new Promise(() => undefined)),
    askForFeedback: parts.askForFeedback,
    onDone: parts.onPractised,
  });
  // What covers the work, by name: each comes once.
  /** @type {Map<string, () => unknown>} */
  const interruptions = new Map();
  // What the server said against answers, by screen.
  /** @type {Map<string, Refusal[]>} */
  const refusals = new Map();
  let inTrial = false; // a time is being measured, from its first screen to its last

  async function run() {
    await Promise.all([route.load(), breaks.load()]);
    await practice.load();
    for (;;) {
      desk.clear();
      const step = route.next();
      // Reading and finding are one trial: what covers the page waits until both are done.
      if (!inTrial || !step || step.screen === 0) await endTrial(step);
      if (await practice.catchUp()) continue;
      if (step) await showStep(step);
      else if (await parts.onEnd(route)) return;
    }
  }

  /**
   * Between two trials nothing is measured: now comes whatever had to wait.
   *
   * @param {Step | undefined} next
   */
  async function endTrial(next) {
    inTrial = false;
    view.notice.release();
    if (next) for (const [name, work] of interruptions) await runInterruption(name, work);
    interruptions.clear();
  }

  /**
   * @param {string} name
   * @param {() => unknown} work
   */
  function runInterruption(name, work) {
    interruptions.delete(name);
    timedTrials?.stop();
    return work();
  }

  /** @param {Step} step */
  async function rest(step) {
    timedTrials?.stop();
    const enforced = page.breaks.enforced;
    const left = await breaks.begin();
    header.show(step);
    await showMessage(view.stage, view.messageTemplate, {
      title: say(words, "break"),
      text: enforced ? "" : words.break_suggested,
      button: words.go_on,
      rest: left,
      counting: enforced ? words.break_enforced : "",
      over: words.break_over,
      onRest: breaks.rest,
    });
    await breaks.end();
  }

  /**
   * A message that the rater reads before the work continues.
   *
   * @param {string} title
   * @param {string} text
   */
  function comeBetween(title, text) {
    timedTrials?.stop();
    return showMessage(view.stage, view.messageTemplate, { title, text, button: words.go_on });
  }

  /**
   * The feedback on an example; resolves with whether the rater tries it again.
   *
   * @param {import("./types.js").Feedback} result
   * @param {import("./types.js").Material} material
   */
  async function compareAnswers(result, material) {
    timedTrials?.stop();
    const { showAnswers } = await import("./practice_answers.js");
    return showAnswers(view.stage, view.answersTemplate, result, material, words);
  }

  /** @param {Step} step */
  async function showStep(step) {
    if (!step.practice && step.screen === 0 && breaks.isDue()) await rest(step);
    const draft = await drafts.show(step);
    if (draft.state === "sent") {
      route.markAnswered(step);
      return view.notice("elsewhere", words.answered_elsewhere, "");
    }
    view.notice("elsewhere", "");
    const timed = page.screens[step.screen].timed;
    const outcome = timed
      ? await timedTrials?.show(step, draft, timed, beginTrial)
      : await desk.show(step, draft, refusals.get(route.id(step)) ?? []);
    view.notice("back", "");
    if (outcome === "sent") await afterSending(step);
    return undefined;
  }

  function beginTrial() {
    inTrial = true;
    view.notice.hold(); // a line more or less above them would move the pictures
  }

  /** @param {Step} step */
  async function afterSending(step) {
    if (refusals.delete(route.id(step))) view.notice("refused", "");
    if (step.practice) return;
    if (step.screen === step.screens - 1) await breaks.trialDone();
    await parts.afterSending();
  }

  // What happens around the work -------------------------------------------------------------

  async function back() {
    const here = desk.current();
    const before = here && !here.measuring && route.before(here.step);
    if (!before) return;
    await desk.keep();
    const draft = await drafts.reopen(before);
    // What was answered on another device is not here to be changed.
    if (!draft) return view.notice("back", words.not_here, "");
    route.markOpen(before);
    desk.leave("back");
  }

  /** Another window may have gone on: leave a screen that is answered by now. */
  async function refresh() {
    const here = desk.current();
    if (!here) return;
    const draft = await drafts.read(here.step);
    if (draft?.state !== "sent" || draft.key !== here.draft.key || desk.current() !== here) return;
    route.markAnswered(here.step);
    desk.leave("elsewhere");
  }

  /**
   * The server has refused an answer: back to its screen, if it is one of this batch.
   *
   * @param {Entry} entry
   * @param {Refusal[]} problems
   */
  async function refused({ payload }, problems) {
    if (payload.assignment !== page.assignment) return;
    const step = route.find(/** @type {import("./types.js").Payload} */ (payload));
    if (!step) return;
    refusals.set(route.id(step), problems);
    await desk.keep();
    await route.reopen(step);
    desk.leave("refused");
  }

  /**
   * The server wants another answer to a screen that it has stored.
   *
   * @param {Entry} entry
   */
  async function askAgain({ payload }) {
    if (payload.assignment !== page.assignment) return;
    const step = route.find(/** @type {import("./types.js").Payload} */ (payload));
    if (!step) return;
    await desk.keep();
    await drafts.reopen(step);
    route.markOpen(step);
    refusals.set(route.id(step), []);
    view.notice("refused", words.try_again);
    desk.leave("refused");
  }

  /**
   * The rater went on on another device: answers from here would be stored in vain.
   *
   * @param {Entry} entry
   */
  async function overtaken({ payload }) {
    if (payload.assignment !== page.assignment || interruptions.has("overtaken")) return;
    interruptions.set("overtaken", async () => {
      await showMessage(view.stage, view.messageTemplate, {
        title: words.overtaken,
        text: words.overtaken_text,
        button: words.go_on_here,
      });
      await parts.reload();
    });
    await desk.keep();
    desk.leave("overtaken");
  }

  /**
   * Do something that covers the work: at once, or after the trial that is being measured.
   * Asking twice for the same is asking once. Returns whether it has to wait.
   *
   * @param {string} name
   * @param {() => unknown} work
   */
  function interrupt(name, work) {
    if (!inTrial) {
      work();
      return false;
    }
    interruptions.set(name, work);
    return true;
  }

  return {
    run,
    back,
    refresh,
    refused,
    askAgain,
    overtaken,
    interrupt,
    keepAtOnce: desk.keepAtOnce,
    stopwatch: desk.stopwatch,
    /** The screen in front of the rater. */
    here: () => desk.current()?.step,
  };
}
