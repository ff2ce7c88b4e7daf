// A screen whose time is the measurement: bell and fixation, then the stimulus, then one response.

import { showMessage } from "./message.js";
import { decoded, ready } from "./timing.js";

/**
 * @typedef {import("./types.js").Step} Step
 * @typedef {import("./types.js").Timed} Timed
 * @typedef {import("./types.js").TimedTools} TimedTools
 * @typedef {import("./types.js").MountedScreen} MountedScreen
 */

// Nobody reads or finds anything in less: such a click or key began before the stimulus was seen
// (the second half of a double click). It is noted and does not count as the response.
export const DEAD_MS = 200;

/**
 * Blocks of timed trials: they begin when the rater says so, and then run on their own, unless
 * the campaign lets the rater begin each trial (`initiated`).
 *
 * @param {{ page: import("./types.js").PageDocument, desk: import("./types.js").Desk,
 *   header: import("./types.js").Header, view: import("./types.js").View,
 *   tools: TimedTools }} parts
 */
export function createTimedTrials({ page, desk, header, view, tools }) {
  const { words } = page;
  let running = false;
  let timeRanOut = false;
  // biome-ignore lint/correctness/noUnusedVariables: held so that the browser does not drop them
  let heldPictures = /** @type {HTMLImageElement[]} */ ([]); // decoded

  /** @param {Step} step */
  async function start(step) {
    header.show(step);
    const going = showMessage(view.stage, view.messageTemplate, {
      title: header.placeText(step),
      text: timeRanOut ? `${words.time_out} ${words.ready}` : words.ready,
      button: words.start,
      pressSpace: true,
    });
    // Decoded before the block starts, so that nothing is between one phase and the next.
    if (!running) heldPictures = await decoded(page.pictures, tools.newImage);
    await going;
    tools.bell.allow();
    timeRanOut = false;
    running = true;
  }

  /**
   * `onBegin` is called when the rater has begun: from here on a time is measured.
   *
   * @param {Step} step
   * @param {import("./types.js").Draft} draft
   * @param {Timed} timed
   * @param {() => void} onBegin
   */
  async function show(step, draft, timed, onBegin) {
    if (!running || timed.initiated) await start(step);
    onBegin();
    const screen = desk.mount(step, draft);
    const { form } = screen;
    const pictures = [...form.querySelectorAll(".picture")];
    const next = form.querySelector("[data-next]");
    next.textContent = words.read;
    next.hidden = pictures.length > 0;
    if (timed.fixation_ms) sayThatTimeRanOut(form);
    const responses = watchResponses(form, pictures.length ? ".picture" : "[data-next]");
    const onset = await present(form, timed, tools);
    const left = desk.open({ step, draft, screen, onset, measuring: true });
    const stopwatch = /** @type {import("./types.js").Stopwatch} */ (desk.stopwatch());
    // The focus goes where it marks none of the pictures; Tab and the arrows start from here.
    form.querySelector("h2").focus({ preventScroll: true });
    const stamp = await response({
      onset,
      timeoutMs: timed.timeout_ms,
      watch: (respond) => responses.begin({ onset, respond, onEarly: stopwatch.tooEarly }),
      tools,
    });
    timeRanOut = stamp === null;
    settle(screen, stamp, stamp === null ? null : stopwatch.since(stamp));
    if (screen.problems().length) askTheRest(screen);
    else await desk.send(stamp ?? tools.now());
    return left;
  }

  /**
   * Said while the rater waits for the next trial, where it moves nothing and hides nothing.
   *
   * @param {HTMLElement} form
   */
  function sayThatTimeRanOut(form) {
    if (!timeRanOut) return;
    const line = form.ownerDocument.createElement("p");
    line.className = "time-out";
    line.setAttribute("role", "status");
    line.textContent = words.time_out;
    form.append(line);
    timeRanOut = false;
  }

  /**
   * A timed screen may also ask ordinary questions: they are answered after the response.
   *
   * @param {MountedScreen} screen
   */
  function askTheRest(screen) {
    const next = screen.form.querySelector("[data-next]");
    next.textContent = words.next;
    next.hidden = false;
    screen.form.addEventListener("submit", (/** @type {SubmitEvent} */ event) =>
      desk.submit(event.timeStamp),
    );
  }

  return {
    show,
    /** Something else comes between: the next trial waits until the rater is ready again. */
    stop() {
      running = false;
    },
  };
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
 * @param {Pick<Timed, "bell" | "fixation_ms">} timed
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

/** @typedef {any} Press a click, or a key that went down */

/**
 * @typedef {object} Shown
 * @property {number} onset when the stimulus was painted
 * @property {(stamp: number) => void} respond
 * @property {(stamp: number) => void} onEarly
 */

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
  const needsTarget = targets === ".picture";
  /** @type {number | null} */
  let pressedSince = null;
  /** @type {Shown | null} */
  let begun = null;

  /** @param {Press} event */
  const isOn = (event) => event.target instanceof Element && event.target.closest(targets);
  // A key that is pressed on the page's own buttons (Pause) is meant for them.
  /** @param {Press} event */
  const isHere = (event) =>
    [page.body, page.documentElement, form.parentElement?.parentElement].includes(event.target) ||
    form.parentElement?.contains(event.target);

  /** @param {Press} event */
  function isResponse(event) {
    // Anywhere on the page: the way to the button would be part of the reading time.
    if (event.type === "click" && !needsTarget) return isHere(event);
    if (event.type === "click") return Boolean(isOn(event)) && form.contains(event.target);
    return PRESSES.has(event.key) && (needsTarget ? Boolean(isOn(event)) : isHere(event));
  }

  /**
   * Before any other listener: what is held or too early must not press anything.
   *
   * @param {Press} event
   */
  function guard(event) {
    const isPointer = event.type === "click" && event.detail > 0;
    const since = isPointer ? (pressedSince ?? event.timeStamp) : event.timeStamp;
    const isHeld = event.repeat && PRESSES.has(event.key) && isHere(event);
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
    if (event.repeat || !isResponse(event)) return;
    if (event.type === "keydown") event.preventDefault();
    begun?.respond(event.timeStamp);
  }

  page.addEventListener("pointerdown", pressed, true);
  for (const type of ["keydown", "click"]) page.addEventListener(type, guard, true);

  return {
    /**
     * The stimulus is on show. Gives what ends the listening.
     *
     * @param {Shown} onShow
     */
    begin(onShow) {
      begun = onShow;
      for (const type of ["keydown", "click"]) page.addEventListener(type, heard);
      return () => {
        page.removeEventListener("pointerdown", pressed, true);
        for (const type of ["keydown", "click"]) {
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
 * @param {{ onset: number, timeoutMs: number, tools: import("./types.js").Timers,
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
