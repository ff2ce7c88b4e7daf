// Answers on their way to the server: each stays here until the server has said that it has it.

/**
 * @typedef {import("../work/types.js").PageStorage} PageStorage
 * @typedef {import("../work/types.js").Transaction} Transaction
 * @typedef {import("../work/types.js").Payload | import("../work/types.js").Complaint} Payload
 * @typedef {import("../work/types.js").Entry} Entry
 * @typedef {import("../work/types.js").ServerAnswer} ServerAnswer
 * @typedef {import("../work/types.js").Clock} Clock
 */

/**
 * What happened to the entries, for the page to show.
 *
 * @typedef {object} OutboxReport
 * @property {(count: number) => unknown} [waiting] so many are not sent yet
 * @property {(delay: number) => unknown} [later] the server could not be reached
 * @property {() => unknown} [locked] the server does not know the rater
 * @property {(entry: Entry, answer: any) => unknown} [stored]
 * @property {(entry: Entry, answer: any) => unknown} [conflict]
 * @property {(entry: Entry, answer: any) => unknown} [refused]
 */

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/**
 * What an answer of the server means for the entry that was sent.
 * "stored": it may go · "refused"/"conflict": a person must look, it stays · "locked": the server
 * no longer knows the rater, it stays · "later": try again.
 *
 * @param {number} status
 * @returns {"stored" | "conflict" | "refused" | "locked" | "later"}
 */
export function meaning(status) {
  if (status === 200 || status === 201 || status === 202) return "stored";
  if (status === 409) return "conflict";
  if (status === 400 || status === 413 || status === 422) return "refused";
  if (status === 401 || status === 403 || status === 404) return "locked";
  return "later";
}

/**
 * @param {{ storage: PageStorage, send: (payload: Payload) => Promise<ServerAnswer>, clock: Clock,
 *   rater: string, report?: OutboxReport }} parts
 *   send: rejects without a connection · rater: whose entries these are
 */
export function createOutbox({ storage, send, clock, rater, report = {} }) {
  /** @type {Promise<void> | null} */
  let flushing = null;
  let again = false;
  /** @type {number | undefined} */
  let timer;
  let failures = 0;

  /**
   * @param {Entry["state"]} [state]
   * @returns {Promise<Entry[]>}
   */
  async function mine(state = "waiting") {
    /** @type {Entry[]} */
    const entries = await storage.change((transaction) => transaction.all("outbox"));
    return entries
      .filter((entry) => entry.rater === rater && entry.state === state)
      .sort((one, other) => one.queued - other.queued);
  }

  /**
   * Put an entry into a transaction that the caller has open, together with its draft.
   *
   * @param {Transaction} transaction
   * @param {Payload} payload
   */
  function enqueue(transaction, payload) {
    return transaction.put("outbox", {
      key: payload.key,
      rater,
      payload,
      state: "waiting",
      queued: clock.now(),
    });
  }

  /**
   * Send what waits, oldest first. Calls that come meanwhile are answered by one more round.
   *
   * @returns {Promise<void>}
   */
  function flush() {
    if (flushing) {
      again = true;
      return flushing;
    }
    clock.clearTimeout(timer);
    flushing = sendAll().finally(() => {
      flushing = null;
      if (again) {
        again = false;
        flush();
      }
    });
    return flushing;
  }

  async function sendAll() {
    for (const entry of await mine()) {
      const outcome = await sendOne(entry);
      if (outcome === "later" || outcome === "locked") break;
    }
    report.waiting?.((await mine()).length);
  }

  /** @param {Entry} entry */
  async function sendOne(entry) {
    let answer;
    try {
      answer = await send(entry.payload);
    } catch {
      answer = { status: 0, document: null };
    }
    const outcome = meaning(answer.status);
    if (outcome === "later") return retryLater();
    if (outcome === "locked") {
      report.locked?.();
      return outcome;
    }
    failures = 0;
    await storage.change((transaction) =>
      outcome === "stored"
        ? transaction.delete("outbox", entry.key)
        : transaction.put("outbox", { ...entry, state: outcome, answer: answer.document }),
    );
    await report[outcome]?.(entry, answer.document);
    return outcome;
  }

  function retryLater() {
    failures += 1;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
    // Raters who lost the server together do not come back in the same instant.
    timer = clock.setTimeout(flush, delay * (0.75 + clock.random() / 2));
    report.later?.(delay);
    return "later";
  }

  /**
   * Drop an entry that a person has dealt with (a refused answer that was given again).
   *
   * @param {string} key
   */
  function drop(key) {
    return storage.change((transaction) => transaction.delete("outbox", key));
  }

  return { enqueue, flush, waiting: mine, drop };
}
