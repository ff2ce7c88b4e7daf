import assert from "node:assert/strict";
import { test } from "node:test";

import { createBreaks } from "../../static/js/participant/breaks.js";
import {
  breakIsDue,
  firstOpen,
  mayGoBack,
  median,
  minutesLeft,
  stepsOf,
} from "../../static/js/participant/session.js";
import { memoryStorage } from "../../static/js/participant/storage.js";

const plain = { timed: null };
const page = { practice: [{}], trials: [{}, {}], screens: [plain, plain] };

test("practice comes first, and the screens of a trial follow each other", () => {
  const names = stepsOf(page).map((step) => `${step.trial}/${step.screen}`);
  assert.deepEqual(names, ["practice-0/0", "practice-0/1", "0/0", "0/1", "1/0", "1/1"]);
});

test("the first open screen is where a rater goes on", () => {
  const steps = stepsOf(page);
  assert.equal(firstOpen(steps, (step) => step.practice), 2);
  assert.equal(firstOpen(steps, () => true), steps.length);
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

test("a reload does not end an enforced break", async () => {
  let now = 1_000;
  const storage = memoryStorage();
  const breaks = { after_trials: 1, after_minutes: null, minutes: 5, enforced: true };
  const make = () => createBreaks({ storage, breaks, assignment: 7, now: () => now });
  const first = make();
  await first.load();
  await first.trialDone();
  assert.equal(first.isDue(), true);
  const until = await first.begin();
  assert.equal(until, 1_000 + 5 * 60_000);
  now += 60_000;
  const second = make();
  await second.load();
  assert.equal(second.isDue(), true);
  assert.equal(await second.begin(), until);
  await second.end();
  assert.equal(second.isDue(), false);
});
