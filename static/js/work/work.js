// The work page: puts the parts together and ties them to this browser.

import { prepareBlocks } from "../blocks/fill.js";
import { forgetLink, keepLink } from "../participant/kept_link.js";
import { optionalPart, part } from "../parts.js";
import { Drafts } from "../sending/drafts.js";
import { Outbox, systemClock } from "../sending/outbox.js";
import { createPost, createRecovery } from "../sending/post.js";
import { memoryStorage, openStorage, withFallback } from "../sending/storage.js";
import { Breaks } from "./breaks.js";
import { showMessage } from "./message.js";
import { createNotices, say } from "./notices.js";
import { Sitting } from "./sitting.js";
import { frameInterval, timerResolution } from "./timing.js";

/** @import { OutboxReport } from "../sending/outbox.js" */
/** @import { Answer, BrowserTools, Feedback, PageDocument, PageStorage, PageView, Receipt, Refusal, Rests, Route } from "./types.js" */

const TRY_AGAIN_MS = 3_000;

/** @typedef {{ problems?: Refusal[], message?: string }} Refused why an answer was not stored */
/** @typedef {{ next?: string, stored?: [number, number][] }} Finished the answer at the end */

/**
 * An element of the page by its id.
 *
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [type]
 */
const element = (id, type) => part(document, `#${id}`, type);
/** @param {string} id */
const template = (id) => element(id, HTMLTemplateElement);
/** @type {PageDocument} */
const page = JSON.parse(element("work-document").textContent);
const { words } = page;
const notice = createNotices(element("notices"));
const token = part(document, "meta[name=csrf-token]", HTMLMetaElement);
const post = createPost(token.content);
/** @param {FrameRequestCallback} work */
const nextFrame = (work) => requestAnimationFrame(work);
/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const resumeLink = optionalPart(document, "#resume-link", HTMLInputElement)?.value ?? "";
// The path alone: behind a proxy the site may not know its own name.
const resumePath = resumeLink && new URL(resumeLink, location.href).pathname;
const tryToReturn = createRecovery({
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
  /** @type {PageStorage} */
  const storage = page.preview ? memoryStorage() : await storageOrMemory(() => outbox.flush());
  const nowhere = async () => ({ status: 200, document: null });
  /** @type {Outbox} */
  const outbox = new Outbox({
    storage,
    send: page.preview ? nowhere : (payload) => post(page.addresses.submit, payload),
    clock: systemClock,
    rater: page.rater,
    report: reports(
      () => sitting,
      () => outbox,
    ),
  });
  const { assignment, breaks: rules } = page;
  const drafts = new Drafts({ storage, outbox, newKey: () => crypto.randomUUID(), assignment });
  const breaks = new Breaks({ storage, breaks: rules, assignment, wallClock: Date.now });
  const [instruments, { TimedTrials, bell }, { Traces }, { Practice }] = await Promise.all([
    loadInstruments(),
    loadTimedTrials(),
    page.traces ? import("./traces.js") : { Traces: undefined },
    page.practice.length ? import("./practice.js") : { Practice: undefined },
    prepareBlocks(page.screens.map((_, index) => template(`screen-${index}`))),
  ]);
  /** @type {Sitting} */
  const sitting = new Sitting({
    page,
    storage,
    drafts,
    breaks,
    instruments,
    TimedTrials,
    Practice,
    view: view(),
    tools: { ...tools(), bell },
    device: measureDevice(),
    traces: Traces && new Traces(document),
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
  if (document.getElementById("complain")) await tieTheReport(sitting, outbox, storage);
  if (page.copying) await makeCopyingInconvenient();
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
 * @param {PageStorage} storage
 */
async function tieTheReport(sitting, outbox, storage) {
  const { tieComplaints } = await import("./complaint.js");
  tieComplaints({
    dialog: element("complaint-dialog", HTMLDialogElement),
    form: element("complaint-form", HTMLFormElement),
    button: element("complain"),
    ...{ page, outbox, storage, notice },
    here: () => sitting.here(),
  });
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
 * @param {Answer[][]} screens
 * @returns {Promise<Feedback>}
 */
async function askForFeedback(trial, screens) {
  const answer = await post(page.addresses.practice_feedback, { trial, screens });
  if (answer.status !== 200) throw new Error(`no feedback: ${answer.status}`);
  return /** @type {Feedback} */ (answer.document);
}

async function loadInstruments() {
  const names = Object.keys(page.instruments);
  const modules = await Promise.all(names.map((name) => import(page.instruments[name])));
  return Object.fromEntries(names.map((name, index) => [name, modules[index]]));
}

/** What only campaigns with timed screens need; nothing for the others. */
async function loadTimedTrials() {
  if (!page.screens.some((screen) => screen.timed)) return {};
  const [{ TimedTrials }, { createBell }] = await Promise.all([
    import("./timed.js"),
    import("./bell.js"),
  ]);
  const sound = optionalPart(document, "#sound", HTMLInputElement);
  const bell = createBell(globalThis.AudioContext, () => sound?.checked ?? true);
  return { TimedTrials, bell };
}

async function makeCopyingInconvenient() {
  const { discourageCopying } = await import("./copying.js");
  discourageCopying(document, (isNeeded) =>
    notice("copying", isNeeded ? words.not_copied : "", ""),
  );
}

/** A personal link may have been opened on a phone: the work waits for a mouse or a keyboard. */
async function askForADesktop() {
  const { hasMouse, mouseOrKeyboard } = await import("../participant/device.js");
  if (hasMouse()) return;
  const message = { title: words.needs_device, text: words.needs_device_text };
  void showMessage(element("stage"), template("message-screen"), message);
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

/** @returns {PageView} */
function view() {
  return {
    stage: element("stage"),
    messageTemplate: template("message-screen"),
    answersTemplate: optionalPart(document, "#practice-answers", HTMLTemplateElement),
    screenTemplate: (screen) => template(`screen-${screen}`),
    progress: element("progress"),
    bar: element("progress-bar", HTMLProgressElement),
    undo: element("undo", HTMLButtonElement),
    notice,
  };
}

/** @returns {BrowserTools} */
function tools() {
  return {
    nextFrame,
    wait,
    ...systemClock,
    now: () => performance.now(),
    fonts: document.fonts,
    newImage: () => new Image(),
  };
}

/**
 * What the outbox has to tell, and how the page says it.
 *
 * @param {() => Sitting} sitting
 * @param {() => Outbox} outbox
 * @returns {OutboxReport}
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
    stored(entry, answer) {
      const receipt = /** @type {Partial<Receipt> | null} */ (answer);
      notice("locked", "");
      if (receipt?.ends_the_work) return location.assign(page.addresses.work);
      if (receipt?.answered_elsewhere) void sitting().overtaken(entry);
      return receipt?.try_again ? sitting().askAgain(entry) : undefined;
    },
    conflict: () => notice("conflict", words.conflict, "error"),
    refused(entry, answer) {
      const { problems = [], message = "" } = /** @type {Refused | null} */ (answer) ?? {};
      const said = problems.map((problem) => problem.message).join(" ") || message;
      notice("refused", say(words, "refused", { message: said }), "error");
      // A refused report is not a screen to go back to.
      if ("complaint" in entry.payload) return outbox().drop(entry.key);
      return sitting().refused(entry, problems);
    },
  };
}

/**
 * The server does not know this browser any more: come back by the personal link, or say so.
 *
 * @param {Outbox} outbox
 */
async function goOnAsTheSameRater(outbox) {
  if (await tryToReturn()) return void outbox.flush();
  notice(
    "locked",
    words.locked,
    "error",
    resumeLink ? { href: resumeLink, text: words.resume } : undefined,
  );
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
 * @param {Route} route
 * @param {() => Promise<void>} forget
 */
async function end(outbox, route, forget) {
  void showMessage(element("stage"), template("message-screen"), {
    title: page.preview ? words.preview_over : words.sending,
  });
  if (page.preview) return true;
  await untilAllIsSent(outbox);
  if (route.next()) return false; // the server asked for another answer
  for (;;) {
    const answer = await post(page.addresses.finish).catch(() => ({ status: 0, document: null }));
    const { next = "", stored = [] } = /** @type {Finished | null} */ (answer.document) ?? {};
    if (answer.status === 200) {
      await forget();
      location.assign(next);
      return true;
    }
    if (answer.status === 409) {
      await route.reopenMissing(stored);
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
 * @param {Rests} breaks
 */
function tie(sitting, outbox, breaks) {
  element("undo").addEventListener("click", () => sitting.back());
  // The menu of a phone closes before its dialog opens, so that the focus comes back to its button.
  element("work-tools").addEventListener(
    "click",
    (event) => {
      const menu = /** @type {HTMLElement} */ (event.currentTarget);
      const chosen = /** @type {HTMLElement} */ (event.target);
      if (chosen.closest("button")) menu.hidePopover?.();
    },
    true,
  );
  tieDialog("show-instructions", "instructions", sitting);
  tieDialog("pause", "pause-dialog", sitting);
  tieDialog("show-keys", "keys", sitting);

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
  const dialog = element(name, HTMLDialogElement);
  const button = element(buttonName, HTMLButtonElement);
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
