import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStorage } from "../../static/js/sending/storage.js";
import { Breaks } from "../../static/js/work/breaks.js";
import {
  breakIsDue,
  firstOpen,
  mayGoBack,
  median,
  minutesLeft,
  stepsOf,
} from "../../static/js/work/session.js";

const plain = { timed: null };
const page = { practice: [{}], trials: [{}, {}], screens: [plain, plain] };

test("practice comes first, and the screens of a trial follow each other", () => {
  const names = stepsOf(page).map((step) => `${step.trial}/${step.screen}`);
  assert.deepEqual(names, ["practice-0/0", "practice-0/1", "0/0", "0/1", "1/0", "1/1"]);
});

test("the first open screen is where a rater goes on", () => {
  const steps = stepsOf(page);
  assert.equal(
    firstOpen(steps, (step) => step.practice),
    2,
  );
  assert.equal(
    firstOpen(steps, () => true),
    steps.length,
  );
});

test("one may go back within the batch, but not into the practice", () => {
  const steps = stepsOf(page);
  const allowed = steps.map((_, index) => mayGoBack(steps, index, page.screens));
  assert.deepEqual(allowed, [false, false, false, true, true, true]);
});

test("one may not go back to a screen whose time was measured", () => {
  const screens = [{ timed: { timeout_ms: 1 } }, plain];
  const steps = stepsOf({ practice: [], trials: [{}, {}], screens });
  const allowed = steps.map((_, index) => mayGoBack(steps, index, screens));
  assert.deepEqual(allowed, [false, false, true, false]);
});

test("the remaining time is the rater's own once there is a pace", () => {
  assert.equal(minutesLeft(10, [], 60), 10);
  assert.equal(minutesLeft(10, [30, 30, 600], 60), 5);
  assert.equal(minutesLeft(0, [30, 30, 30], 60), 1);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test("a break is due after so many trials or minutes, whichever comes first", () => {
  const breaks = { after_trials: 10, after_minutes: 30 };
  assert.equal(breakIsDue(breaks, 9, 29), false);
  assert.equal(breakIsDue(breaks, 10, 0), true);
  assert.equal(breakIsDue(breaks, 0, 30), true);
  assert.equal(breakIsDue({ after_trials: null, after_minutes: null }, 1e6, 1e6), false);
});

const ENFORCED = { after_trials: null, after_minutes: 30, minutes: 5, enforced: true };
const MINUTE = 60_000;

function desk(breaks = ENFORCED) {
  const storage = memoryStorage();
  const clock = { wall: 1_000 * MINUTE };
  /** As a reload creates them. */
  async function load() {
    const made = new Breaks({ storage, breaks, assignment: 7, wallClock: () => clock.wall });
    await made.load();
    return made;
  }
  return { clock, load };
}

async function work(breaks, clock, minutes) {
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.wall += MINUTE;
    breaks.worked(MINUTE);
    await breaks.trialDone();
  }
}

test("an enforced break comes after minutes of work", async () => {
  const { clock, load } = desk();
  const breaks = await load();
  await work(breaks, clock, 29);
  assert.equal(breaks.isDue(), false);
  await work(breaks, clock, 1);
  assert.equal(breaks.isDue(), true);
  assert.equal(await breaks.begin(), 5 * MINUTE);
  await breaks.end();
  assert.equal(breaks.isDue(), false);
});

test("who comes back after two hours has rested", async () => {
  const { clock, load } = desk();
  await work(await load(), clock, 29);
  clock.wall += 120 * MINUTE;
  const back = await load();
  assert.equal(back.isDue(), false);
  await work(back, clock, 29);
  assert.equal(back.isDue(), false);
});

test("a page that was out of sight for long does not ask for a break at once", async () => {
  const { clock, load } = desk();
  const breaks = await load();
  await work(breaks, clock, 29);
  breaks.leave();
  clock.wall += 120 * MINUTE;
  breaks.returned();
  await work(breaks, clock, 5);
  assert.equal(breaks.isDue(), false);
});

test("an open page that nobody works on is not two hours of work", async () => {
  const { load } = desk();
  const breaks = await load();
  breaks.worked(120 * MINUTE);
  assert.equal(breaks.isDue(), false);
});

test("a reload does not end an enforced break, and the time away is part of it", async () => {
  const { clock, load } = desk({ ...ENFORCED, after_trials: 1 });
  const breaks = await load();
  await breaks.trialDone();
  await breaks.begin();
  await breaks.rest(4 * MINUTE);
  clock.wall += MINUTE;
  const again = await load();
  assert.equal(again.isDue(), true);
  assert.equal(await again.begin(), 3 * MINUTE);
});

test("a clock that is set back does not make a break longer than it is", async () => {
  const { clock, load } = desk({ ...ENFORCED, after_trials: 1 });
  const breaks = await load();
  await breaks.trialDone();
  await breaks.begin();
  await breaks.rest(4 * MINUTE);
  clock.wall -= 60 * MINUTE;
  assert.equal(await (await load()).begin(), 4 * MINUTE);
});

test("what an earlier release kept does not break the breaks", async () => {
  const storage = memoryStorage();
  const kept = { id: "break:7", trials: 3, since: 5, until: 9e15 };
  await storage.change((transaction) => transaction.put("drafts", kept));
  const breaks = new Breaks({ storage, breaks: ENFORCED, assignment: 7, wallClock: () => 10 });
  await breaks.load();
  assert.equal(breaks.isDue(), false);
});
