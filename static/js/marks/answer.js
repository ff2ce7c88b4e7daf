// What the marks of a text are as an answer, and what it lacks.

import { say } from "../work/notices.js";
import { inCodePoints, inUnits } from "./markable.js";
import { converted } from "./places.js";

/** @import { Mark } from "../work/types.js" */
/** @import { MarkEvent } from "./history.js" */
/** @import { Marking } from "./marking.js" */

/**
 * How an answer ends: with a score, with a box for “no errors”, or with neither of them given yet.
 *
 * @typedef {object} Ending
 * @property {ReturnType<typeof import("./score.js").mountScore> | null} score
 * @property {HTMLInputElement | null} none
 */

/** @typedef {{ marks: Mark[], events?: MarkEvent[], score?: number }} Marked */

/**
 * @param {Marking} marking
 * @param {Ending} ending
 * @returns {Marked}
 */
export function answerOf({ history, list, options, fields }, { score }) {
  const scored = score?.value() ?? null;
  return {
    marks: history
      .marks()
      .map((one) =>
        converted({ ...one, note: options.notes ? list.noteOf(one.id) : "" }, fields, inCodePoints),
      ),
    events: history.events().map((event) => converted(event, fields, inCodePoints)),
    ...(scored === null ? {} : { score: scored }),
  };
}

/**
 * Put an answer back.
 *
 * @param {Marking} marking
 * @param {Ending} ending
 * @param {Marked} value
 */
export function putBack({ history, fields }, { score, none }, value) {
  const toUnits = (/** @type {Mark} */ one) => converted(one, fields, inUnits);
  const eventToUnits = (/** @type {MarkEvent} */ event) => converted(event, fields, inUnits);
  history.begin(value.marks.map(toUnits), (value.events ?? []).map(eventToUnits));
  if (score && value.score !== undefined) score.show(value.score);
  if (none) none.checked = !value.marks.length;
}

/**
 * @param {Marking} marking
 * @param {Ending} ending
 */
export const isAnswered = ({ history }, { score, none }) =>
  history.marks().length > 0 ||
  history.events().length > 0 ||
  Boolean(none?.checked) ||
  (score?.value() ?? null) !== null;

/**
 * @param {Marking} marking
 * @param {Ending} ending
 */
export function isComplete(marking, ending) {
  if (incomplete(marking).length || openSuggestions(marking).length) return false;
  return ending.none ? isAnswered(marking, ending) : (ending.score?.value() ?? null) !== null;
}

/**
 * The suggestions that the rater has to decide about, where the campaign asks for that.
 *
 * @param {Pick<Marking, "history" | "options">} marking
 */
function openSuggestions({ history, options }) {
  return options.unconfirmed === "ask" ? history.marks().filter(isOpen) : [];
}

/** @param {Mark} one */
const isOpen = (one) => "prefilled" in one && !one.confirmed;

/**
 * The choices of marks that are not made yet.
 *
 * @param {Marking} marking
 */
function incomplete({ history, list, options }) {
  /** @type {("category" | "severity")[]} */
  const asked = ["category", "severity"];
  const lists = { category: options.categories, severity: options.severities };
  return asked
    .filter((name) => lists[name].length)
    .flatMap((name) =>
      history
        .marks()
        .filter((one) => !one[name])
        .flatMap(({ id }) => list.entry(id)?.[name] ?? []),
    );
}

/**
 * @param {Marking} marking
 * @param {Ending} ending
 */
export function problem({ history, options, words, fields }, { score, none }) {
  const marks = history.marks();
  if (options.categories.length && marks.some(({ category }) => !category)) {
    return words.missing_category;
  }
  if (options.severities.length && marks.some(({ severity }) => !severity)) {
    return words.missing_severity;
  }
  const open = openSuggestions({ history, options });
  if (open.length) return say(words, "open_suggestions", { count: open.length });
  if (none) return marks.length || none.checked ? "" : words.missing_marks;
  const scored = score?.value() ?? null;
  if (scored === null) return words.missing_score;
  const below = options.needs_mark_below;
  const own = options.unconfirmed === "leave_out" ? marks.filter((one) => !isOpen(one)) : marks;
  const isUnmarked = !own.length && fields.output.text.trim() !== "";
  if (below === null || scored >= below || !isUnmarked) return "";
  return say(words, "mark_for_score", { score: below });
}

/**
 * @param {Marking} marking
 * @param {Ending} ending
 * @returns {HTMLElement[]}
 */
export function faulty(marking, { score, none }) {
  const choices = incomplete(marking);
  if (choices.length) return choices;
  const open = openSuggestions(marking);
  if (open.length) return open.flatMap(({ id }) => marking.list.entry(id)?.confirm ?? []);
  if (none) return [none];
  return score && score.value() === null ? [score.element] : [];
}
