// The work page: puts the parts together and ties them to this browser.

import { createBell } from "./bell.js";
import { createBreaks } from "./breaks.js";
import { createDrafts } from "./drafts.js";
import { showMessage } from "./message.js";
import { createNotices, say } from "./notices.js";
import { createOutbox } from "./outbox.js";
import { createPost } from "./post.js";
import { createSitting } from "./sitting.js";
import { memoryStorage, openStorage } from "./storage.js";
import { frameInterval, timerResolution } from "./timing.js";

const TRY_AGAIN_MS = 3_000;

const page = JSON.parse(document.getElementById("work-document").textContent);
const { words } = page;
const element = (id) => document.getElementById(id);
const notice = createNotices(element("notices"));
const post = createPost(document.querySelector("meta[name=csrf-token]").content);
const nextFrame = (work) => requestAnimationFrame(work);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

start().catch((error) => {
  notice("failed", words.failed, "error");
  throw error;
});

async function start() {
  const storage = page.preview ? memoryStorage() : await storageOrMemory();
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
    report: reports(() => sitting),
  });
  const drafts = createDrafts({
    storage,
    outbox,
    newKey: () => crypto.randomUUID(),
    assignment: page.assignment,
  });
  const sitting = createSitting({
    page,
    drafts,
    outbox,
    breaks: createBreaks({
      storage,
      breaks: page.breaks,
      assignment: page.assignment,
      now: () => Date.now(),
    }),
    instruments: await loadInstruments(),
    view: view(),
    tools: tools(),
    device: measureDevice(),
    afterSending: () => (storage.lasting ? void outbox.flush() : untilAllIsSent(outbox)),
    afterPractice: () => page.preview || post(page.addresses.practised).catch(() => undefined),
    onEnd: (reopen) => end(outbox, drafts, reopen),
  });
  tie(sitting, outbox);
  if (!page.preview) outbox.flush();
  await sitting.run();
}

async function storageOrMemory() {
  try {
    return await openStorage(indexedDB);
  } catch {
    notice("storage", words.no_storage);
    return memoryStorage();
  }
}

async function loadInstruments() {
  const names = Object.keys(page.instruments);
  const modules = await Promise.all(names.map((name) => import(page.instruments[name])));
  return Object.fromEntries(names.map((name, index) => [name, modules[index]]));
}

/** What the clock and the frames are like; the frames are counted while the rater reads. */
function measureDevice() {
  const device = {
    frame_ms: null,
    timer_ms: timerResolution(() => performance.now()),
    cross_origin_isolated: globalThis.crossOriginIsolated === true,
  };
  frameInterval(nextFrame).then((interval) => (device.frame_ms = interval));
  return device;
}

function view() {
  return {
    stage: element("stage"),
    messageTemplate: element("message-screen"),
    screenTemplate: (screen) => element(`screen-${screen}`),
    progress: element("progress"),
    bar: element("progress-bar"),
    undo: element("undo"),
    notice,
  };
}

function tools() {
  return {
    nextFrame,
    wait,
    now: () => performance.now(),
    setTimeout: (work, delay) => setTimeout(work, delay),
    clearTimeout: (timer) => clearTimeout(timer),
    fonts: document.fonts,
    newImage: () => new Image(),
    bell: createBell(globalThis.AudioContext, () => element("sound")?.checked ?? true),
  };
}

/** What the outbox has to tell, and how the page says it. */
function reports(sitting) {
  return {
    waiting(count) {
      const line = element("unsent");
      line.hidden = count === 0;
      line.textContent = count === 1 ? words.unsent_one : say(words, "unsent", { count });
      if (count === 0) notice("connection", "");
    },
    later: () => notice("connection", words.offline),
    locked: () => notice("locked", words.locked, "error"),
    stored: () => notice("locked", ""),
    conflict: () => notice("conflict", words.conflict, "error"),
    refused(entry, answer) {
      const message = answer?.problems?.map((problem) => problem.message).join(" ");
      notice("refused", say(words, "refused", { message: message ?? answer?.message ?? "" }), "error");
      return sitting().refused(entry, answer?.problems ?? []);
    },
  };
}

async function untilAllIsSent(outbox) {
  for (;;) {
    await outbox.flush();
    if (!(await outbox.waiting()).length) return;
    notice("connection", words.waiting_for_server);
    await wait(TRY_AGAIN_MS);
  }
}

/** After the last screen: everything to the server, then the page that it names. */
async function end(outbox, drafts, reopen) {
  void showMessage(element("stage"), element("message-screen"), {
    title: page.preview ? words.preview_over : words.sending,
  });
  if (page.preview) return true;
  await untilAllIsSent(outbox);
  for (;;) {
    const answer = await post(page.addresses.finish).catch(() => ({ status: 0 }));
    if (answer.status === 200) {
      await drafts.forget();
      location.assign(answer.document.next);
      return true;
    }
    if (answer.status === 409) {
      await reopen(answer.document.stored);
      return false;
    }
    notice("connection", answer.status === 401 || answer.status === 403 ? words.locked : words.offline);
    await wait(TRY_AGAIN_MS);
  }
}

/** Tie the page's buttons and the browser's events to the sitting. */
function tie(sitting, outbox) {
  element("undo").addEventListener("click", () => sitting.back());
  tieDialog("show-instructions", "instructions", sitting);
  tieDialog("pause", "pause-dialog", sitting);

  const flush = () => page.preview || outbox.flush();
  addEventListener("online", flush);
  addEventListener("focus", () => {
    flush();
    sitting.refresh();
  });
  addEventListener("blur", () => sitting.watchNow()?.blur());
  addEventListener("pagehide", () => sitting.keep());
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.hidden) {
      sitting.watchNow()?.hide(now);
      sitting.keep();
    } else {
      sitting.watchNow()?.show(now);
      sitting.refresh();
      flush();
    }
  });
  document.addEventListener("pointerdown", (event) => sitting.watchNow()?.used(event.pointerType));
  document.addEventListener("keydown", () => sitting.watchNow()?.used("keyboard"));
}

/** A dialog that covers the work stops its clock, and waits until no time is being measured. */
function tieDialog(button, name, sitting) {
  const dialog = element(name);
  const open = () => {
    dialog.showModal();
    sitting.watchNow()?.pause(performance.now());
    return new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  };
  element(button).addEventListener("click", () => sitting.interrupt(open));
  dialog.addEventListener("close", () => sitting.watchNow()?.resume(performance.now()));
}
