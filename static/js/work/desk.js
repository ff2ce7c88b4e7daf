// The one screen in front of the rater: its clock runs, its changes are kept, its answers are sent.

import { say } from "./notices.js";
import { mountScreen } from "./screen.js";
import { createStopwatch, painted, ready } from "./timing.js";
import { wordsInView } from "./words_in_view.js";

/**
 * @typedef {import("./types.js").Step} Step
 * @typedef {import("./types.js").Draft} Draft
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {import("./types.js").Payload} Payload
 * @typedef {import("./types.js").MountedScreen} MountedScreen
 */

/**
 * The screen in front of the rater.
 *
 * @typedef {object} OpenScreen
 * @property {Step} step
 * @property {Draft} draft
 * @property {MountedScreen} screen
 * @property {import("./types.js").Stopwatch} stopwatch
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
 * @param {any} event a key that went down in the form
 */
function enterGoesOn(event) {
  if (event.key !== "Enter" || event.repeat || event.target.role !== "slider") return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/**
 * Where a screen begins: at its top, or in a document at the segment that is asked about.
 *
 * @param {import("./types.js").TemplateElement} form
 */
function goTo(form) {
  const place = form.querySelector("[data-place]");
  (place ?? form.querySelector("h2")).focus({ preventScroll: true });
  if (place) place.scrollIntoView({ block: "start" });
  else scrollTo(0, 0);
}

/**
 * Answers leave the desk in two steps: into the browser's database, then (elsewhere) to the server.
 * A screen is left with an outcome: "sent", "elsewhere" (another window answered it), "back",
 * "refused" or "overtaken".
 *
 * @param {{ page: import("./types.js").PageDocument, drafts: import("./types.js").Drafts,
 *   route: import("./types.js").Route, header: import("./types.js").Header,
 *   instruments: Record<string, import("./types.js").InstrumentModule>,
 *   view: import("./types.js").View, tools: import("./types.js").BrowserTools, device: object,
 *   onWork: (milliseconds: number) => void, onFailure: (error: unknown) => void }} parts
 */
export function createDesk(parts) {
  const { page, drafts, route, header, view, tools } = parts;
  const { words } = page;
  /** @type {OpenScreen | null} */
  let current = null;
  // How the next screen is to be left although it is not there yet.
  /** @type {Outcome | null} */
  let leaving = null;

  /**
   * Put a screen on the page.
   *
   * @param {Step} step
   * @param {Draft} draft
   * @param {{ mayGoBack?: boolean }} [options]
   */
  function mount(step, draft, { mayGoBack = false } = {}) {
    const screen = mountScreen({
      template: view.screenTemplate(step.screen),
      page,
      step,
      instruments: parts.instruments,
      onChange: () => current?.onChange(),
    });
    screen.restore(draft.answers);
    screen.files?.restore(draft.files ?? []);
    if (screen.comment) screen.comment.value = draft.comment;
    const isLast = !step.practice && route.isLast(step);
    screen.form.querySelector("[data-next]").textContent = isLast ? words.finish : words.next;
    screen.form.addEventListener("keydown", enterGoesOn);
    // Without this a form that is sent before its clock runs would load another page.
    screen.form.addEventListener("submit", (/** @type {SubmitEvent} */ event) =>
      event.preventDefault(),
    );
    header.show(step, { mayGoBack });
    view.stage.replaceChildren(screen.form);
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
  function open({ step, draft, screen, onset, measuring = false }) {
    const stopwatch = createStopwatch({
      onset,
      before: draft.spent_ms,
      activeBefore: draft.active_ms,
      reloads: Math.max(0, draft.reloads),
      viewsBefore: draft.views,
      wordsInView: () => wordsInView(screen.form),
    });
    /** @type {number | undefined} */
    let timer;
    screen.form.dataset.onset = onset;
    screen.files?.start(() => stopwatch.since(tools.now()));
    return new Promise((resolve) => {
      current = {
        step,
        draft,
        screen,
        stopwatch,
        measuring,
        isSending: false,
        resolve,
        onChange() {
          tools.clearTimeout(timer);
          timer = tools.setTimeout(keep, SAVE_AFTER_MS);
        },
        forget: () => tools.clearTimeout(timer),
      };
      screen.comment?.addEventListener("input", current.onChange);
      screen.form.addEventListener("view", (/** @type {CustomEvent} */ { detail }) => {
        stopwatch.viewed(detail.view, detail.stamp);
        current?.onChange();
      });
    });
  }

  /** @param {Outcome} outcome */
  function close(outcome) {
    if (!current) return;
    const { resolve, forget, screen } = current;
    forget();
    screen.files?.stop();
    current = null;
    resolve(outcome);
  }

  /**
   * What is on the screen now.
   *
   * @param {OpenScreen} shown
   */
  const draftOf = ({ draft, screen, stopwatch }) => ({
    ...draft,
    answers: screen.draft(),
    files: screen.files?.logs(),
    comment: screen.comment?.value ?? "",
    spent_ms: stopwatch.spent(tools.now()),
    active_ms: stopwatch.active(tools.now()),
    views: stopwatch.views(),
  });

  /** Write down what is on the screen now. */
  const keep = () => (current ? drafts.keep(draftOf(current)) : undefined);

  /** Write it down at once: the page is about to go. */
  const keepAtOnce = () => current && drafts.keepAtOnce(draftOf(current));

  /**
   * The rater pressed Next: send the answers, or say what they lack.
   *
   * @param {number} time
   */
  async function submit(time) {
    if (!current || current.isSending) return;
    const { screen, stopwatch } = current;
    const problems = screen.problems();
    if (problems.length) return void screen.showProblems(problems);
    const unplayed = screen.files?.problem();
    if (unplayed) {
      screen.say(unplayed);
      return void screen.files?.focus();
    }
    const secondsLeft = Math.ceil(page.least_seconds - stopwatch.spent(time) / 1_000);
    if (secondsLeft > 0) return void screen.say(say(words, "wait", { seconds: secondsLeft }));
    await send(time);
  }

  /**
   * Into the outbox, before the screen goes: once, however often it is asked.
   *
   * @param {number} time
   */
  async function send(time) {
    const sending = current;
    if (!sending) return;
    const { screen, step, stopwatch, forget } = sending;
    forget();
    sending.isSending = true;
    const next = screen.form.querySelector("[data-next]");
    next.disabled = true;
    try {
      const outcome = await drafts.send(...entry(sending, time));
      if (outcome === "sent") {
        header.took(stopwatch.spent(time));
        parts.onWork(stopwatch.worked(time));
      }
      route.markAnswered(step);
      if (current === sending) close(outcome);
    } catch (error) {
      sending.isSending = false;
      next.disabled = false;
      parts.onFailure(error);
    }
  }

  /**
   * The draft as it is kept, and the payload for the server; practice is never sent.
   *
   * @param {OpenScreen} sending
   * @param {number} time
   * @returns {[Draft, Payload | null]}
   */
  function entry({ screen, step, draft, stopwatch }, time) {
    const answers = screen.answers(stopwatch.since);
    const comment = screen.comment?.value.trim() ?? "";
    const files = screen.files?.logs();
    const own = { answers: screen.draft(), files, comment, spent_ms: stopwatch.spent(time) };
    const kept = { ...draft, ...own };
    if (step.practice) return [{ ...kept, given: answers }, null];
    const payload = {
      version: page.version,
      key: draft.key,
      assignment: page.assignment,
      trial: step.trial,
      screen: step.screen,
      answers,
      times: stopwatch.times(time, { ...parts.device, ...(files?.length ? { files } : {}) }),
      comment,
      replaces: draft.replaces,
    };
    return [kept, payload];
  }

  /**
   * An ordinary screen, until it is left.
   *
   * @param {Step} step
   * @param {Draft} draft
   * @param {import("./types.js").Refusal[]} refusals
   */
  async function show(step, draft, refusals) {
    const screen = mount(step, draft, { mayGoBack: route.before(step) !== null });
    goTo(screen.form);
    await ready(screen.form, tools.fonts);
    const onset = await painted(tools.nextFrame);
    if (leaving) return leaving;
    const left = open({ step, draft, screen, onset });
    screen.showRefusals(refusals);
    screen.form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      if (event.timeStamp - onset > DEAF_MS) submit(event.timeStamp);
    });
    return left;
  }

  return {
    mount,
    open,
    show,
    keep,
    keepAtOnce,
    send,
    submit,
    current: () => current,
    isMeasuring: () => current?.measuring ?? false,
    stopwatch: () => current?.stopwatch,
    /** The next screen is about to be chosen: all reasons to leave one so far are known. */
    clear: () => (leaving = null),
    /**
     * Leave the screen, or the next one as soon as it is there, for a reason outside it; a measured
     * screen ends on its own.
     *
     * @param {Outcome} outcome
     */
    leave(outcome) {
      if (!current) leaving = outcome;
      else if (!current.measuring && !current.isSending) close(outcome);
    },
  };
}
