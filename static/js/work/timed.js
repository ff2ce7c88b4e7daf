// A screen whose time is the measurement: bell and fixation, then the stimulus, then one response.

import { make, part } from "../parts.js";
import { showMessage } from "./message.js";
import { decoded, ready } from "./timing.js";

/** @import { Desk, Draft, Header, MountedScreen, PageDocument, PageView, Step, Stopwatch, TimedPhase, TimedTools, Timers } from "./types.js" */

// Nobody reads or finds anything in less: such a click or key began before the stimulus was seen
// (the second half of a double click). It is noted and does not count as the response.
export const DEAD_MS = 200;

/**
 * Blocks of timed trials: they begin when the rater says so, and then run on their own, unless
 * the campaign lets the rater begin each trial (`initiated`).
 */
export class TimedTrials {
  #parts;
  #running = false;
  #timeRanOut = false;
  // Held so that the browser does not drop them when they are decoded.
  /** @type {HTMLImageElement[]} */
  pictures = [];

  /**
   * @param {{ page: PageDocument, desk: Desk, header: Header, view: PageView,
   *   tools: TimedTools }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {Step} step */
  async #start(step) {
    const { page, header, view, tools } = this.#parts;
    const { words } = page;
    header.show(step);
    const going = showMessage(view.stage, view.messageTemplate, {
      title: header.placeText(step),
      text: this.#timeRanOut ? `${words.time_out} ${words.ready}` : words.ready,
      button: words.start,
      pressSpace: true,
    });
    // Decoded before the block starts, so that nothing is between one phase and the next.
    if (!this.#running) this.pictures = await decoded(page.pictures, tools.newImage);
    await going;
    tools.bell.allow();
    this.#timeRanOut = false;
    this.#running = true;
  }

  /**
   * `onBegin` is called when the rater has begun: from here on a time is measured.
   *
   * @param {Step} step
   * @param {Draft} draft
   * @param {TimedPhase} timed
   * @param {() => void} onBegin
   */
  async show(step, draft, timed, onBegin) {
    if (!this.#running || timed.initiated) await this.#start(step);
    onBegin();
    const { desk, tools } = this.#parts;
    const screen = desk.mount(step, draft);
    const { form } = screen;
    const targets = this.#prepare(screen, timed);
    const responses = watchResponses(form, targets);
    const onset = await present(form, timed, tools);
    const left = desk.open({ step, draft, screen, onset, measuring: true });
    const stopwatch = /** @type {Stopwatch} */ (desk.stopwatch());
    // The focus goes where it marks none of the pictures; Tab and the arrows start from here.
    part(form, "h2").focus({ preventScroll: true });
    const stamp = await response({
      onset,
      timeoutMs: timed.timeout_ms,
      watch: (respond) => responses.begin({ onset, respond, onEarly: stopwatch.tooEarly }),
      tools,
    });
    this.#timeRanOut = stamp === null;
    settle(screen, stamp, stamp === null ? null : stopwatch.since(stamp));
    if (screen.problems().length) this.#askTheRest(screen);
    else await desk.send(stamp ?? tools.now());
    return left;
  }

  /**
   * Get the screen ready for its one response; returns what is pressed for it.
   *
   * @param {MountedScreen} screen
   * @param {TimedPhase} timed
   */
  #prepare({ form, next }, timed) {
    const hasPictures = form.querySelector(".picture") !== null;
    next.textContent = this.#parts.page.words.read;
    next.hidden = hasPictures;
    if (timed.fixation_ms) this.#sayThatTimeRanOut(form);
    return hasPictures ? ".picture" : "[data-next]";
  }

  /**
   * Said while the rater waits for the next trial, where it moves nothing and hides nothing.
   *
   * @param {HTMLElement} form
   */
  #sayThatTimeRanOut(form) {
    if (!this.#timeRanOut) return;
    make(form, "p", "time-out", this.#parts.page.words.time_out).setAttribute("role", "status");
    this.#timeRanOut = false;
  }

  /**
   * A timed screen may also ask ordinary questions: they are answered after the response.
   *
   * @param {MountedScreen} screen
   */
  #askTheRest({ form, next }) {
    const { page, desk } = this.#parts;
    next.textContent = page.words.next;
    next.hidden = false;
    form.addEventListener("submit", (event) => desk.submit(event.timeStamp));
  }

  /** Something else comes between: the next trial waits until the rater is ready again. */
  stop() {
    this.#running = false;
  }
}

/**
 * Tell the instruments what the screen measured: some of them answer with it.
 *
 * @param {MountedScreen} screen
 * @param {number | null} stamp
 * @param {number | null} milliseconds
 */
function settle(screen, stamp, milliseconds) {
  for (const { instrument, settledAt } of screen.questions) {
    if (instrument.settleTime?.(milliseconds)) settledAt(stamp);
  }
}

/**
 * Show the mark, then the stimulus; resolves with the onset: the frame after the one that painted
 * the stimulus.
 *
 * @param {HTMLElement} form
 * @param {Pick<TimedPhase, "bell" | "fixation_ms">} timed
 * @param {Pick<TimedTools, "nextFrame" | "wait" | "fonts" | "bell">} tools
 * @returns {Promise<DOMHighResTimeStamp>}
 */
export async function present(form, timed, tools) {
  form.classList.add("is-fixating");
  await ready(form, tools.fonts);
  if (timed.bell) tools.bell.ring();
  if (timed.fixation_ms) await tools.wait(timed.fixation_ms);
  await new Promise((resolve) => tools.nextFrame(resolve));
  // This still belongs to that frame, which paints it; the next one begins when it is on show.
  form.classList.remove("is-fixating");
  return new Promise((resolve) => tools.nextFrame(resolve));
}

const PRESSES = new Set([" ", "Enter"]);

/** @typedef {MouseEvent | KeyboardEvent} Press a click, or a key that went down */

/** @type {(event: Press) => event is KeyboardEvent} */
const isKey = (event) => event.type === "keydown";
/** @type {(event: Press) => event is KeyboardEvent} */
const isRepeated = (event) => isKey(event) && event.repeat;
const TYPES = /** @type {const} */ (["keydown", "click"]);

/**
 * @typedef {object} Shown
 * @property {number} onset when the stimulus was painted
 * @property {(stamp: number) => void} respond
 * @property {(stamp: number) => void} onEarly
 */

/**
 * Which presses are a response, and which are made on the work and not on the page's own buttons.
 *
 * @param {HTMLElement} form
 * @param {string} targets
 */
function responsesOf(form, targets) {
  const page = form.ownerDocument;
  const needsTarget = targets === ".picture";

  /** @param {Press} event */
  const isOn = ({ target }) => target instanceof Element && target.closest(targets) !== null;
  // A key that is pressed on the page's own buttons (Pause) is meant for them.
  /** @param {Press} event */
  const isHere = ({ target }) =>
    target === page.body ||
    target === page.documentElement ||
    target === form.parentElement?.parentElement ||
    (target instanceof Node && form.parentElement?.contains(target) === true);

  /** @param {Press} event */
  function isResponse(event) {
    // Anywhere on the page: the way to the button would be part of the reading time.
    const isOnTarget = needsTarget ? isOn(event) : isHere(event);
    if (isKey(event)) return PRESSES.has(event.key) && isOnTarget;
    return isOnTarget && (!needsTarget || form.contains(/** @type {Element} */ (event.target)));
  }

  return { isHere, isResponse };
}

/**
 * Listens from before the onset, so that a press which began before it is known as such.
 * `targets` selects what ends the screen; pictures must be pressed, and a text ends by a
 * press anywhere on the page.
 *
 * @param {HTMLElement} form
 * @param {string} targets
 */
export function watchResponses(form, targets) {
  const page = form.ownerDocument;
  const { isHere, isResponse } = responsesOf(form, targets);
  /** @type {number | null} */
  let pressedSince = null;
  /** @type {Shown | null} */
  let begun = null;

  /**
   * Before any other listener: what is held or too early must not press anything.
   *
   * @param {Press} event
   */
  function guard(event) {
    const isPointer = !isKey(event) && event.detail > 0;
    const since = isPointer ? (pressedSince ?? event.timeStamp) : event.timeStamp;
    const isHeld = isRepeated(event) && PRESSES.has(event.key) && isHere(event);
    const isEarly = isResponse(event) && (!begun || since - begun.onset < DEAD_MS);
    if (!isHeld && !isEarly) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!isHeld && begun && since >= begun.onset) begun.onEarly(since);
  }

  /** @param {Event} event */
  const pressed = (event) => (pressedSince = event.timeStamp);

  /**
   * After the instruments' listeners.
   *
   * @param {Press} event
   */
  function heard(event) {
    if (isRepeated(event) || !isResponse(event)) return;
    if (isKey(event)) event.preventDefault();
    begun?.respond(event.timeStamp);
  }

  page.addEventListener("pointerdown", pressed, true);
  for (const type of TYPES) page.addEventListener(type, guard, true);

  return {
    /**
     * The stimulus is on show. Gives what ends the listening.
     *
     * @param {Shown} onShow
     */
    begin(onShow) {
      begun = onShow;
      for (const type of TYPES) page.addEventListener(type, heard);
      return () => {
        page.removeEventListener("pointerdown", pressed, true);
        for (const type of TYPES) {
          page.removeEventListener(type, guard, true);
          page.removeEventListener(type, heard);
        }
      };
    },
  };
}

/**
 * The time stamp of the response, or null when the time ran out.
 *
 * @param {{ onset: number, timeoutMs: number, tools: Timers,
 *   watch: (respond: (stamp: number) => void) => () => void }} parts
 *   watch: calls respond(time stamp) for whatever counts as a response, returns an undo
 * @returns {Promise<number | null>}
 */
export function response({ onset, timeoutMs, watch, tools }) {
  return new Promise((resolve) => {
    const end = onset + timeoutMs;
    /** @param {number | null} stamp */
    const settle = (stamp) => {
      tools.clearTimeout(timer);
      unwatch();
      resolve(stamp);
    };
    const unwatch = watch((stamp) => settle(stamp <= end ? stamp : null));
    // A busy page may run this timer before a key that was pressed in time: let those come first.
    const timer = tools.setTimeout(
      () => tools.setTimeout(() => settle(null), 50),
      Math.max(0, end - tools.now()),
    );
  });
}
