import assert from "node:assert/strict";
import { test } from "node:test";

import { meaning } from "../../static/js/sending/outbox.js";
import { keysIn, newParts, put, scriptedServer } from "./parts.js";

for (const status of [200, 201, 202]) {
  test(`an answer leaves the outbox when the server says ${status}`, async () => {
    const parts = newParts({ server: scriptedServer(status) });
    await put(parts, "a");
    await parts.outbox.flush();
    assert.deepEqual(await keysIn(parts.storage), []);
  });
}

for (const answer of [500, 502, 503, 429, 408, 0, 302, new Error("offline")]) {
  test(`an answer stays and is tried again after ${answer}`, async () => {
    const server = scriptedServer(answer, 201);
    const parts = newParts({ server });
    await put(parts, "a");
    await parts.outbox.flush();
    assert.deepEqual(await keysIn(parts.storage), ["a"]);
    await parts.clock.pass(1_000);
    assert.deepEqual(await keysIn(parts.storage), []);
    assert.deepEqual(server.seen, [{ key: "a" }, { key: "a" }]);
  });
}

for (const status of [401, 403, 404]) {
  test(`an answer stays, and no timer runs, when the server does not know us (${status})`, async () => {
    let told = 0;
    const parts = newParts({
      server: scriptedServer(status),
      report: { locked: () => (told += 1) },
    });
    await put(parts, "a");
    await parts.outbox.flush();
    assert.deepEqual(await keysIn(parts.storage), ["a"]);
    assert.deepEqual(parts.clock.timers(), []);
    assert.equal(told, 1);
  });
}

for (const [status, event] of [
  [409, "conflict"],
  [422, "refused"],
  [413, "refused"],
]) {
  test(`an answer that the server does not take (${status}) is kept, told, and not sent again`, async () => {
    const told = [];
    const report = {
      [event]: (entry, answer) => told.push([entry.key, answer.problems[0].message]),
    };
    const server = scriptedServer(status);
    const parts = newParts({ server, report });
    await put(parts, "a");
    await parts.outbox.flush();
    await parts.outbox.flush();
    assert.deepEqual(told, [["a", "No."]]);
    assert.equal(server.seen.length, 1);
    assert.deepEqual(await keysIn(parts.storage), ["a"]);
    assert.deepEqual(await parts.outbox.waiting(), []);
  });
}

test("answers are sent in the order in which they were given", async () => {
  const server = scriptedServer(201);
  const parts = newParts({ server });
  for (const key of ["c", "a", "b"]) {
    await put(parts, key);
    await parts.clock.pass(1);
  }
  await parts.outbox.flush();
  assert.deepEqual(
    server.seen.map(({ key }) => key),
    ["c", "a", "b"],
  );
});

test("one that cannot be sent holds up those after it, and nothing is skipped", async () => {
  const server = scriptedServer(new Error("offline"), 201);
  const parts = newParts({ server });
  await put(parts, "a");
  await parts.clock.pass(1);
  await put(parts, "b");
  await parts.outbox.flush();
  assert.deepEqual(
    server.seen.map(({ key }) => key),
    ["a"],
  );
  await parts.clock.pass(1_000);
  assert.deepEqual(
    server.seen.map(({ key }) => key),
    ["a", "a", "b"],
  );
});

test("the delay doubles up to a minute", async () => {
  const parts = newParts({ server: scriptedServer(new Error("offline")) });
  await put(parts, "a");
  await parts.outbox.flush();
  const delays = [];
  for (let round = 0; round < 8; round += 1) {
    const [delay] = parts.clock.timers();
    delays.push(delay);
    await parts.clock.pass(delay);
  }
  assert.deepEqual(
    delays,
    [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000),
  );
});

test("two flushes at once send each answer once", async () => {
  const server = scriptedServer(201);
  const parts = newParts({ server });
  await put(parts, "a");
  await Promise.all([parts.outbox.flush(), parts.outbox.flush()]);
  assert.equal(server.seen.length, 1);
});

test("what is put in during a flush is sent by the next round", async () => {
  const server = scriptedServer(201);
  const parts = newParts({ server });
  await put(parts, "a");
  const first = parts.outbox.flush();
  await put(parts, "b");
  parts.outbox.flush();
  await first;
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(server.seen.map(({ key }) => key).sort(), ["a", "b"]);
});

test("another rater's answers in the same browser are left alone", async () => {
  const server = scriptedServer(201);
  const theirs = newParts({ server, rater: "r2" });
  await put(theirs, "theirs");
  const mine = newParts({ server, rater: "r1", storage: theirs.storage });
  await mine.outbox.flush();
  assert.deepEqual(server.seen, []);
  assert.deepEqual(await keysIn(mine.storage), ["theirs"]);
});

test("every status has a meaning, and only an acknowledgement removes", () => {
  const stored = [];
  for (let status = 0; status < 600; status += 1) {
    if (meaning(status) === "stored") stored.push(status);
  }
  assert.deepEqual(stored, [200, 201, 202]);
});
