// What keys and the caret do in a text that raters mark.

import { digitOfKey } from "../instruments/digits.js";
import {
  announceCurrent,
  currentMark,
  markHere,
  remove,
  showCurrent,
  step,
  stopMoving,
} from "./marking.js";
import { finishMoving } from "./moving.js";

/** @import { Side } from "./fields.js" */
/** @import { Kind, Marking } from "./marking.js" */

/**
 * Mark the chosen words, or put down the mark that is being moved.
 *
 * @param {Marking} marking
 * @param {Kind} kind
 * @param {DOMHighResTimeStamp} time
 */
export function markOrMove(marking, kind, time) {
  if (marking.moving === null) markHere(marking, kind, time);
  else finishMoving(marking, time);
}

// A keyboard without Latin letters has them where an American one has.
/** @type {Record<string, string>} */
const LETTERS = { KeyZ: "z", KeyY: "y" };

/**
 * What the keys with Control or Command mean anywhere.
 *
 * @param {KeyboardEvent} event
 * @returns {"undo" | "redo" | null}
 */
function stepOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }) {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : LETTERS[code];
  if (letter === "z") return shiftKey ? "redo" : "undo";
  return letter === "y" ? "redo" : null;
}

/**
 * @param {Marking} marking
 * @param {KeyboardEvent} event
 * @param {Side} side of the text that has the focus
 */
export function onKey(marking, event, side) {
  // The browser tells of the caret's new text only after a key that follows at once.
  marking.side = side;
  const { key, timeStamp: time } = event;
  const { kinds } = marking;
  const number = (digitOfKey(event) ?? 0) - 1;
  const way = stepOf(event);
  if (way) step(marking, way, time);
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (key === "Enter") markOrMove(marking, kinds[0], time);
  else if (kinds.length > 1 && number in kinds) markOrMove(marking, kinds[number], time);
  else if (key === "Delete" || key === "Backspace") removeHere(marking, time);
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
  const here = currentMark(marking);
  if (here) remove(marking, here.id, time);
}

/**
 * @param {Marking} marking
 * @param {Side} side
 */
export function onCaret(marking, side) {
  marking.side = side;
  marking.pinned = null;
  showCurrent(marking);
  announceCurrent(marking);
}
