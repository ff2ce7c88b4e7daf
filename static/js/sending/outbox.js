// Answers on their way to the server: each stays here until the server has said that it has it.

/** @import { Clock, Entry, PageStorage, Report, ServerAnswer, Submission, Transaction } from "../work/types.js" */

/** @typedef {Submission | Report} Payload */

/**
 * What happened to the entries, for the page to show.
 *
 * @typedef {object} OutboxReport
 * @property {(count: number) => unknown} [waiting] so many are not sent yet
 * @property {(delay: number) => unknown} [later] the server could not be reached
 * @property {() => unknown} [locked] the server does not know the rater
 * @property {(entry: Entry, answer: unknown) => unknown} [stored]
 * @property {(entry: Entry, answer: unknown) => unknown} [conflict]
 * @property {(entry: Entry, answer: unknown) => unknown} [refused]
 */

/** @type {Clock} */
export const systemClock = {
  now: () => Date.now(),
  random: Math.random,
  setTimeout: (work, delay) => setTimeout(work, delay),
  clearTimeout: (timer) => clearTimeout(timer),
};

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

export class Outbox {
  #storage;
  #send;
  #clock;
  #rater;
  #report;
  /** @type {Promise<void> | null} */
  #flushing = null;
  #again = false;
  /** @type {number | undefined} */
  #timer;
  #failures = 0;

  /**
   * @param {{ storage: PageStorage, send: (payload: Payload) => Promise<ServerAnswer>, clock: Clock,
   *   rater: string, report?: OutboxReport }} parts
   *   send: rejects without a connection · rater: whose entries these are
   */
  constructor({ storage, send, clock, rater, report = {} }) {
    this.#storage = storage;
    this.#send = send;
    this.#clock = clock;
    this.#rater = rater;
    this.#report = report;
  }

  /** What is not sent yet, oldest first. */
  async waiting() {
    /** @type {Entry[]} */
    const entries = await this.#storage.change((transaction) => transaction.all("outbox"));
    return entries
      .filter(({ rater, state }) => rater === this.#rater && state === "waiting")
      .sort((one, other) => one.queued - other.queued);
  }

  /**
   * Put an entry into a transaction that the caller has open, together with its draft.
   *
   * @param {Transaction} transaction
   * @param {Payload} payload
   */
  enqueue(transaction, payload) {
    const [rater, queued] = [this.#rater, this.#clock.now()];
    return transaction.put("outbox", {
      key: payload.key,
      rater,
      payload,
      state: "waiting",
      queued,
    });
  }

  /**
   * Send what waits, oldest first. Calls that come meanwhile are answered by one more round.
   *
   * @returns {Promise<void>}
   */
  flush() {
    if (this.#flushing) {
      this.#again = true;
      return this.#flushing;
    }
    this.#clock.clearTimeout(this.#timer);
    this.#flushing = this.#sendAll().finally(() => {
      this.#flushing = null;
      if (this.#again) {
        this.#again = false;
        this.flush();
      }
    });
    return this.#flushing;
  }

  async #sendAll() {
    for (const entry of await this.waiting()) {
      const outcome = await this.#sendOne(entry);
      if (outcome === "later" || outcome === "locked") break;
    }
    this.#report.waiting?.((await this.waiting()).length);
  }

  /** @param {Entry} entry */
  async #sendOne(entry) {
    const answer = await this.#send(entry.payload).catch(() => ({ status: 0, document: null }));
    const outcome = meaning(answer.status);
    if (outcome === "later") return this.#retryLater();
    if (outcome === "locked") {
      this.#report.locked?.();
      return outcome;
    }
    this.#failures = 0;
    await this.#storage.change((transaction) =>
      outcome === "stored"
        ? transaction.delete("outbox", entry.key)
        : transaction.put("outbox", { ...entry, state: outcome, answer: answer.document }),
    );
    await this.#report[outcome]?.(entry, answer.document);
    return outcome;
  }

  #retryLater() {
    this.#failures += 1;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1));
    // Raters who lost the server together do not come back in the same instant.
    const wait = delay * (0.75 + this.#clock.random() / 2);
    this.#timer = this.#clock.setTimeout(() => this.flush(), wait);
    this.#report.later?.(delay);
    return "later";
  }

  /**
   * Drop an entry that a person has dealt with (a refused answer that was given again).
   *
   * @param {string} key
   */
  drop(key) {
    return this.#storage.change((transaction) => transaction.delete("outbox", key));
  }
}
