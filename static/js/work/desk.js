// The one screen in front of the rater: its clock runs, its changes are kept, its answers are sent.

import { optionalPart, part } from "../parts.js";
import { say } from "./notices.js";
import { mountScreen } from "./screen.js";
import { painted, ready, Stopwatch, wordsInView } from "./timing.js";

/** @import { BrowserTools, Device, Draft, Drafts, Header, InstrumentModule, MountedScreen, Outcome, PageDocument, PageView, Refusal, Route, Stamp, Step, Submission, Traces, View } from "./types.js" */

/**
 * The screen in front of the rater.
 *
 * @typedef {object} OpenScreen
 * @property {Step} step
 * @property {Draft} draft
 * @property {MountedScreen} screen
 * @property {Stopwatch} stopwatch
 * @property {boolean} measuring
 * @property {boolean} isSending
 * @property {(outcome: Outcome) => void} resolve
 * @property {() => void} onChange keep what is there, soon
 * @property {() => void} forget keep nothing any more
 */

const SAVE_AFTER_MS = 150;
// A second click of a double click, or a key that is held, does not belong to the next screen.
const DEAF_MS = 250;

/**
 * Enter sends a form from every native control; our own sliders do the same.
 *
 * @param {HTMLFormElement} form
 * @param {KeyboardEvent} event
 */
function enterGoesOn(form, event) {
  const control = /** @type {Element} */ (event.target);
  if (event.key !== "Enter" || event.repeat || control.role !== "slider") return;
  event.preventDefault();
  form.requestSubmit();
}

/**
 * Where a screen begins: at its top, or in a document at the segment that is asked about.
 *
 * @param {HTMLElement} form
 */
function goTo(form) {
  const place = optionalPart(form, "[data-place]");
  (place ?? part(form, "h2", HTMLElement)).focus({ preventScroll: true });
  if (place) place.scrollIntoView({ block: "start" });
  else scrollTo(0, 0);
}

/**
 * What is on a screen now.
 *
 * @param {OpenScreen} shown
 * @param {number} now
 * @returns {Draft}
 */
const draftOf = ({ draft, screen, stopwatch }, now) => ({
  ...draft,
  answers: screen.draft(),
  files: screen.files?.logs(),
  comment: screen.comment?.value ?? "",
  spent_ms: stopwatch.spent(now),
  active_ms: stopwatch.active(now),
  views: stopwatch.views(),
});

/**
 * Answers leave the desk in two steps: into the browser's database, then (elsewhere) to the server.
 */
export class Desk {
  #parts;
  /** @type {OpenScreen | null} */
  #current = null;
  // How the next screen is to be left although it is not there yet.
  /** @type {Outcome | null} */
  #leaving = null;

  /**
   * @param {{ page: PageDocument, drafts: Drafts, route: Route, header: Header, view: PageView,
   *   instruments: Record<string, InstrumentModule>, tools: BrowserTools, device: Device, traces?: Traces,
   *   onWork: (milliseconds: number) => void, onFailure: (error: unknown) => void }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Put a screen on the page.
   *
   * @param {Step} step
   * @param {Draft} draft
   * @param {{ mayGoBack?: boolean }} [options]
   */
  mount(step, draft, { mayGoBack = false } = {}) {
    const { page, route, header, view, instruments } = this.#parts;
    const screen = mountScreen({
      template: view.screenTemplate(step.screen),
      page,
      step,
      instruments,
      onChange: () => this.#current?.onChange(),
    });
    const { form, next } = screen;
    screen.restore(draft.answers);
    screen.files?.restore(draft.files ?? []);
    if (screen.comment) screen.comment.value = draft.comment;
    const isLast = !step.practice && route.isLast(step);
    next.textContent = isLast ? page.words.finish : page.words.next;
    form.addEventListener("keydown", (event) => enterGoesOn(form, event));
    // Without this a form that is sent before its clock runs would load another page.
    form.addEventListener("submit", (event) => event.preventDefault());
    header.show(step, { mayGoBack });
    view.stage.replaceChildren(form);
    return screen;
  }

  /**
   * From here on the screen is the current one; resolves with the outcome when it is left.
   * While `measuring`, nothing but its own response ends it.
   *
   * @param {{ step: Step, draft: Draft, screen: MountedScreen, onset: number,
   *   measuring?: boolean }} shown
   * @returns {Promise<Outcome>}
   */
  open({ step, draft, screen, onset, measuring = false }) {
    const { tools, traces } = this.#parts;
    traces?.begin(onset);
    const stopwatch = new Stopwatch({
      onset,
      before: draft.spent_ms,
      activeBefore: draft.active_ms,
      reloads: Math.max(0, draft.reloads),
      viewsBefore: draft.views,
      wordsInView: () => wordsInView(screen.form),
    });
    /** @type {number | undefined} */
    let timer;
    const onChange = () => {
      tools.clearTimeout(timer);
      timer = tools.setTimeout(() => this.keep(), SAVE_AFTER_MS);
    };
    const forget = () => tools.clearTimeout(timer);
    screen.form.dataset.onset = String(onset);
    screen.files?.start(() => stopwatch.since(tools.now()));
    screen.comment?.addEventListener("input", onChange);
    screen.form.addEventListener("view", (event) => {
      const { view, stamp } = /** @type {CustomEvent<{ view: View, stamp: Stamp }>} */ (event)
        .detail;
      stopwatch.viewed(view, stamp);
      this.#current?.onChange();
    });
    const open = { step, draft, screen, stopwatch, measuring, isSending: false, onChange, forget };
    return new Promise((resolve) => {
      this.#current = { ...open, resolve };
    });
  }

  /** @param {Outcome} outcome */
  #close(outcome) {
    if (!this.#current) return;
    const { resolve, forget, screen } = this.#current;
    forget();
    screen.files?.stop();
    this.#current = null;
    resolve(outcome);
  }

  /** Write down what is on the screen now. */
  async keep() {
    const { drafts, tools } = this.#parts;
    if (this.#current) await drafts.keep(draftOf(this.#current, tools.now()));
  }

  /** Write it down at once: the page is about to go. */
  keepAtOnce() {
    const { drafts, tools } = this.#parts;
    if (this.#current) drafts.keepAtOnce(draftOf(this.#current, tools.now()));
  }

  /**
   * The rater pressed Next: send the answers, or say what they lack.
   *
   * @param {number} time
   */
  async submit(time) {
    if (!this.#current || this.#current.isSending) return;
    const { page } = this.#parts;
    const { screen, stopwatch } = this.#current;
    const problems = screen.problems();
    if (problems.length) return screen.showProblems(problems);
    const unplayed = screen.files?.problem();
    if (unplayed) {
      screen.say(unplayed);
      return screen.files?.focus();
    }
    const seconds = Math.ceil(page.least_seconds - stopwatch.spent(time) / 1_000);
    if (seconds > 0) return screen.say(say(page.words, "wait", { seconds }));
    await this.send(time);
  }

  /**
   * Into the outbox, before the screen goes: once, however often it is asked.
   *
   * @param {number} time
   */
  async send(time) {
    const sending = this.#current;
    if (!sending) return;
    const { drafts, header, route, onWork, onFailure } = this.#parts;
    const { screen, step, stopwatch } = sending;
    sending.forget();
    sending.isSending = true;
    screen.next.disabled = true;
    try {
      const outcome = await drafts.send(...this.#entry(sending, time));
      if (outcome === "sent") {
        header.took(stopwatch.spent(time));
        onWork(stopwatch.worked(time));
      }
      route.markAnswered(step);
      if (this.#current === sending) this.#close(outcome);
    } catch (error) {
      sending.isSending = false;
      screen.next.disabled = false;
      onFailure(error);
    }
  }

  /**
   * The draft as it is kept, and the payload for the server; practice is never sent.
   *
   * @param {OpenScreen} sending
   * @param {number} time
   * @returns {[Draft, Submission | null]}
   */
  #entry({ screen, step, draft, stopwatch }, time) {
    const { page, device, traces } = this.#parts;
    const answers = screen.answers(stopwatch.since);
    const comment = screen.comment?.value.trim() ?? "";
    const files = screen.files?.logs();
    const own = { answers: screen.draft(), files, comment, spent_ms: stopwatch.spent(time) };
    const kept = { ...draft, ...own };
    if (typeof step.trial === "string") return [{ ...kept, given: answers }, null];
    const payload = {
      version: page.version,
      key: draft.key,
      assignment: page.assignment,
      trial: step.trial,
      screen: step.screen,
      answers,
      times: stopwatch.times(time, { ...device, ...(files?.length ? { files } : {}) }),
      comment,
      replaces: draft.replaces,
      ...(traces ? { trace: traces.summary(time) } : {}),
    };
    return [kept, payload];
  }

  /**
   * An ordinary screen, until it is left.
   *
   * @param {Step} step
   * @param {Draft} draft
   * @param {Refusal[]} refusals
   */
  async show(step, draft, refusals) {
    const { route, tools } = this.#parts;
    const screen = this.mount(step, draft, { mayGoBack: route.before(step) !== null });
    goTo(screen.form);
    await ready(screen.form, tools.fonts);
    const onset = await painted(tools.nextFrame);
    if (this.#leaving) return this.#leaving;
    const left = this.open({ step, draft, screen, onset });
    screen.showRefusals(refusals);
    screen.form.addEventListener("submit", (event) => {
      if (event.timeStamp - onset > DEAF_MS) this.submit(event.timeStamp);
    });
    return left;
  }

  current() {
    return this.#current;
  }

  stopwatch() {
    return this.#current?.stopwatch;
  }

  /** The next screen is about to be chosen: all reasons to leave one so far are known. */
  clear() {
    this.#leaving = null;
  }

  /**
   * Leave the screen, or the next one as soon as it is there, for a reason outside it; a measured
   * screen ends on its own.
   *
   * @param {Outcome} outcome
   */
  leave(outcome) {
    if (!this.#current) this.#leaving = outcome;
    else if (!this.#current.measuring && !this.#current.isSending) this.#close(outcome);
  }
}
