// Where marks are in their texts: in order, in units or code points, and which suggestions fit.

import { inUnits } from "./markable.js";

/** @import { Mark, SpansOptions } from "../work/types.js" */
/** @import { Fields, Side } from "./fields.js" */
/** @import { Place } from "./markable.js" */

/** @typedef {Mark & Place} PlacedMark */

/**
 * Those that have a place in this text.
 *
 * @param {Mark[]} marks
 * @param {Side} side
 */
export const placedMarks = (marks, side) =>
  /** @type {PlacedMark[]} */ (
    marks.filter((mark) => mark.side === side && mark.start !== null && mark.end !== null)
  );

/**
 * In the order of the text; what has no place comes last, and the input before all.
 *
 * @param {Mark} one
 * @param {Mark} other
 */
export function inOrder(one, other) {
  if (one.side !== other.side) return one.side === "source" ? -1 : 1;
  const place = (/** @type {Mark} */ { start }) => start ?? Number.MAX_SAFE_INTEGER;
  return place(one) - place(other) || one.id - other.id;
}

/**
 * A mark or an event, with its place in code points or in units.
 *
 * @template {Partial<Mark>} T
 * @param {T} one
 * @param {Fields} fields
 * @param {(text: string, offset: number) => number} convert
 * @returns {T}
 */
export function converted(one, fields, convert) {
  if (typeof one.start !== "number" || typeof one.end !== "number") return one;
  const { text } = fields[one.side ?? "output"] ?? fields.output;
  return { ...one, start: convert(text, one.start), end: convert(text, one.end) };
}

/**
 * Suggested marks, as far as raters could make them here.
 *
 * @param {Mark[]} given
 * @param {Fields} fields
 * @param {SpansOptions} options
 */
export function suggestedMarks(given, fields, options) {
  /** @type {(pairs: [string, string][], name: string) => string} */
  const known = (pairs, name) =>
    pairs.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[0] ?? "";
  /** @type {Mark[]} */
  const taken = [];
  for (const mark of given) {
    const [start, end] = [mark.start ?? 0, mark.end ?? 0];
    const isPlaced = start < end && mark.side in fields;
    const overlaps = taken.some(
      (one) => one.side === mark.side && (one.start ?? 0) < end && start < (one.end ?? 0),
    );
    if (!(isPlaced ? options.overlaps || !overlaps : mark.missing && options.missing)) continue;
    taken.push({
      ...mark,
      ...(isPlaced ? {} : { start: null, end: null, text: "", side: "output" }),
      missing: mark.missing && options.missing,
      severity: known(options.severities, mark.severity),
      category: known(options.categories, mark.category),
      note: options.notes ? mark.note.slice(0, 500) : "",
    });
  }
  const usable = taken.slice(0, options.most).map((mark) => converted(mark, fields, inUnits));
  return usable.toSorted(inOrder);
}
