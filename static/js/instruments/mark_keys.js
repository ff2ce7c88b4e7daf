// What keys and the caret do in a text that raters mark.

import { finishMoving } from "./mark_moving.js";
import { fieldOf, highlight, markHere, marksAt, remove, stopMoving, undo } from "./marking.js";

/**
 * @typedef {import("./marking.js").Marking} Marking
 * @typedef {import("./mark_fields.js").Side} Side
 */

/**
 * Mark with a severity, or put down the mark that is being moved.
 *
 * @param {Marking} marking
 * @param {string} severity
 * @param {DOMHighResTimeStamp} time
 */
export function markOrMove(marking, severity, time) {
  if (marking.moving === null) markHere(marking, severity, time);
  else finishMoving(marking, time);
}

/**
 * @param {Marking} marking
 * @param {KeyboardEvent} event
 */
export function onKey(marking, event) {
  const { key, timeStamp: time } = event;
  const { severities, options } = marking;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && !event.altKey && key.toLowerCase() === "z") {
    event.preventDefault();
    return undo(marking, time);
  }
  if (isCommand || event.altKey) return;
  const number = Number(key) - 1;
  if (key === "Enter") markOrMove(marking, severities[0][0], time);
  else if (options.severities.length && number in severities) {
    markOrMove(marking, severities[number][0], time);
  } else if (key === "Delete" || key === "Backspace") removeHere(marking, time);
  else if (key === "Escape") stopMoving(marking);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * @param {Marking} marking
 * @param {DOMHighResTimeStamp} time
 */
function removeHere(marking, time) {
  const selected = fieldOf(marking).selection();
  const [here] = selected ? marksAt(marking, selected) : [];
  if (here) remove(marking, here.id, time);
}

/**
 * @param {Marking} marking
 * @param {Side} side
 */
export function onCaret(marking, side) {
  marking.side = side;
  const selected = fieldOf(marking).selection();
  const here = selected ? marksAt(marking, selected) : [];
  if (selected) {
    highlight(
      marking,
      here.map(({ id }) => id),
    );
  }
}
