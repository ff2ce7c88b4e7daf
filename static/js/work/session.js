// The order of a sitting: which screen comes next, how far one is, when a break is due.

/** @import { BreakRules, Material, PageDocument, ScreenQuestions, Step } from "./types.js" */

/**
 * Every screen of the practice and then of the batch, in order.
 *
 * @param {Pick<PageDocument, "practice" | "trials" | "screens">} page
 * @returns {Step[]}
 */
export function stepsOf({ practice, trials, screens }) {
  /** @type {Step[]} */
  const steps = [];
  for (const list of [practice, trials]) {
    const isPractice = list === practice;
    const documents = list.filter(({ document }) => document?.segment === 1).length;
    let number = 0;
    for (const [trial, material] of list.entries()) {
      const { document } = material;
      if (!document || document.segment === 1) number += 1;
      const asked = screensOf(material, screens);
      for (const screen of asked) {
        steps.push({
          practice: isPractice,
          trial: isPractice ? `practice-${trial}` : trial,
          number,
          count: documents || list.length,
          screen,
          screens: asked.length,
          material,
        });
      }
    }
  }
  return steps;
}

/**
 * The indexes of a trial's screens: those about a whole document come after its last segment.
 *
 * @param {Material} material
 * @param {ScreenQuestions[]} screens
 */
function screensOf({ document }, screens) {
  const isLast = !document || document.segment === document.segments;
  return [...screens.keys()].filter((screen) => isLast || !screens[screen].closes_document);
}

/**
 * The index of the first step that has no answer yet; `steps.length` when all have.
 *
 * @param {Step[]} steps
 * @param {(step: Step) => boolean} isAnswered
 */
export function firstOpen(steps, isAnswered) {
  const index = steps.findIndex((step) => !isAnswered(step));
  return index === -1 ? steps.length : index;
}

/**
 * Whether the step before may be opened again: the same kind of work, and no measured time.
 *
 * @param {Step[]} steps
 * @param {number} index
 * @param {ScreenQuestions[]} screens
 */
export function mayGoBack(steps, index, screens) {
  if (index === 0 || index > steps.length) return false;
  const before = steps[index - 1];
  const here = steps[index];
  if (here && here.practice !== before.practice) return false;
  return !before.practice && !screens[before.screen].timed;
}

/**
 * Minutes that the rest will take at this rater's own pace, or at the expected one.
 *
 * @param {number} screensLeft
 * @param {number[]} secondsSpent
 * @param {number} expectedSeconds
 */
export function minutesLeft(screensLeft, secondsSpent, expectedSeconds) {
  const seconds = secondsSpent.length >= 3 ? median(secondsSpent) : expectedSeconds;
  return Math.max(1, Math.round((screensLeft * seconds) / 60));
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Whether a break is due after so much work since the last one.
 *
 * @param {BreakRules} breaks
 * @param {number} trialsSince
 * @param {number} minutesSince
 */
export function breakIsDue(breaks, trialsSince, minutesSince) {
  return (
    (breaks.after_trials !== null && trialsSince >= breaks.after_trials) ||
    (breaks.after_minutes !== null && minutesSince >= breaks.after_minutes)
  );
}
