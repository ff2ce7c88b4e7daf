import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryStorage, openStorage, withFallback } from "../../static/js/sending/storage.js";
import { newParts, scriptedServer } from "./parts.js";

/** A database that works until it is told to break: "refuse" every call, or "hang". */
function breakableStorage() {
  const working = memoryStorage();
  const storage = {
    lasting: true,
    mode: "work",
    change(work) {
      if (storage.mode === "refuse") return Promise.reject(new DOMException("", "AbortError"));
      if (storage.mode === "hang") return new Promise(() => undefined);
      return working.change(work);
    },
    keepAtOnce: working.keepAtOnce,
  };
  return storage;
}

const step = (screen) => ({ trial: 0, screen });

for (const mode of ["refuse", "hang"]) {
  test(`a sitting goes on in memory when its database begins to ${mode}`, async () => {
    const database = breakableStorage();
    let failures = 0;
    const storage = withFallback(database, () => (failures += 1), 20);
    const server = scriptedServer(new Error("offline"), 201);
    const { drafts, outbox } = newParts({ storage, server });
    const first = await drafts.show(step(0));
    await drafts.send(first, { key: first.key });
    const second = await drafts.show(step(1));
    assert.equal(storage.lasting, true);

    database.mode = mode;
    await drafts.keep({ ...second, answers: { "fluency:null": 7 } });
    assert.equal(await drafts.send(second, { key: second.key }), "sent");
    await drafts.show(step(2));

    assert.deepEqual([storage.lasting, failures], [false, 1]);
    const states = [...(await drafts.mine()).values()].map(({ state }) => state);
    assert.deepEqual(states, ["sent", "sent", "open"]);
    // Also what the database had and nobody can read any more.
    const waiting = (await outbox.waiting()).map(({ key }) => key);
    assert.deepEqual(waiting, [first.key, second.key]);
    database.mode = "work"; // given up is given up: no answer is in two places
    assert.equal((await drafts.show(step(1))).state, "sent");
  });
}

test("what another page has written is known after it was read", async () => {
  const database = breakableStorage();
  const storage = withFallback(database, () => undefined);
  await database.change((transaction) => transaction.put("drafts", { id: "7:0:0", state: "sent" }));
  await storage.change((transaction) => transaction.all("drafts"));
  database.mode = "refuse";
  const found = await storage.change((transaction) => transaction.get("drafts", "7:0:0"));
  assert.deepEqual(found, { id: "7:0:0", state: "sent" });
});

test("a database whose transactions never end is given up before the first screen", async () => {
  const stuck = {
    open() {
      const request = {
        result: { transaction: () => ({ objectStore: () => ({ put: () => ({}) }) }) },
      };
      queueMicrotask(() => request.onsuccess());
      return request;
    },
  };
  await assert.rejects(openStorage(stuck, 20), /does not answer/);
});
