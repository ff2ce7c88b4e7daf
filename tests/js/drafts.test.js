import assert from "node:assert/strict";
import { test } from "node:test";

import { keysIn, newParts } from "./parts.js";

const step = { trial: 0, screen: 0 };

test("the key is made when the screen is shown, and a reload finds it again", async () => {
  const parts = newParts();
  const first = await parts.drafts.show(step);
  const again = newParts({ storage: parts.storage });
  const second = await again.drafts.show(step);
  assert.equal(second.key, first.key);
  assert.deepEqual([first.reloads, second.reloads], [0, 1]);
});

test("what was answered so far outlives the page", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  await parts.drafts.keep({ ...draft, answers: { "quality:0": 80 }, spent_ms: 1200 });
  const found = await newParts({ storage: parts.storage }).drafts.show(step);
  assert.deepEqual([found.answers, found.spent_ms], [{ "quality:0": 80 }, 1200]);
});

test("a page that had to go at once leaves what was answered, for the same screen only", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  parts.drafts.keepAtOnce({ ...draft, answers: { "quality:0": 80 }, spent_ms: 1200 });
  const found = await newParts({ storage: parts.storage }).drafts.show(step);
  assert.deepEqual([found.answers, found.spent_ms], [{ "quality:0": 80 }, 1200]);
  assert.deepEqual([found.id, found.reloads], [draft.id, 1]);

  // What is kept later is newer.
  await parts.drafts.keep({ ...draft, answers: { "quality:0": 90 } });
  assert.deepEqual((await parts.drafts.show(step)).answers, { "quality:0": 90 });

  // Sent, and opened again under another key: what was left is of the earlier answer.
  parts.drafts.keepAtOnce({ ...draft, answers: { "quality:0": 10 } });
  await parts.drafts.send({ ...draft, answers: { "quality:0": 95 } }, { key: draft.key });
  await parts.drafts.reopen(step);
  assert.deepEqual((await parts.drafts.show(step)).answers, { "quality:0": 95 });
  await parts.drafts.forget();
  const rest = await parts.storage.change((transaction) => transaction.all("drafts"));
  assert.deepEqual(rest, []);
});

test("sending marks the draft and fills the outbox in one transaction", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  assert.equal(await parts.drafts.send(draft, { key: draft.key }), "sent");
  assert.equal((await parts.drafts.read(step)).state, "sent");
  assert.deepEqual(await keysIn(parts.storage), [draft.key]);
});

test("two windows that send the same screen make one entry", async () => {
  const one = newParts();
  const other = newParts({ storage: one.storage });
  const draft = await one.drafts.show(step);
  const same = await other.drafts.show(step);
  const outcomes = await Promise.all([
    one.drafts.send(draft, { key: draft.key, answers: 1 }),
    other.drafts.send(same, { key: same.key, answers: 2 }),
  ]);
  assert.deepEqual(outcomes, ["sent", "elsewhere"]);
  assert.deepEqual(await keysIn(one.storage), [draft.key]);
});

test("half-done work in one window does not undo what another has sent", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  await parts.drafts.send(draft, { key: draft.key });
  await parts.drafts.keep({ ...draft, answers: {} });
  assert.equal((await parts.drafts.read(step)).state, "sent");
});

test("a screen opened again gets a new key that says what it replaces", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  await parts.drafts.send({ ...draft, answers: { "quality:0": 80 } }, { key: draft.key });
  const open = await parts.drafts.reopen(step);
  assert.notEqual(open.key, draft.key);
  assert.equal(open.replaces, draft.key);
  assert.deepEqual(open.answers, { "quality:0": 80 });
  assert.equal((await parts.drafts.show(step)).reloads, 0);
});

test("a screen of another device cannot be opened again", async () => {
  assert.equal(await newParts().drafts.reopen(step), undefined);
});

test("what the server lacks is asked again under a new key, with its answers", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show(step);
  await parts.drafts.send({ ...draft, answers: { "quality:0": 80 } }, { key: draft.key });
  const open = await parts.drafts.ask(step);
  assert.notEqual(open.key, draft.key);
  assert.deepEqual([open.state, open.answers], ["open", { "quality:0": 80 }]);
});

test("practice is marked as done and never sent", async () => {
  const parts = newParts();
  const draft = await parts.drafts.show({ trial: "practice-0", screen: 0 });
  await parts.drafts.send(draft, null);
  assert.deepEqual(await keysIn(parts.storage), []);
  assert.equal((await parts.drafts.mine()).get("7:practice-0:0").state, "sent");
});

test("a finished batch leaves nothing behind, and nothing of other batches goes", async () => {
  const parts = newParts();
  await parts.drafts.show(step);
  const other = { id: "77:0:0", state: "open" };
  await parts.storage.change((transaction) => transaction.put("drafts", other));
  await parts.drafts.forget();
  const left = await parts.storage.change((transaction) => transaction.all("drafts"));
  assert.deepEqual(left, [other]);
});
