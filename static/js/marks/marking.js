// The marks of one text as its parts share them, and every way in which they change.

import { say } from "../work/notices.js";
import { keysOf } from "./history.js";
import { quoteOf } from "./list.js";
import { inOrder, placedMarks } from "./places.js";

/** @import { Mark, SpansOptions, Stamp, Words } from "../work/types.js" */
/** @import { Field, Fields, Side } from "./fields.js" */
/** @import { Place } from "./markable.js" */

/**
 * What a button or a number key marks words as.
 *
 * @typedef {object} Kind
 * @property {string} label
 * @property {Partial<Mark>} changes its severity; or its category, where there are no severities
 * @property {number} level how severe it looks
 */

/**
 * What the parts of an instrument that marks errors share.
 *
 * @typedef {object} Marking
 * @property {SpansOptions} options
 * @property {Words} words
 * @property {Kind[]} kinds the first is that of the Enter key
 * @property {Fields} fields
 * @property {import("./history.js").History} history
 * @property {import("./list.js").MarkList} list
 * @property {ReturnType<typeof import("./tools.js").mountChosen>} chosen
 * @property {ReturnType<typeof import("./bubble.js").createBubble>} bubble
 * @property {HTMLButtonElement} placeButton
 * @property {Side} side where the caret is
 * @property {number | null} here the mark that was announced last
 * @property {number | null} pinned the mark whose entry in the list has, or had, the focus
 * @property {number | null} moving the mark whose place is being changed
 * @property {(message: string) => void} tell
 * @property {(time: Stamp) => void} onChange
 */

/** @typedef {Partial<Mark> & Pick<Mark, "side" | "start" | "end" | "text">} NewMark */

const NEUTRAL = "neutral"; // weighs nothing, wherever it comes in the list
const UNMARKED_LEVEL = 2; // where there are no severities
const MOST_NUMBER_KEYS = 9;

/**
 * @param {SpansOptions} options
 * @param {Words} words
 * @returns {Kind[]}
 */
export function kindsOf(options, words) {
  const { severities, categories } = options;
  const isByCategory = !severities.length && categories.length <= MOST_NUMBER_KEYS;
  const name = isByCategory ? "category" : "severity";
  /** @type {[string, string][]} */
  const choices = isByCategory ? categories : severities;
  if (!choices.length) return [{ label: words.mark, changes: {}, level: UNMARKED_LEVEL }];
  return choices.map(([path, label]) => ({
    label: label || (path.split("/").at(-1) ?? path),
    changes: { [name]: path },
    level: isByCategory ? UNMARKED_LEVEL : levelOf(options, path),
  }));
}

/**
 * What raters read for the severity and the category of a mark.
 *
 * @param {SpansOptions} options
 * @param {Mark} mark
 */
export function nameOf({ severities, categories }, { severity, category }) {
  /** @type {(pairs: [string, string][], path: string) => string} */
  const labelOf = (pairs, path) => pairs.find(([one]) => one === path)?.[1] || path;
  return [labelOf(severities, severity), labelOf(categories, category)].filter(Boolean).join(" · ");
}

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
 * @param {SpansOptions} options
 * @param {string} severity
 */
export function levelOf({ severities }, severity) {
  const index = severities.findIndex(([name]) => name === severity);
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

/**
 * What is selected, or the word at the caret, as it would be marked.
 *
 * @param {Field} field
 */
function chosenPlace(field) {
  const selected = field.selection();
  if (!selected) return null;
  const isCaret = selected.start === selected.end;
  const place = isCaret ? field.wordAt(selected.start) : selected;
  return place && field.snapped(place.start, place.end);
}

/**
 * The mark that the list or the caret is at.
 *
 * @param {Marking} marking
 * @returns {Mark | undefined}
 */
export function currentMark(marking) {
  if (marking.pinned !== null) return markOf(marking, marking.pinned);
  const field = fieldOf(marking);
  const [selected, chosen] = [field.selection(), chosenPlace(field)];
  const [here] = [selected, chosen].flatMap((place) => (place ? marksAt(marking, place) : []));
  return here;
}

// Changes -------------------------------------------------------------------------------------

/**
 * @param {Marking} marking
 * @param {Mark[]} next
 * @param {string} message
 * @param {Stamp} time
 */
function changed(marking, next, message, time) {
  marking.history.change(next.toSorted(inOrder));
  if (message) marking.tell(message);
  marking.onChange(time);
}

/**
 * Mark what is selected, or the word at the caret; an existing mark becomes one of this kind.
 *
 * @param {Marking} marking
 * @param {Kind} kind
 * @param {Stamp} time
 */
export function markHere(marking, { changes }, time) {
  const { side, tell, words } = marking;
  const known = currentMark(marking);
  if (known) return set(marking, known.id, changes, time);
  const field = fieldOf(marking);
  const place = chosenPlace(field);
  if (!place) return tell(words.select_first);
  const { start, end } = place;
  if (isTaken(marking, place)) return tell(words.overlapping);
  const text = field.text.slice(start, end);
  return add(marking, { side, start, end, text, ...changes }, time);
}

/**
 * @param {Marking} marking
 * @param {Stamp} time
 */
export function addMissing(marking, time) {
  const names = marking.options.severities.map(([name]) => name);
  const severity = names.findLast((name) => name !== NEUTRAL) ?? "";
  add(marking, { side: "output", start: null, end: null, text: "", severity, missing: true }, time);
  marking.here = null; // the caret's mark is said again when the caret comes back to it
}

/**
 * @param {Marking} marking
 * @param {NewMark} more
 * @param {Stamp} time
 */
function add(marking, more, time) {
  const { history, list, options, words, tell, chosen } = marking;
  if (history.marks().length >= options.most) {
    tell(say(words, "too_many", { most: options.most }));
    return;
  }
  const unset = { severity: "", category: "", note: "", missing: false };
  const made = { id: history.nextId(), ...unset, ...more };
  const message = say(words, "marked", { text: quoteOf(made, words) });
  changed(marking, [...history.marks(), made], message, time);
  if (!options.categories.length || made.category) return;
  const { category } = made.start === null ? (list.entry(made.id) ?? chosen) : chosen;
  category.focus();
}

/**
 * @param {Marking} marking
 * @param {number} id
 * @param {Partial<Mark>} changes
 * @param {Stamp} time
 */
export function set(marking, id, changes, time) {
  const old = markOf(marking, id);
  const next = { ...old, ...changes };
  if (keysOf(next).every((name) => next[name] === old[name])) return;
  if ("prefilled" in next) next.confirmed = true;
  const others = marking.history.marks().map((one) => (one === old ? next : one));
  // A note can be read where it is. It changes when the focus leaves it, often because of a press on
  // something below, which a longer message would move away.
  const message =
    "note" in changes ? "" : say(marking.words, "changed", { text: quoteOf(next, marking.words) });
  changed(marking, others, message, time);
}

/**
 * @param {Marking} marking
 * @param {number} id
 * @param {Stamp} [time]
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
 * Undo the last change, or make the one again that was undone last.
 *
 * @param {Marking} marking
 * @param {"undo" | "redo"} way
 * @param {Stamp} time
 */
export function step(marking, way, time) {
  stopMoving(marking);
  const { history, words } = marking;
  const isDone = history[way]();
  if (way === "undo") marking.tell(isDone ? words.undone : words.nothing_to_undo);
  else marking.tell(isDone ? words.redone : words.nothing_to_redo);
  marking.onChange(time);
}

/** @param {Marking} marking */
export function stopMoving(marking) {
  marking.moving = null;
  marking.placeButton.hidden = true;
}

// Showing -------------------------------------------------------------------------------------

/**
 * Show which mark is current, or the words that would be marked.
 *
 * @param {Marking} marking
 */
export function showCurrent(marking) {
  const field = fieldOf(marking);
  const mark = currentMark(marking);
  const [placed] = mark ? placedMarks([mark], mark.side) : [];
  const place = placed ?? chosenPlace(field);
  for (const other of Object.values(marking.fields)) other.choose(null);
  if (!mark) field.choose(place);
  highlight(marking, mark ? [mark.id] : []);
  marking.chosen.show(mark);
  marking.bubble.goTo(field, place);
}

/**
 * @param {Marking} marking
 * @param {number[]} ids
 */
function highlight({ list, fields }, ids) {
  list.show(ids);
  for (const shown of Object.values(fields)) shown.show(ids);
}

/**
 * The entry of a mark in the list has the focus.
 *
 * @param {Marking} marking
 * @param {number} id
 */
export function pin(marking, id) {
  marking.pinned = id;
  marking.side = markOf(marking, id).side;
  showCurrent(marking);
}

/**
 * @param {Marking} marking
 * @param {Mark} one
 */
export function goTo(marking, one) {
  if (one.start === null) return marking.fields.output.element.focus();
  marking.side = one.side;
  return fieldOf(marking).goTo(one.end ?? one.start);
}

/**
 * Say which mark the caret has come to.
 *
 * @param {Marking} marking
 */
export function announceCurrent(marking) {
  const { tell, options, history, words } = marking;
  const mark = currentMark(marking);
  if (mark && mark.id !== marking.here) {
    const text = [quoteOf(mark, words), nameOf(options, mark)].filter(Boolean).join(", ");
    const [number, count] = [history.marks().indexOf(mark) + 1, history.marks().length];
    tell(say(words, "mark_here", { number, count, text }));
  }
  marking.here = mark?.id ?? null;
}

/**
 * Back to the text, where the caret was.
 *
 * @param {Marking} marking
 */
export function goBack(marking) {
  const selected = fieldOf(marking).selection();
  if (selected) fieldOf(marking).goTo(selected.start, selected.end);
}

/** @param {Marking} marking */
export function draw(marking) {
  const { fields, history, list, options } = marking;
  const marks = history.marks();
  list.update(marks);
  for (const [name, shown] of Object.entries(fields)) {
    const here = placedMarks(marks, /** @type {Side} */ (name));
    shown.draw(
      here.map((one) => ({
        ...one,
        level: levelOf(options, one.severity),
        name: nameOf(options, one),
        isOpen: "prefilled" in one && !one.confirmed,
      })),
    );
  }
  if (marking.pinned !== null && !markOf(marking, marking.pinned)) marking.pinned = null;
  showCurrent(marking);
}
