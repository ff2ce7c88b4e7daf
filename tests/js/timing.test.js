import assert from "node:assert/strict";
import { test } from "node:test";

import { present, response } from "../../static/js/work/timed.js";
import {
  countWords,
  frameInterval,
  painted,
  Stopwatch,
  timerResolution,
} from "../../static/js/work/timing.js";
import { stillClock } from "./parts.js";

const frames = (interval) => {
  let stamp = 100;
  return (work) =>
    setImmediate(() => {
      stamp += interval;
      work(stamp);
    });
};

test("the onset is the frame after the one that painted", async () => {
  assert.equal(await painted(frames(10)), 120);
});

test("a timed stimulus is painted by the frame that uncovers it, and the next is the onset", async () => {
  let frame = 0;
  let uncoveredIn = null;
  const form = {
    classList: { add: () => undefined, remove: () => (uncoveredIn = frame) },
    querySelectorAll: () => [],
  };
  const nextFrame = (work) =>
    setImmediate(() => {
      frame += 1;
      work(frame * 10);
    });
  const onset = await present(form, { bell: false, fixation_ms: 0 }, { nextFrame });
  assert.equal(uncoveredIn, 1);
  assert.equal(onset, 20);
});

test("the frame interval is the median of what was seen", async () => {
  assert.equal(await frameInterval(frames(16.667)), 16.67);
});

test("the timer's resolution is the smallest step that it made", () => {
  const stamps = [0, 0, 0.1, 0.1, 0.3, 0.305];
  let index = 0;
  assert.equal(
    timerResolution(() => stamps[Math.min(index++, 5)], 10),
    0.005,
  );
  assert.equal(
    timerResolution(() => 1, 10),
    null,
  );
});

test("times are relative to the onset", () => {
  const watch = new Stopwatch({ onset: 1_000 });
  watch.hide(1_500);
  watch.show(1_700);
  watch.blur();
  watch.used("mouse");
  watch.used("keyboard");
  const times = watch.times(3_000, { frame_ms: 16.67 });
  assert.deepEqual(times, {
    onset: 1_000,
    spent_ms: 2_000,
    active_ms: 1_800,
    hidden: [[500, 700]],
    paused: [],
    blurs: 1,
    reloads: 0,
    input: "keyboard+mouse",
    frame_ms: 16.67,
  });
});

test("pauses are not time spent, and what an earlier page counted is", () => {
  const watch = new Stopwatch({ onset: 1_000, before: 5_000, reloads: 2 });
  watch.pause(2_000);
  watch.pause(2_500);
  watch.resume(4_000);
  const times = watch.times(6_000, {});
  assert.equal(times.spent_ms, 5_000 + 5_000 - 2_000);
  assert.deepEqual([times.paused, times.reloads], [[[1_000, 3_000]], 2]);
});

test("work is the time in which the page was in view and not paused", () => {
  const watch = new Stopwatch({ onset: 1_000, before: 60_000 });
  watch.hide(2_000);
  watch.show(3_000);
  watch.pause(4_000);
  watch.resume(4_500);
  assert.equal(watch.worked(6_000), 3_500);
});

test("presses that came too early are noted, up to a limit", () => {
  const watch = new Stopwatch({ onset: 1_000 });
  for (let press = 0; press < 30; press += 1) watch.tooEarly(1_000 + press);
  const { early } = watch.times(2_000, {});
  assert.deepEqual([early.length, early[3]], [20, 3]);
});

test("a touch before the onset counts as no time, never as negative time", () => {
  assert.equal(new Stopwatch({ onset: 1_000 }).since(990), 0);
});

function waiting(timeoutMs) {
  const clock = stillClock();
  let respond;
  const done = response({
    onset: 0,
    timeoutMs,
    watch(report) {
      respond = report;
      return () => undefined;
    },
    tools: clock,
  });
  return { clock, done, respond };
}

test("a response is its own time stamp", async () => {
  const { done, respond } = waiting(15_000);
  respond(1_234.5);
  assert.equal(await done, 1_234.5);
});

test("without a response the time runs out", async () => {
  const { clock, done } = waiting(15_000);
  await clock.pass(15_000);
  await clock.pass(50);
  assert.equal(await done, null);
});

test("a key that was pressed in time counts, though its handler ran late", async () => {
  const { clock, done, respond } = waiting(15_000);
  await clock.pass(15_010); // the timer ran first
  respond(14_990);
  assert.equal(await done, 14_990);
});

test("a key that was pressed too late does not count", async () => {
  const { clock, done, respond } = waiting(15_000);
  await clock.pass(15_010);
  respond(15_005);
  assert.equal(await done, null);
});

test("active time ends half a minute after the last input, and while the page is away", () => {
  const watch = new Stopwatch({ onset: 1_000, activeBefore: 500 });
  assert.equal(watch.active(11_000), 10_500);
  assert.equal(watch.active(90_000), 30_500); // nothing happened for 59 of these seconds
  watch.moved(91_000);
  assert.equal(watch.active(93_000), 32_500);
  watch.hide(94_000);
  assert.equal(watch.active(97_000), 33_500);
  watch.show(98_000);
  watch.pause(99_000);
  watch.moved(99_500);
  watch.resume(100_000);
  watch.moved(101_000);
  assert.equal(watch.active(101_000), 30_500 + 3_000 + 1_000 + 1_000);
  assert.equal(watch.times(101_000, {}).active_ms, 35_500);
});

test("who has much to read may sit still for longer", () => {
  let words = 400;
  let asked = 0;
  const wordsInView = () => {
    asked += 1;
    return words;
  };
  const watch = new Stopwatch({ onset: 1_000, wordsInView });
  watch.moved(21_000);
  assert.equal(asked, 0, "an input within half a minute measures nothing");
  watch.moved(181_000); // 160 seconds for 400 words
  assert.equal(watch.active(181_000), 180_000);
  assert.equal(watch.active(1_181_000), 180_000 + 30_000 + 200_000);
  words = 0;
  assert.equal(watch.active(1_181_000), 180_000 + 30_000);
});

test("words are counted in any script", () => {
  assert.equal(countWords("The dog didn't walk: 12 times."), 6);
  assert.equal(countWords("我喜欢喝绿茶。"), 4);
  assert.equal(countWords(" \n"), 0);
});

test("what is reported of a restless rater fits into a screen", () => {
  const stopwatch = new Stopwatch({ onset: 0 });
  for (let time = 10_000_000.12; time < 20_000_000; time += 10_000.37) {
    stopwatch.hide(time);
    stopwatch.show(time + 4_000);
    stopwatch.pause(time + 5_000);
    stopwatch.resume(time + 6_000);
    stopwatch.viewed({ view: "differences", place: 1, on: true }, time);
  }
  assert.ok(JSON.stringify(stopwatch.times(21_000_000, {})).length < 10_000);
});
