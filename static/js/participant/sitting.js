// A rater's sitting: screen after screen, each kept before the next one is shown.

import { idOf } from "./drafts.js";
import { showMessage } from "./message.js";
import { say } from "./notices.js";
import { mountScreen } from "./screen.js";
import { firstOpen, mayGoBack, minutesLeft, stepsOf } from "./session.js";
import { present, response } from "./timed.js";
import { createStopwatch, decoded, painted, ready } from "./timing.js";

const SAVE_AFTER_MS = 150;
// A second click of a double click, or a key that is held, does not belong to the next screen.
const DEAF_MS = 250;

/** Enter sends a form from every native control; a slider of ours does the same. */
function enterGoesOn(event) {
  if (event.key !== "Enter" || event.repeat || event.target.role !== "slider") return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/**
 * parts: {page, drafts, outbox, breaks, instruments, view, tools, device, onEnd}
 * view: the page's fixed elements · tools: frames, clock, bell · onEnd(): what comes after
 */
export function createSitting(parts) {
  const { page, drafts, outbox, breaks, view, tools } = parts;
  const { words } = page;
  const steps = stepsOf(page);
  const answered = new Set();
  const seconds = [];
  let index = 0;
  let current = null;
  let running = false; // a block of timed trials runs on without asking
  let measuring = false; // nothing may cover a timed screen
  let heldPictures = []; // of a timed block: decoded, and not to be forgotten
  const interruptions = [];
  const refusals = new Map(); // what the server said against answers, by screen

  const id = (step) => idOf(page.assignment, step);
  const isAnswered = (step) => answered.has(id(step));

  async function load() {
    const states = await drafts.states();
    const stored = new Set(page.stored.map(([trial, screen]) => id({ trial, screen })));
    for (const step of steps) {
      const state = states.get(id(step));
      if (state === "sent" || (!state && stored.has(id(step)))) answered.add(id(step));
    }
    await breaks.load();
  }

  async function run() {
    await load();
    for (;;) {
      index = firstOpen(steps, isAnswered);
      if (index === steps.length) {
        if (await parts.onEnd(reopenMissing)) return;
        continue;
      }
      // Reading and finding are one trial: what covers the page waits until both are done.
      while (interruptions.length && steps[index].screen === 0) await interruptions.shift()();
      await rest();
      await showStep(steps[index]);
    }
  }

  /** The server lacks these screens: ask them again, with what was answered put back. */
  async function reopenMissing(stored) {
    const kept = new Set(stored.map(([trial, screen]) => id({ trial, screen })));
    for (const step of steps.filter((one) => !one.practice && !kept.has(id(one)))) {
      await reopen(step);
    }
  }

  async function reopen(step) {
    await drafts.ask(step);
    answered.delete(id(step));
  }

  async function rest() {
    if (steps[index].practice || steps[index].screen > 0 || !breaks.isDue()) return;
    running = false;
    const enforced = page.breaks.enforced;
    const until = await breaks.begin();
    showHeader(steps[index], false);
    await showMessage(view.stage, view.messageTemplate, {
      title: say(words, "break"),
      text: enforced ? "" : words.break_suggested,
      button: words.go_on,
      until,
      counting: enforced ? words.break_enforced : "",
      over: words.break_over,
    });
    await breaks.end();
  }

  async function showStep(step) {
    const draft = await drafts.show(step);
    if (draft.state === "sent") {
      answered.add(id(step));
      return view.notice("elsewhere", words.answered_elsewhere, "");
    }
    view.notice("elsewhere", "");
    const timed = page.screens[step.screen].timed;
    if (timed && !running) await start(step);
    measuring = Boolean(timed);
    const outcome = await (timed ? showTimed(step, draft, timed) : showScreen(step, draft));
    current = null;
    measuring = false;
    if (outcome === "sent") await afterSending(step);
    return undefined;
  }

  async function start(step) {
    showHeader(step, false);
    const going = showMessage(view.stage, view.messageTemplate, {
      title: placeText(step),
      text: words.ready,
      button: words.start,
    });
    // Decoded before the block starts, so that nothing is between one phase and the next.
    [heldPictures] = await Promise.all([decoded(page.pictures, tools.newImage), going]);
    tools.bell.allow();
    running = true;
  }

  // An ordinary screen --------------------------------------------------------------------

  async function showScreen(step, draft) {
    const screen = mount(step, draft);
    screen.form.querySelector("h2").focus({ preventScroll: true });
    scrollTo(0, 0);
    await ready(screen.form, tools.fonts);
    const onset = await painted(tools.nextFrame);
    watch(step, draft, screen, onset);
    screen.showRefusals(refusals.get(id(step)) ?? []);
    return new Promise((resolve) => {
      current.resolve = resolve;
      screen.form.addEventListener("submit", (event) => {
        if (event.timeStamp - onset > DEAF_MS) submit(event.timeStamp);
      });
    });
  }

  function mount(step, draft) {
    const screen = mountScreen({
      template: view.screenTemplate(step.screen),
      page,
      step,
      instruments: parts.instruments,
      onChange: (time) => current?.onChange(time),
    });
    screen.restore(draft.answers);
    if (screen.comment) screen.comment.value = draft.comment;
    const isLast = !step.practice && firstOpenAfter(step) === steps.length;
    screen.form.querySelector("[data-next]").textContent = isLast ? words.finish : words.next;
    screen.form.addEventListener("keydown", enterGoesOn);
    // Without this a form that is sent before its clock runs would load another page.
    screen.form.addEventListener("submit", (event) => event.preventDefault());
    showHeader(step, true);
    view.stage.replaceChildren(screen.form);
    return screen;
  }

  const firstOpenAfter = (step) => firstOpen(steps, (one) => one === step || isAnswered(one));

  /** From here on the screen is the current one: its clock runs, its changes are kept. */
  function watch(step, draft, screen, onset) {
    const stopwatch = createStopwatch({
      onset,
      before: draft.spent_ms,
      reloads: Math.max(0, draft.reloads),
    });
    let timer = null;
    screen.form.dataset.onset = onset;
    current = {
      step,
      draft,
      screen,
      stopwatch,
      resolve: () => undefined,
      onChange() {
        tools.clearTimeout(timer);
        timer = tools.setTimeout(keep, SAVE_AFTER_MS);
      },
      forget: () => tools.clearTimeout(timer),
    };
    screen.comment?.addEventListener("input", current.onChange);
  }

  /** Write down what stands on the screen now. */
  function keep() {
    if (!current) return undefined;
    const { draft, screen, stopwatch } = current;
    return drafts.keep({
      ...draft,
      answers: screen.draft(),
      comment: screen.comment?.value ?? "",
      spent_ms: stopwatch.spent(tools.now()),
    });
  }

  async function submit(time) {
    const { screen, step, stopwatch } = current;
    const problems = screen.problems();
    if (problems.length) return screen.showProblems(problems);
    const secondsLeft = Math.ceil(page.least_seconds - stopwatch.spent(time) / 1_000);
    if (secondsLeft > 0) return screen.say(say(words, "wait", { seconds: secondsLeft }));
    const { resolve } = current;
    const outcome = await send(time);
    if (outcome === "sent") seconds.push(stopwatch.spent(time) / 1_000);
    answered.add(id(step));
    if (refusals.delete(id(step))) view.notice("refused", "");
    return resolve(outcome);
  }

  /** Into the outbox, before the screen goes: once, however often it is asked. */
  async function send(time) {
    const { screen, step, draft, stopwatch, forget } = current;
    forget();
    screen.form.querySelector("[data-next]").disabled = true;
    const payload = {
      version: page.version,
      key: draft.key,
      assignment: page.assignment,
      trial: step.trial,
      screen: step.screen,
      answers: screen.answers(stopwatch.since),
      times: stopwatch.times(time, parts.device),
      comment: screen.comment?.value.trim() ?? "",
      replaces: draft.replaces,
    };
    const kept = { ...draft, answers: screen.draft(), comment: payload.comment };
    return drafts.send(kept, step.practice ? null : payload);
  }

  async function afterSending(step) {
    if (!step.practice) {
      if (step.screen === step.screens - 1) await breaks.trialDone();
      return parts.afterSending();
    }
    if (step.screen === step.screens - 1) await endPractice(step);
    return undefined;
  }

  async function endPractice(step) {
    running = running && !step.material.feedback;
    const tell = (title, text) =>
      showMessage(view.stage, view.messageTemplate, { title, text, button: words.go_on });
    if (page.practice_feedback && step.material.feedback) {
      await tell(words.feedback, step.material.feedback);
    }
    if (step.number === step.count) {
      running = false;
      parts.afterPractice();
      await tell(words.practice_over, "");
    }
  }

  // A timed screen ------------------------------------------------------------------------

  async function showTimed(step, draft, timed) {
    const screen = mount(step, draft);
    const pictures = [...screen.form.querySelectorAll(".picture")];
    screen.form.querySelector("[data-next]").textContent = words.read;
    screen.form.querySelector("[data-next]").hidden = pictures.length > 0;
    const onset = await present(screen.form, timed, tools);
    watch(step, draft, screen, onset);
    (pictures[0] ?? screen.form.querySelector("[data-next]")).focus({ preventScroll: true });
    const stamp = await response({
      onset,
      timeoutMs: timed.timeout_ms,
      watch: (respond) => watchResponses(screen.form, pictures, respond),
      tools,
    });
    settleTimed(screen, stamp, stamp === null ? null : current.stopwatch.since(stamp));
    const left = screen.problems();
    if (!left.length) {
      const outcome = await send(stamp ?? tools.now());
      answered.add(id(step));
      return outcome;
    }
    return askTheRest(screen);
  }

  /** A timed screen may also ask ordinary questions: they are answered after the response. */
  function askTheRest(screen) {
    const next = screen.form.querySelector("[data-next]");
    next.textContent = words.next;
    next.hidden = false;
    return new Promise((resolve) => {
      current.resolve = resolve;
      screen.form.addEventListener("submit", (event) => submit(event.timeStamp));
    });
  }

  function watchResponses(form, pictures, respond) {
    // A key that is held since the screen before must neither answer nor press what has the focus.
    const held = (event) => event.repeat && event.preventDefault();
    const pressed = (event) => {
      if (event.repeat || (event.key !== " " && event.key !== "Enter")) return;
      event.preventDefault();
      respond(event.timeStamp);
    };
    const clicked = (event) => respond(event.timeStamp);
    const targets = pictures.length ? pictures : [form.querySelector("[data-next]")];
    for (const target of targets) target.addEventListener("click", clicked);
    document.addEventListener("keydown", held, true);
    if (!pictures.length) document.addEventListener("keydown", pressed);
    return () => {
      document.removeEventListener("keydown", held, true);
      for (const target of targets) target.removeEventListener("click", clicked);
      document.removeEventListener("keydown", pressed);
    };
  }

  function settleTimed(screen, stamp, milliseconds) {
    for (const { question, instrument, settledAt } of screen.questions) {
      if (question.instrument === "response_time") {
        instrument.setValue(milliseconds);
        settledAt(stamp);
      }
      if (question.instrument === "click_target" && stamp === null) instrument.setValue(null);
    }
    if (stamp === null) view.notice("time", words.time_out, "");
    else view.notice("time", "");
  }

  // Around the work -----------------------------------------------------------------------

  function placeText(step) {
    const name = step.practice ? "practice" : "progress";
    return say(words, name, { number: step.number, count: step.count });
  }

  function progressText(step) {
    const text = placeText(step);
    if (step.screens === 1) return text;
    return `${text} · ${say(words, "page_of", { number: step.screen + 1, count: step.screens })}`;
  }

  function showHeader(step, isWork) {
    const left = steps.filter((one) => !one.practice && !isAnswered(one)).length;
    const minutes = minutesLeft(left, seconds, page.seconds_per_screen);
    const time = minutes === 1 ? words.minute_left : say(words, "minutes_left", { minutes });
    view.progress.textContent = `${progressText(step)} · ${time}`;
    const whole = steps.filter((one) => !one.practice).length;
    view.bar.max = whole;
    view.bar.value = whole - left;
    view.undo.disabled = !isWork || !mayGoBack(steps, index, page.screens);
  }

  async function back() {
    if (!current || !mayGoBack(steps, index, page.screens)) return;
    const before = steps[index - 1];
    current.forget();
    await keep();
    const draft = await drafts.reopen(before);
    // What was answered at another device is not here to be changed.
    if (!draft) return view.notice("back", words.not_here, "");
    answered.delete(id(before));
    current.resolve("back");
  }

  /** Another window may have gone on: leave a screen that is answered by now. */
  async function refresh() {
    if (!current) return;
    const { step, resolve } = current;
    const draft = await drafts.read(step);
    if (draft?.state === "sent" && draft.key === current?.draft.key) {
      answered.add(id(step));
      resolve("elsewhere");
    }
  }

  /** The server has refused an answer: back to its screen, if it is one of this batch. */
  async function refused({ payload }, problems) {
    if (payload.assignment !== page.assignment) return;
    const step = steps.find((one) => one.trial === payload.trial && one.screen === payload.screen);
    refusals.set(id(step), problems);
    await keep();
    await reopen(step);
    current?.resolve("refused");
  }

  /** Do something that covers the work: at once, or after the trial that is being measured. */
  function interrupt(work) {
    if (!measuring) return work();
    interruptions.push(() => {
      running = false;
      return work();
    });
    return undefined;
  }

  return { run, keep, back, refresh, refused, interrupt, watchNow: () => current?.stopwatch };
}
