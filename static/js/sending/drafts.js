// What a rater has said on each screen so far, under the key that was made when it was shown.

/** @import { Draft, Outbox, PageStorage, ScreenId, Submission } from "../work/types.js" */

/**
 * @param {number} assignment
 * @param {ScreenId} step
 */
export const idOf = (assignment, step) => `${assignment}:${step.trial}:${step.screen}`;

/** @param {string} id */
const leftId = (id) => `left:${id}`;

/**
 * @param {string} id
 * @param {string} key
 * @returns {Draft}
 */
const blank = (id, key) => ({
  ...{ id, key, replaces: null, answers: {}, comment: "", spent_ms: 0, active_ms: 0, reloads: 0 },
  state: "open",
});

/**
 * Whether a screen was sent meanwhile, or is answered under another key: by another window.
 *
 * @param {Draft | undefined} found
 * @param {Draft} draft
 */
const isOvertaken = (found, draft) =>
  found !== undefined && (found.state === "sent" || found.key !== draft.key);

export class Drafts {
  #storage;
  #outbox;
  #newKey;
  #assignment;

  /**
   * @param {{ storage: PageStorage, outbox: Pick<Outbox, "enqueue">, newKey: () => string,
   *   assignment: number }} parts
   */
  constructor({ storage, outbox, newKey, assignment }) {
    this.#storage = storage;
    this.#outbox = outbox;
    this.#newKey = newKey;
    this.#assignment = assignment;
  }

  /**
   * @param {ScreenId} step
   * @returns {Promise<Draft | undefined>}
   */
  read(step) {
    const id = idOf(this.#assignment, step);
    return this.#storage.change((transaction) => transaction.get("drafts", id));
  }

  /**
   * The screen's draft: made now, when the screen is shown, or found from before.
   *
   * @param {ScreenId} step
   * @returns {Promise<Draft>}
   */
  show(step) {
    const id = idOf(this.#assignment, step);
    return this.#storage.change(async (transaction) => {
      /** @type {Draft | undefined} */
      const found = await transaction.get("drafts", id);
      if (found && found.state !== "open") return found;
      const shown = found ?? blank(id, this.#newKey());
      if (found) {
        /** @type {Draft | undefined} */
        const left = await transaction.get("drafts", leftId(id));
        const isNewer = left?.key === found.key && left.spent_ms >= found.spent_ms;
        if (isNewer) Object.assign(found, left, { id });
        found.reloads += 1;
      }
      await transaction.put("drafts", shown);
      return shown;
    });
  }

  /**
   * Keep a half-done screen; one that another window has sent is left alone.
   *
   * @param {Draft} draft
   */
  keep(draft) {
    return this.#storage.change(async (transaction) => {
      if (isOvertaken(await transaction.get("drafts", draft.id), draft)) return;
      await transaction.put("drafts", draft);
      await transaction.delete("drafts", leftId(draft.id));
    });
  }

  /**
   * Keep a half-done screen of a page that is about to go. There is no time to look whether it was
   * sent meanwhile, so this is a record of its own, which the screen takes when it comes back.
   *
   * @param {Draft} draft
   */
  keepAtOnce(draft) {
    this.#storage.keepAtOnce({ ...draft, id: leftId(draft.id) });
  }

  /**
   * Mark a screen as answered and put its payload into the outbox: both, or neither.
   * "elsewhere" when another window has answered it already; then nothing new is written.
   *
   * @param {Draft} draft
   * @param {Submission | null} payload null for practice, which is never sent
   * @returns {Promise<"sent" | "elsewhere">}
   */
  send(draft, payload) {
    return this.#storage.change(async (transaction) => {
      if (isOvertaken(await transaction.get("drafts", draft.id), draft)) return "elsewhere";
      await transaction.put("drafts", { ...draft, state: "sent" });
      if (payload) await this.#outbox.enqueue(transaction, payload);
      return "sent";
    });
  }

  /**
   * Open an answered screen again: a new key, which says whose place it takes.
   *
   * @param {ScreenId} step
   * @returns {Promise<Draft | undefined>}
   */
  reopen(step) {
    return this.#storage.change(async (transaction) => {
      /** @type {Draft | undefined} */
      const found = await transaction.get("drafts", idOf(this.#assignment, step));
      if (found?.state !== "sent") return found;
      const replaces = found.key;
      /** @type {Draft} */
      const open = { ...found, state: "open", key: this.#newKey(), replaces, reloads: -1 };
      await transaction.put("drafts", open);
      return open;
    });
  }

  /**
   * The server has refused it or does not have it: ask again, under a new key.
   *
   * @param {ScreenId} step
   * @returns {Promise<Draft>}
   */
  ask(step) {
    return this.#storage.change(async (transaction) => {
      const id = idOf(this.#assignment, step);
      /** @type {Draft} */
      const found = (await transaction.get("drafts", id)) ?? blank(id, this.#newKey());
      /** @type {Draft} */
      const open = { ...found, state: "open", key: this.#newKey(), reloads: -1 };
      await transaction.put("drafts", open);
      return open;
    });
  }

  /** The batch is done: nothing of it stays in this browser. */
  forget() {
    const ours = [`${this.#assignment}:`, leftId(`${this.#assignment}:`)];
    const ofBreaks = `break:${this.#assignment}`;
    return this.#storage.change(async (transaction) => {
      /** @type {{ id: string }[]} */
      const drafts = await transaction.all("drafts");
      for (const { id } of drafts) {
        if (id === ofBreaks || ours.some((start) => id.startsWith(start))) {
          await transaction.delete("drafts", id);
        }
      }
    });
  }

  /**
   * This assignment's drafts by their id.
   *
   * @returns {Promise<Map<string, Draft>>}
   */
  async mine() {
    /** @type {Draft[]} */
    const drafts = await this.#storage.change((transaction) => transaction.all("drafts"));
    const found = drafts.filter(({ id }) => id.startsWith(`${this.#assignment}:`));
    return new Map(found.map((draft) => [draft.id, draft]));
  }
}
