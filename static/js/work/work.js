// The work page: puts the parts together and ties them to this browser.

import { prepareBlocks } from "../blocks/fill.js";
import { forgetLink, keepLink } from "../participant/kept_link.js";
import { createDrafts } from "../sending/drafts.js";
import { createOutbox } from "../sending/outbox.js";
import { createPost } from "../sending/post.js";
import { createRecovery } from "../sending/recovery.js";
import { memoryStorage, openStorage, withFallback } from "../sending/storage.js";
import { createBreaks } from "./breaks.js";
import { showMessage } from "./message.js";
import { createNotices, say } from "./notices.js";
import { createSitting } from "./sitting.js";
import { frameInterval, timerResolution } from "./timing.js";

const TRY_AGAIN_MS = 3_000;

/**
 * @typedef {import("./types.js").Sitting} Sitting
 * @typedef {import("./types.js").Outbox} Outbox
 * @typedef {import("./types.js").ServerAnswer} ServerAnswer
 */

/**
 * @param {string} id
 * @returns {import("./types.js").TemplateElement}
 */
const element = (id) => document.getElementById(id);
/** @type {import("./types.js").PageDocument} */
const page = JSON.parse(element("work-document").textContent);
const { words } = page;
const notice = createNotices(element("notices"));
const token = /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=csrf-token]"));
const post = createPost(token.content);
/** @param {FrameRequestCallback} work */
const nextFrame = (work) => requestAnimationFrame(work);
/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const resumeLink = element("resume-link")?.value ?? "";
// The path alone: behind a proxy the site may not know its own name.
const resumePath = resumeLink && new URL(resumeLink, location.href).pathname;
const recovery = createRecovery({
  addresses: { resume: resumePath, session: page.addresses.session },
  request: (address, options) => fetch(address, options),
  useToken: post.useToken,
  now: () => performance.now(),
});

start().catch(failed);
// What nobody has foreseen must not leave a rater before a page that does nothing.
addEventListener("unhandledrejection", () => sayFailed());

function sayFailed() {
  notice.release();
  notice("failed", words.failed, "error");
}

/** @param {unknown} error */
function failed(error) {
  sayFailed();
  console.error(error);
}

async function start() {
  const storage = page.preview ? memoryStorage() : await storageOrMemory(() => outbox.flush());
  const nowhere = async () => ({ status: 200, document: null });
  const outbox = createOutbox({
    storage,
    send: page.preview ? nowhere : (payload) => post(page.addresses.submit, payload),
    clock: {
      now: () => Date.now(),
      random: Math.random,
      setTimeout: (work, delay) => setTimeout(work, delay),
      clearTimeout: (timer) => clearTimeout(timer),
    },
    rater: page.rater,
    report: reports(
      () => sitting,
      () => outbox,
    ),
  });
  const drafts = createDrafts({
    storage,
    outbox,
    newKey: () => crypto.randomUUID(),
    assignment: page.assignment,
  });
  const breaks = createBreaks({
    storage,
    breaks: page.breaks,
    assignment: page.assignment,
    wallClock: () => Date.now(),
  });
  const [instruments, { createTimedTrials, bell }] = await Promise.all([
    loadInstruments(),
    loadTimedTrials(),
    prepareBlocks(page.screens.map((_, index) => element(`screen-${index}`))),
  ]);
  const sitting = createSitting({
    page,
    storage,
    drafts,
    breaks,
    instruments,
    createTimedTrials,
    view: view(),
    tools: { ...tools(), bell },
    device: measureDevice(),
    afterSending: () => (storage.lasting ? void outbox.flush() : untilAllIsSent(outbox)),
    onPractised: () => page.preview || post(page.addresses.practised).catch(() => undefined),
    askForFeedback,
    onEnd: (route) => end(outbox, route, forget),
    onFailure: failed,
    reload: async () => location.reload(),
  });
  async function forget() {
    await drafts.forget();
    await forgetLink(storage, page.addresses.enter);
  }

  tie(sitting, outbox, breaks);
  if (element("complain")) await tieTheReport(sitting, outbox, storage);
  if (page.devices === "desktop") await askForADesktop();
  if (resumePath) await keepLink(storage, page.addresses.enter, resumePath);
  if (!page.preview) outbox.flush();
  await sitting.run();
}

/**
 * The button with which raters report that something is wrong, where the campaign has it.
 *
 * @param {Sitting} sitting
 * @param {Outbox} outbox
 * @param {import("./types.js").PageStorage} storage
 */
async function tieTheReport(sitting, outbox, storage) {
  const { tieComplaints } = await import("./complaint.js");
  const [dialog, form, button] = ["complaint-dialog", "complaint-form", "complain"].map(element);
  tieComplaints({ dialog, form, button, page, outbox, storage, notice, here: sitting.here });
  tieDialog("complain", "complaint-dialog", sitting);
}

/** @param {() => unknown} sendAtOnce */
async function storageOrMemory(sendAtOnce) {
  const sayThatNothingIsKept = () => notice("storage", words.no_storage);
  try {
    return withFallback(await openStorage(indexedDB), () => {
      sayThatNothingIsKept();
      sendAtOnce();
    });
  } catch {
    sayThatNothingIsKept();
    return memoryStorage();
  }
}

/**
 * What the authors of a practice example say about it, for the rater's answers.
 *
 * @param {number} trial
 * @param {import("./types.js").Answer[][]} screens
 * @returns {Promise<import("./types.js").Feedback>}
 */
async function askForFeedback(trial, screens) {
  const answer = await post(page.addresses["practice-feedback"], { trial, screens });
  if (answer.status !== 200) throw new Error(`no feedback: ${answer.status}`);
  return answer.document;
}

async function loadInstruments() {
  const names = Object.keys(page.instruments);
  const modules = await Promise.all(names.map((name) => import(page.instruments[name])));
  return Object.fromEntries(names.map((name, index) => [name, modules[index]]));
}

/** What only campaigns with timed screens need; nothing for the others. */
async function loadTimedTrials() {
  if (!page.screens.some((screen) => screen.timed)) return {};
  const [{ createTimedTrials }, { createBell }] = await Promise.all([
    import("./timed.js"),
    import("./bell.js"),
  ]);
  const bell = createBell(globalThis.AudioContext, () => element("sound")?.checked ?? true);
  return { createTimedTrials, bell };
}

/** A personal link may have been opened on a phone: the work waits for a mouse or a keyboard. */
async function askForADesktop() {
  const { hasMouse, mouseOrKeyboard } = await import("../participant/device.js");
  if (hasMouse()) return;
  const message = { title: words.needs_device, text: words.needs_device_text };
  void showMessage(element("stage"), element("message-screen"), message);
  await mouseOrKeyboard();
}

/** What the clock and the frames are like; the frames are counted while the rater reads. */
function measureDevice() {
  const device = {
    frame_ms: /** @type {number | null} */ (null),
    timer_ms: timerResolution(() => performance.now()),
    cross_origin_isolated: globalThis.crossOriginIsolated === true,
    has_mouse: matchMedia("(any-pointer: fine)").matches,
  };
  frameInterval(nextFrame).then((interval) => (device.frame_ms = interval));
  return device;
}

/** @returns {import("./types.js").View} */
function view() {
  return {
    stage: element("stage"),
    messageTemplate: element("message-screen"),
    answersTemplate: element("practice-answers"),
    screenTemplate: (screen) => element(`screen-${screen}`),
    progress: element("progress"),
    bar: element("progress-bar"),
    undo: element("undo"),
    notice,
  };
}

/** @returns {import("./types.js").BrowserTools} */
function tools() {
  return {
    nextFrame,
    wait,
    now: () => performance.now(),
    setTimeout: (work, delay) => setTimeout(work, delay),
    clearTimeout: (timer) => clearTimeout(timer),
    fonts: document.fonts,
    newImage: () => new Image(),
  };
}

/**
 * What the outbox has to tell, and how the page says it.
 *
 * @param {() => Sitting} sitting
 * @param {() => Outbox} outbox
 * @returns {import("../sending/outbox.js").OutboxReport}
 */
function reports(sitting, outbox) {
  return {
    waiting(count) {
      notice.whenFree("unsent", () => {
        const line = element("unsent");
        line.hidden = count === 0;
        line.textContent = count === 1 ? words.unsent_one : say(words, "unsent", { count });
      });
      if (count === 0) notice("connection", "");
    },
    later: () => notice("connection", words.offline),
    locked: () => goOnAsTheSameRater(outbox()),
    stored(entry, receipt) {
      notice("locked", "");
      if (receipt?.ends_the_work) return location.assign(page.addresses.work);
      if (receipt?.answered_elsewhere) void sitting().overtaken(entry);
      return receipt?.try_again ? sitting().askAgain(entry) : undefined;
    },
    conflict: () => notice("conflict", words.conflict, "error"),
    refused(entry, answer) {
      const message = answer?.problems
        ?.map((/** @type {import("./types.js").Refusal} */ problem) => problem.message)
        .join(" ");
      notice(
        "refused",
        say(words, "refused", { message: message ?? answer?.message ?? "" }),
        "error",
      );
      // A refused report is not a screen to go back to.
      if ("complaint" in entry.payload) return outbox().drop(entry.key);
      return sitting().refused(entry, answer?.problems ?? []);
    },
  };
}

/**
 * The server does not know this browser any more: come back by the personal link, or say so.
 *
 * @param {Outbox} outbox
 */
async function goOnAsTheSameRater(outbox) {
  if (await recovery.tryToReturn()) return void outbox.flush();
  notice("locked", words.locked, "error", resumeLink && { href: resumeLink, text: words.resume });
}

/** @param {Outbox} outbox */
async function untilAllIsSent(outbox) {
  for (;;) {
    await outbox.flush();
    if (!(await outbox.waiting()).length) return;
    notice("connection", words.waiting_for_server);
    await wait(TRY_AGAIN_MS);
  }
}

/**
 * After the last screen: everything to the server, then the page that it names.
 *
 * @param {Outbox} outbox
 * @param {import("./types.js").Route} route
 * @param {() => Promise<void>} forget
 */
async function end(outbox, route, forget) {
  void showMessage(element("stage"), element("message-screen"), {
    title: page.preview ? words.preview_over : words.sending,
  });
  if (page.preview) return true;
  await untilAllIsSent(outbox);
  if (route.next()) return false; // the server asked for another answer
  for (;;) {
    const answer = await post(page.addresses.finish).catch(() => ({ status: 0, document: null }));
    if (answer.status === 200) {
      await forget();
      location.assign(answer.document.next);
      return true;
    }
    if (answer.status === 409) {
      await route.reopenMissing(answer.document.stored);
      return false;
    }
    if (answer.status === 401 || answer.status === 403) await goOnAsTheSameRater(outbox);
    else notice("connection", words.offline);
    await wait(TRY_AGAIN_MS);
  }
}

/**
 * Tie the page's buttons and the browser's events to the sitting.
 *
 * @param {Sitting} sitting
 * @param {Outbox} outbox
 * @param {import("./types.js").Breaks} breaks
 */
function tie(sitting, outbox, breaks) {
  element("undo").addEventListener("click", () => sitting.back());
  tieDialog("show-instructions", "instructions", sitting);
  tieDialog("pause", "pause-dialog", sitting);
  tieDialog("show-keys", "keys", sitting);
  document.addEventListener("keydown", (event) => {
    const focused = /** @type {HTMLElement} */ (event.target);
    const isWriting = focused.closest("textarea, input:not([type=radio], [type=checkbox])");
    if (event.key === "?" && !isWriting) element("show-keys").click();
  });

  const flush = () => page.preview || outbox.flush();
  addEventListener("online", flush);
  addEventListener("focus", () => {
    flush();
    sitting.refresh();
  });
  addEventListener("blur", () => sitting.stopwatch()?.blur());
  addEventListener("pagehide", () => sitting.keepAtOnce());
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.hidden) {
      sitting.stopwatch()?.hide(now);
      sitting.keepAtOnce();
      breaks.leave();
    } else {
      sitting.stopwatch()?.show(now);
      breaks.returned();
      sitting.refresh();
      flush();
    }
  });
  document.addEventListener("pointerdown", (event) => sitting.stopwatch()?.used(event.pointerType));
  document.addEventListener("keydown", () => sitting.stopwatch()?.used("keyboard"));
  // While a sound or a film plays, its time is updated.
  for (const input of ["pointerdown", "pointermove", "keydown", "scroll", "timeupdate"])
    document.addEventListener(input, (event) => sitting.stopwatch()?.moved(event.timeStamp), {
      passive: true,
      capture: true, // a scroll within the page does not bubble
    });
}

/**
 * A dialog that covers the work stops its clock, and waits until no time is being measured; its
 * button shows that it will come.
 *
 * @param {string} buttonName
 * @param {string} name
 * @param {Sitting} sitting
 */
function tieDialog(buttonName, name, sitting) {
  const dialog = element(name);
  const button = element(buttonName);
  button.disabled = false;
  const open = () => {
    button.removeAttribute("aria-pressed");
    if (!dialog.open) dialog.showModal();
    sitting.stopwatch()?.pause(performance.now());
    return new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  };
  button.addEventListener("click", () => {
    if (sitting.interrupt(name, open)) button.setAttribute("aria-pressed", "true");
  });
  dialog.addEventListener("close", () => sitting.stopwatch()?.resume(performance.now()));
}
