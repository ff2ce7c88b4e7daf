// Errors marked in the shown text itself: by mouse, finger or keys, with a list of what was marked.

import { answerOf, faulty, isAnswered, isComplete, problem, putBack } from "../marks/answer.js";
import { createBubble } from "../marks/bubble.js";
import { mountFields } from "../marks/fields.js";
import { History } from "../marks/history.js";
import { markOrMove, onCaret, onKey } from "../marks/keys.js";
import { MarkList } from "../marks/list.js";
import {
  addMissing,
  draw,
  goBack,
  goTo,
  kindsOf,
  markOf,
  pin,
  remove,
  set,
  step,
} from "../marks/marking.js";
import { beginMoving, finishMoving } from "../marks/moving.js";
import { suggestedMarks } from "../marks/places.js";
import { mountScore } from "../marks/score.js";
import { mountChosen, mountTools } from "../marks/tools.js";
import { identify, optionalPart, part } from "../parts.js";

/** @import { Marked } from "../marks/answer.js" */
/** @import { Marking } from "../marks/marking.js" */
/** @import { ToolActions } from "../marks/tools.js" */
/** @import { SpansOptions } from "../work/types.js" */
/** @import { InstrumentTools, Mount } from "./contract.js" */

/** @type {Mount<SpansOptions, Marked>} */
export function mount(root, tools) {
  const none = mountNone(root, tools);
  const marking = createMarking(root, tools, () => settleNone(none, marking));
  const ending = {
    none,
    score: tools.options.score ? mountScore(root, scoreTools(root, tools)) : null,
  };
  const suggested = tools.material.marks?.[tools.place ?? -1] ?? [];
  marking.history.begin(suggestedMarks(suggested, marking.fields, tools.options));
  return {
    value: () => answerOf(marking, ending),
    isAnswered: () => isAnswered(marking, ending),
    isComplete: () => isComplete(marking, ending),
    problem: () => problem(marking, ending),
    faulty: () => faulty(marking, ending),
    setValue: (value) => putBack(marking, ending, value),
    focus: () => (faulty(marking, ending)[0] ?? marking.fields.output.element).focus(),
  };
}

/**
 * The score is named as such: the question is the name of the text.
 *
 * @param {HTMLElement} root
 * @param {InstrumentTools<SpansOptions>} tools
 */
function scoreTools(root, tools) {
  const name = identify(part(root, "[data-score-name]"), "label");
  return { ...tools, labelledBy: tools.labelledBy.replace(tools.question, name) };
}

/**
 * @param {HTMLElement} root
 * @param {InstrumentTools<SpansOptions>} tools
 * @param {() => void} onMarks there are other marks now
 * @returns {Marking}
 */
function createMarking(root, tools, onMarks) {
  const { options, words, onChange } = tools;
  const kinds = kindsOf(options, words);
  const said = part(root, "[data-said]");
  /** @type {Partial<Marking>} */
  const begun = {
    options,
    words,
    kinds,
    side: "output",
    here: null,
    pinned: null,
    moving: null,
    tell: (/** @type {string} */ message) => (said.textContent = message),
    onChange,
  };
  // What needs the others to be there is added to it below.
  const marking = /** @type {Marking} */ (begun);
  const show = () => {
    draw(marking);
    onMarks();
  };
  marking.history = new History({ now: () => Date.now(), onChange: show });
  marking.fields = mountFields(root, tools, {
    onKey: (event, side) => onKey(marking, event, side),
    onCaret: (side) => onCaret(marking, side),
    onWritten: show,
  });
  marking.list = mountList(part(root, "[data-marks]"), marking);
  const parts = { options, words, kinds, actions: actionsOf(marking) };
  marking.chosen = mountChosen(part(root, "[data-chosen]"), parts);
  marking.placeButton = mountTools(part(root, "[data-tools]"), parts);
  marking.bubble = createBubble(part(root, "[data-bar]"), marking.fields);
  return marking;
}

/**
 * What the buttons do.
 *
 * @param {Marking} marking
 * @returns {ToolActions}
 */
const actionsOf = (marking) => ({
  mark: (kind, time) => markOrMove(marking, kind, time),
  set: (id, changes, time) => set(marking, id, changes, time),
  remove: (id, time) => remove(marking, id, time),
  leave: () => goBack(marking),
  addMissing: (time) => addMissing(marking, time),
  finishMoving: (time) => finishMoving(marking, time),
  step: (way, time) => step(marking, way, time),
});

/**
 * @param {HTMLElement} holder
 * @param {Marking} marking
 */
function mountList(holder, marking) {
  return new MarkList(holder, {
    options: marking.options,
    words: marking.words,
    language: marking.fields.output.element.lang,
    actions: {
      set: (id, changes, time) => set(marking, id, changes, time),
      remove: (id) => remove(marking, id),
      move: (id) => beginMoving(marking, id),
      leave: (id) => goTo(marking, markOf(marking, id)),
      onTyping: marking.onChange,
      onFocus: (id) => pin(marking, id),
    },
  });
}

/**
 * The box for “no errors”, where no score is asked for.
 *
 * @param {HTMLElement} root
 * @param {InstrumentTools<SpansOptions>} tools
 */
function mountNone(root, { labelledBy, onChange }) {
  const none = optionalPart(root, "[data-none]", HTMLInputElement);
  if (!none) return null;
  none.addEventListener("change", (event) => onChange(event.timeStamp));
  none.dataset.control = "";
  const label = identify(part(root, "[data-none-label]"), "none");
  none.setAttribute("aria-labelledby", `${label} ${labelledBy}`);
  return none;
}

/**
 * A text with marks cannot be one without errors.
 *
 * @param {HTMLInputElement | null} none
 * @param {Marking} marking
 */
function settleNone(none, { history }) {
  if (!none) return;
  none.disabled = history.marks().length > 0;
  if (none.disabled) none.checked = false;
}
