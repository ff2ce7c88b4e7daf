import assert from "node:assert/strict";
import { test } from "node:test";

import { noteEvent, shortened } from "../../static/js/blocks/files.js";

const LARGEST = 6_000; // bytes of all logs of a screen
const LARGEST_SCREEN = 20_000; // what the server takes of a screen, in bytes

/** A file that was played again and again, here and there. */
const busyLog = (place, gap = 5.123) => ({
  place,
  kind: "sound",
  events: Array.from({ length: 100 }, (_, n) => ["seeked", 3_600_000 + n, 1_234.567 + n]),
  played: Array.from({ length: 150 }, (_, n) => [1_000.001 + n * 10, 1_010.001 + n * 10 - gap]),
  ended: false,
});

for (const files of [1, 2, 4, 10, 40])
  test(`the logs of ${files} files that were played a lot fit into a screen`, () => {
    const logs = shortened(Array.from({ length: files }, (_, place) => busyLog(place)));
    assert.equal(logs.length, files);
    assert.ok(JSON.stringify(logs).length <= LARGEST);
    assert.ok(logs.every(({ played }) => played[0][0] === 1_000.001));
    assert.ok(logs.every(({ played }) => played.at(-1)[1] === 2_494.878));
  });

test("without the bound the same logs would be larger than the server takes", () => {
  for (const files of [4, 10, 40]) {
    const logs = Array.from({ length: files }, (_, place) => busyLog(place));
    assert.ok(JSON.stringify(logs).length > LARGEST_SCREEN);
    assert.ok(JSON.stringify(shortened(logs)).length <= LARGEST);
  }
});

test("an ordinary log is sent as it is", () => {
  const log = {
    place: null,
    kind: "film",
    events: [
      ["play", 812, 0],
      ["pause", 1_500, 0.7],
      ["play", 1_900, 0.7],
      ["ended", 2_400, 1.2],
    ],
    played: [
      [0, 0.5],
      [0.7, 1.2],
    ],
    ended: true,
  };
  assert.deepEqual(shortened([log, { ...log, place: 0 }]), [log, { ...log, place: 0 }]);
});

test("an error stays, because without it the server would want the file played", () => {
  const log = { ...busyLog(0), played: [], ended: false };
  log.events.push(["error", 4_000_000, 3.5]);
  for (const files of [1, 40]) {
    const logs = shortened(Array.from({ length: files }, () => log));
    assert.deepEqual(logs[0].events.at(-1), ["error", 4_000_000, 3.5]);
  }
});

test("of too many spans those next to each other become one, and nothing played is lost", () => {
  const played = [[0, 1], [1.01, 2], [50, 51], [51.02, 52], ...busyLog(0).played];
  const [{ played: kept }] = shortened([{ ...busyLog(0), played }]);
  assert.deepEqual(kept[0], [0, 2]);
  assert.deepEqual(kept[1], [50, 52]);
  assert.ok(played.every(([from, to]) => kept.some(([a, b]) => a <= from && to <= b)));
});

test("a file that fails late is noted once, though the log is full", () => {
  const log = busyLog(0);
  for (const what of ["pause", "error", "error"]) noteEvent(log, [what, 4_000_000, 1]);
  assert.equal(log.events.length, 101);
  assert.deepEqual(log.events.at(-1), ["error", 4_000_000, 1]);
});
