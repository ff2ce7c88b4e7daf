// What the tests put in the place of a server, a clock and the browser's storage.

import { Drafts } from "../../static/js/sending/drafts.js";
import { Outbox } from "../../static/js/sending/outbox.js";
import { memoryStorage } from "../../static/js/sending/storage.js";

/** A clock that stands still until a test moves it; timers run when their time has come. */
export function stillClock() {
  let now = 0;
  let timers = [];
  let number = 0;
  return {
    now: () => now,
    random: () => 0.5,
    setTimeout(work, delay) {
      number += 1;
      timers.push({ number, at: now + delay, work });
      return number;
    },
    clearTimeout(cleared) {
      timers = timers.filter((timer) => timer.number !== cleared);
    },
    async pass(milliseconds) {
      now += milliseconds;
      const due = timers.filter((timer) => timer.at <= now);
      timers = timers.filter((timer) => timer.at > now);
      for (const timer of due) await timer.work();
    },
    timers: () => timers.map((timer) => timer.at - now),
  };
}

/** A server that answers what it is told to: a status, or an Error for no connection. */
export function scriptedServer(...answers) {
  const seen = [];
  const send = async (payload) => {
    seen.push(payload);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return { status: answer, document: { problems: [{ place: "x", message: "No." }] } };
  };
  return { send, seen };
}

export function newParts({
  server = scriptedServer(201),
  storage = memoryStorage(),
  report,
  rater = "r1",
} = {}) {
  const clock = stillClock();
  let keys = 0;
  const outbox = new Outbox({ storage, send: server.send, clock, rater, report });
  const drafts = new Drafts({
    storage,
    outbox,
    newKey() {
      keys += 1;
      return `key-${keys}`;
    },
    assignment: 7,
  });
  return { storage, clock, outbox, drafts, server };
}

export const put = (parts, key) =>
  parts.storage.change((transaction) => parts.outbox.enqueue(transaction, { key }));

export const keysIn = async (storage) =>
  (await storage.change((transaction) => transaction.all("outbox"))).map((entry) => entry.key);
