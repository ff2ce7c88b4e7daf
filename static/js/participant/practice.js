// After a practice example: what its authors say about it, and at the end that the work begins.

/**
 * What was told is kept with the drafts, so that a reload neither skips nor repeats it.
 *
 * @param {{ page: any, storage: any, drafts: any, route: any,
 *   tell: (title: string, text: string) => Promise<unknown>,
 *   askForFeedback: (trial: number, screens: any[]) => Promise<string>,
 *   onDone: () => unknown }} parts
 *   tell: shows a message until the rater continues ·
 *   askForFeedback: the server gives it for the answers, and rejects without a connection ·
 *   onDone: tells the server that the practice is over
 */
export function createPractice(parts) {
  const { page, storage, drafts, route } = parts;
  const { words } = page;
  const id = `${page.assignment}:told`;
  let state = { id, trials: /** @type {number[]} */ ([]), isOver: false };

  const keep = () => storage.change((transaction) => transaction.put("drafts", state));
  const isDone = (trial) =>
    route.steps.every(
      (step) => !step.practice || step.number !== trial + 1 || route.isAnswered(step),
    );

  async function load() {
    state = (await storage.change((transaction) => transaction.get("drafts", id))) ?? state;
    // The server may not have heard of it when the practice ended.
    if (state.isOver && page.practice.length) parts.onDone();
  }

  /** What there is to say about the examples that are answered by now. */
  async function catchUp() {
    for (const [trial, material] of page.practice.entries()) {
      if (!isDone(trial) || state.trials.includes(trial)) continue;
      if (material.has_feedback) await parts.tell(words.feedback, await feedback(trial, material));
      state.trials.push(trial);
      await keep();
    }
    if (!page.practice.length || state.isOver || state.trials.length < page.practice.length) return;
    await parts.tell(words.practice_over, "");
    state.isOver = true;
    await keep();
    parts.onDone();
  }

  async function feedback(trial, material) {
    if (material.feedback) return material.feedback; // the organiser's preview has it at once
    const screens = [];
    for (const screen of page.screens.keys()) {
      const draft = await drafts.read({ trial: `practice-${trial}`, screen });
      screens.push(draft?.given ?? []);
    }
    return parts.askForFeedback(trial, screens).catch(() => words.no_feedback);
  }

  return { load, catchUp };
}
