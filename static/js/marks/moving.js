// A mark that gets another place: its words are selected, and others are selected instead.

import { say } from "../work/notices.js";
import { fieldOf, goTo, isTaken, markOf, set, stopMoving } from "./marking.js";

/** @import { Mark } from "../work/types.js" */
/** @import { Place } from "./markable.js" */
/** @import { Marking } from "./marking.js" */
/** @import { PlacedMark } from "./places.js" */

/**
 * @param {Marking} marking
 * @param {number} id
 */
export function beginMoving(marking, id) {
  const one = markOf(marking, id);
  marking.moving = id;
  marking.placeButton.hidden = false;
  marking.side = one.side;
  fieldOf(marking).goTo(one.start ?? 0, one.end ?? 0);
  marking.tell(say(marking.words, "move_now", { name: marking.words.place_here }));
}

/**
 * @param {Marking} marking
 * @param {DOMHighResTimeStamp} time
 */
export function finishMoving(marking, time) {
  const { tell, words, side, moving } = marking;
  const one = markOf(marking, moving);
  const field = fieldOf(marking);
  const selected = field.selection();
  if (!selected) return tell(words.select_first);
  const isCaret = selected.start === selected.end;
  const place = isCaret ? reaching(marking, one, selected.start) : selected;
  const { start, end } = field.snapped(place.start, place.end);
  if (side !== one.side || start === end) return tell(words.select_first);
  if (isTaken(marking, { start, end }, one.id)) return tell(words.overlapping);
  stopMoving(marking);
  set(marking, one.id, { start, end, text: field.text.slice(start, end) }, time);
  return goTo(marking, markOf(marking, one.id));
}

/**
 * Where a mark goes that the rater lengthens or shortens by a tap: the nearer end moves.
 *
 * @param {Marking} marking
 * @param {Mark} one
 * @param {number} caret
 * @returns {Place}
 */
function reaching(marking, one, caret) {
  const { start, end } = /** @type {PlacedMark} */ (one);
  const word = fieldOf(marking).wordAt(caret) ?? { start: caret, end: caret };
  if (caret < start) return { start: word.start, end };
  if (caret > end) return { start, end: word.end };
  return caret - start < end - caret ? { start: caret, end } : { start, end: caret };
}
