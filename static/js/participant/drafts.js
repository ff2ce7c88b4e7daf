// What a rater has said on each screen so far, under the key that was made when it was shown.

export const idOf = (assignment, step) => `${assignment}:${step.trial}:${step.screen}`;

/**
 * A draft is {id, key, replaces, answers, comment, spent_ms, reloads, state: "open" | "sent"}.
 * It outlives the page, so that a reload finds the same key and what had been answered.
 */
export function createDrafts({ storage, outbox, newKey, assignment }) {
  const read = (step) =>
    storage.change((transaction) => transaction.get("drafts", idOf(assignment, step)));

  /** The screen's draft: made now, when the screen is shown, or found from before. */
  function show(step) {
    const id = idOf(assignment, step);
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", id);
      if (found) {
        if (found.state === "open") {
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

  /** Keep a half-done screen; one that was sent meanwhile (another window) is left alone. */
  function keep(draft) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", draft.id);
      if (found?.state === "sent" || (found && found.key !== draft.key)) return;
      await transaction.put("drafts", draft);
    });
  }

  /**
   * Mark a screen as answered and put its payload into the outbox: both, or neither.
   * "elsewhere" when another window has answered it already; then nothing new is written.
   */
  function send(draft, payload) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", draft.id);
      if (found?.state === "sent" || (found && found.key !== draft.key)) return "elsewhere";
      await transaction.put("drafts", { ...draft, state: "sent" });
      if (payload) await outbox.enqueue(transaction, payload); // practice is never sent
      return "sent";
    });
  }

  /** Open an answered screen again: a new key, which says whose place it takes. */
  function reopen(step) {
    return storage.change(async (transaction) => {
      const found = await transaction.get("drafts", idOf(assignment, step));
      if (found?.state !== "sent") return found;
      const open = { ...found, state: "open", key: newKey(), replaces: found.key, reloads: -1 };
      await transaction.put("drafts", open);
      return open;
    });
  }

  /** The server has refused it or does not have it: ask again, under a new key. */
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
    return storage.change(async (transaction) => {
      for (const draft of await transaction.all("drafts")) {
        if (draft.id.startsWith(`${assignment}:`) || draft.id === `break:${assignment}`) {
          await transaction.delete("drafts", draft.id);
        }
      }
    });
  }

  /** This assignment's drafts by their id. */
  async function mine() {
    const drafts = await storage.change((transaction) => transaction.all("drafts"));
    const found = drafts.filter((draft) => draft.id.startsWith(`${assignment}:`));
    return new Map(found.map((draft) => [draft.id, draft]));
  }

  return { read, show, keep, send, reopen, ask, forget, mine };
}

function blank(id, key) {
  return {
    id,
    key,
    replaces: null,
    answers: {},
    comment: "",
    spent_ms: 0,
    reloads: 0,
    state: "open",
  };
}
