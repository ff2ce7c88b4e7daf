// The marks of one text as its parts share them, and every way in which they change.

import { say } from "../participant/notices.js";
import { keysOf } from "./mark_history.js";
import { quoteOf } from "./mark_list.js";
import { inOrder, placedMarks } from "./mark_places.js";

/**
 * @typedef {import("./mark_fields.js").Fields} Fields
 * @typedef {import("./mark_fields.js").Side} Side
 * @typedef {import("./mark_history.js").Mark} Mark
 * @typedef {import("./markable.js").Place} Place
 */

/**
 * What the parts of an instrument that marks errors share.
 *
 * @typedef {object} Marking
 * @property {Record<string, any>} options
 * @property {Record<string, string>} words
 * @property {[name: string, label: string][]} severities one without a name where there are none
 * @property {Fields} fields
 * @property {ReturnType<typeof import("./mark_history.js").createHistory>} history
 * @property {ReturnType<typeof import("./mark_list.js").createList>} list
 * @property {HTMLButtonElement} placeButton
 * @property {Side} side where the caret is
 * @property {number | null} moving the mark whose place is being changed
 * @property {(message: string) => void} tell
 * @property {(time: DOMHighResTimeStamp) => void} onChange
 */

/** @typedef {Pick<Mark, "side" | "start" | "end" | "text" | "severity">} NewMark */

const NEUTRAL = "neutral"; // weighs nothing, wherever it comes in the list
const UNMARKED_LEVEL = 2; // where there are no severities

/** @param {Marking} marking */
export const fieldOf = ({ fields, side }) => fields[side] ?? fields.output;

/**
 * @param {Marking} marking
 * @param {number | null} id
 * @returns {Mark}
 */
export const markOf = ({ history }, id) =>
  /** @type {Mark} */ (history.marks().find((one) => one.id === id));

/**
 * How severe a mark looks.
 *
 * @param {Record<string, any>} options
 * @param {string} severity
 */
export function levelOf({ severities }, severity) {
  const index = severities.findIndex((/** @type {string[]} */ [name]) => name === severity);
  if (severity === NEUTRAL) return 0;
  return index < 0 ? UNMARKED_LEVEL : index + 1;
}

/**
 * Those at the caret, or at just these places.
 *
 * @param {Marking} marking
 * @param {Place} place
 */
export function marksAt({ history, side }, { start, end }) {
  return placedMarks(history.marks(), side).filter((one) =>
    start === end ? one.start <= start && start <= one.end : one.start === start && one.end === end,
  );
}

/**
 * @param {Marking} marking
 * @param {Place} place
 * @param {number | null} [but] the mark that may be there
 */
export function isTaken({ options, history, side }, { start, end }, but = null) {
  if (options.overlaps) return false;
  return placedMarks(history.marks(), side).some(
    (one) => one.id !== but && one.start < end && start < one.end,
  );
}

// Changes -------------------------------------------------------------------------------------

/**
 * @param {Marking} marking
 * @param {Mark[]} next
 * @param {string} message
 * @param {DOMHighResTimeStamp} time
 */
function changed(marking, next, message, time) {
  marking.history.change(next.toSorted(inOrder));
  marking.tell(message);
  marking.onChange(time);
}

/**
 * Mark what is selected, or the word at the caret; of an existing mark, change the severity.
 *
 * @param {Marking} marking
 * @param {string} severity
 * @param {DOMHighResTimeStamp} time
 */
export function markHere(marking, severity, time) {
  const { side, tell, words } = marking;
  const field = fieldOf(marking);
  const selected = field.selection();
  if (!selected) return tell(words.select_first);
  const isCaret = selected.start === selected.end;
  const [known] = marksAt(marking, selected);
  if (isCaret && known) return set(marking, known.id, { severity }, time);
  const place = isCaret ? field.wordAt(selected.start) : selected;
  if (!place) return tell(words.select_first);
  const { start, end } = field.snapped(place.start, place.end);
  const [same] = marksAt(marking, { start, end });
  if (same) return set(marking, same.id, { severity }, time);
  if (isTaken(marking, { start, end })) return tell(words.overlapping);
  const text = field.text.slice(start, end);
  return add(marking, { side, start, end, text, severity }, time);
}

/**
 * @param {Marking} marking
 * @param {DOMHighResTimeStamp} time
 */
export function addMissing(marking, time) {
  const severity = marking.severities.findLast(([name]) => name !== NEUTRAL)?.[0] ?? "";
  const nowhere = { side: /** @type {Side} */ ("output"), start: null, end: null, text: "" };
  add(marking, { ...nowhere, severity, missing: true }, time);
}

/**
 * @param {Marking} marking
 * @param {NewMark & { missing?: boolean }} more
 * @param {DOMHighResTimeStamp} time
 */
function add(marking, more, time) {
  const { history, list, options, words, tell } = marking;
  if (history.marks().length >= options.most) {
    tell(say(words, "too_many", { most: options.most }));
    return;
  }
  const made = { id: history.nextId(), category: "", note: "", missing: false, ...more };
  const message = say(words, "marked", { text: quoteOf(made, words) });
  changed(marking, [...history.marks(), made], message, time);
  highlight(marking, [made.id]);
  if (options.categories.length) list.entry(made.id)?.category.focus();
}

/**
 * @param {Marking} marking
 * @param {number} id
 * @param {Partial<Mark>} changes
 * @param {DOMHighResTimeStamp} time
 */
export function set(marking, id, changes, time) {
  const old = markOf(marking, id);
  const next = { ...old, ...changes };
  if (keysOf(next).every((name) => next[name] === old[name])) return;
  if ("prefilled" in next) next.confirmed = true;
  const others = marking.history.marks().map((one) => (one === old ? next : one));
  const message = say(marking.words, "changed", { text: quoteOf(next, marking.words) });
  changed(marking, others, message, time);
}

/**
 * @param {Marking} marking
 * @param {number} id
 * @param {DOMHighResTimeStamp} [time]
 */
export function remove(marking, id, time = performance.now()) {
  const gone = markOf(marking, id);
  const rest = marking.history.marks().filter((one) => one !== gone);
  const message = say(marking.words, "removed", { text: quoteOf(gone, marking.words) });
  changed(marking, rest, message, time);
  stopMoving(marking);
  goTo(marking, gone);
}

/**
 * @param {Marking} marking
 * @param {DOMHighResTimeStamp} time
 */
export function undo(marking, time) {
  stopMoving(marking);
  const { history, words } = marking;
  marking.tell(history.undo() ? words.undone : words.nothing_to_undo);
  marking.onChange(time);
}

/** @param {Marking} marking */
export function stopMoving(marking) {
  marking.moving = null;
  marking.placeButton.hidden = true;
}

// Showing -------------------------------------------------------------------------------------

/**
 * @param {Marking} marking
 * @param {number[]} ids
 */
export function highlight({ list, fields }, ids) {
  list.show(ids);
  for (const shown of Object.values(fields)) shown.show(ids);
}

/**
 * @param {Marking} marking
 * @param {Mark} one
 */
export function goTo(marking, one) {
  if (one.start === null) return marking.fields.output.focus();
  marking.side = one.side;
  fieldOf(marking).focus();
  fieldOf(marking).select(one.end ?? one.start);
  return undefined;
}

/** @param {Marking} marking */
export function draw({ fields, history, list, options }) {
  const marks = history.marks();
  list.update(marks);
  for (const [name, shown] of Object.entries(fields)) {
    const here = placedMarks(marks, /** @type {Side} */ (name));
    shown.draw(
      here.map((one) => ({
        ...one,
        level: levelOf(options, one.severity),
        isOpen: "prefilled" in one && !one.confirmed,
      })),
    );
  }
}
