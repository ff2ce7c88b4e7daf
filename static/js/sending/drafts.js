// What a rater has said on each screen so far, under the key that was made when it was shown.

/**
 * @typedef {import("../work/types.js").Draft} Draft
 * @typedef {import("../work/types.js").ScreenId} ScreenId
 * @typedef {import("../work/types.js").PageStorage} PageStorage
 */

/**
 * @param {number} assignment
 * @param {ScreenId} step
 */
export const idOf = (assignment, step) => `${assignment}:${step.trial}:${step.screen}`;

/** @param {string} id */
const leftId = (id) => `left:${id}`;

/**
 * @param {{ storage: PageStorage, outbox: Pick<import("../work/types.js").Outbox, "enqueue">,
 *   newKey: () => string, assignment: number }} parts
 */
export function createDrafts({ storage, outbox, newKey, assignment }) {
  /**
   * @param {ScreenId} step
   * @returns {Promise<Draft | undefined>}
   */
  const read = (step) =>
    storage.change((transaction) => transaction.get("drafts", idOf(assignment, step)));

  /**
   * The screen's draft: made now, when the screen is shown, or found from before.
   *
   * @param {ScreenId} step
   * @returns {Promise<Draft>}
   */
  function show(step) {
    const id = idOf(assignment, step);
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", id);
      if (found) {
        if (found.state === "open") {
          const left = await transaction.get("drafts", leftId(id));
          const isNewer = left?.key === found.key && left.spent_ms >= found.spent_ms;
          if (isNewer) Object.assign(found, left, { id });
          found.reloads += 1;
          await transaction.put("drafts", found);
        }
        return found;
      }
      const fresh = blank(id, newKey());
      await transaction.put("drafts", fresh);
      return fresh;
    });
  }

  /**
   * Keep a half-done screen; one that was sent meanwhile (another window) is left alone.
   *
   * @param {Draft} draft
   */
  function keep(draft) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", draft.id);
      if (found?.state === "sent" || (found && found.key !== draft.key)) return;
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
  const keepAtOnce = (draft) => storage.keepAtOnce({ ...draft, id: leftId(draft.id) });

  /**
   * Mark a screen as answered and put its payload into the outbox: both, or neither.
   * "elsewhere" when another window has answered it already; then nothing new is written.
   *
   * @param {Draft} draft
   * @param {import("../work/types.js").Payload | null} payload null for practice, which is never sent
   * @returns {Promise<"sent" | "elsewhere">}
   */
  function send(draft, payload) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", draft.id);
      if (found?.state === "sent" || (found && found.key !== draft.key)) return "elsewhere";
      await transaction.put("drafts", { ...draft, state: "sent" });
      if (payload) await outbox.enqueue(transaction, payload);
      return "sent";
    });
  }

  /**
   * Open an answered screen again: a new key, which says whose place it takes.
   *
   * @param {ScreenId} step
   * @returns {Promise<Draft | undefined>}
   */
  function reopen(step) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", idOf(assignment, step));
      if (found?.state !== "sent") return found;
      const open = { ...found, state: "open", key: newKey(), replaces: found.key, reloads: -1 };
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
  function ask(step) {
    return storage.change(async (transaction) => {
      const id = idOf(assignment, step);
      const found = (await transaction.get("drafts", id)) ?? blank(id, newKey());
      const open = { ...found, state: "open", key: newKey(), reloads: -1 };
      await transaction.put("drafts", open);
      return open;
    });
  }

  /** The batch is done: nothing of it stays in this browser. */
  function forget() {
    const ours = [`${assignment}:`, leftId(`${assignment}:`)];
    return storage.change(async (transaction) => {
      for (const draft of await transaction.all("drafts")) {
        if (
          ours.some((start) => draft.id.startsWith(start)) ||
          draft.id === `break:${assignment}`
        ) {
          await transaction.delete("drafts", draft.id);
        }
      }
    });
  }

  /**
   * This assignment's drafts by their id.
   *
   * @returns {Promise<Map<string, Draft>>}
   */
  async function mine() {
    /** @type {Draft[]} */
    const drafts = await storage.change((transaction) => transaction.all("drafts"));
    const found = drafts.filter((draft) => draft.id.startsWith(`${assignment}:`));
    return new Map(found.map((draft) => [draft.id, draft]));
  }

  return { read, show, keep, keepAtOnce, send, reopen, ask, forget, mine };
}

/**
 * @param {string} id
 * @param {string} key
 * @returns {Draft}
 */
function blank(id, key) {
  return {
    id,
    key,
    replaces: null,
    answers: {},
    comment: "",
    spent_ms: 0,
    active_ms: 0,
    reloads: 0,
    state: "open",
  };
}
