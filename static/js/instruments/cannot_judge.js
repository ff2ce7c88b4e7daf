// "I cannot judge this": a question that is answered without an answer. Loaded where it is allowed.

import { identify, optionalPart, part } from "../parts.js";
import { isDeclined } from "../work/screen.js";

/** @import { Instrument, Words } from "../work/types.js" */

/**
 * What has to be known of a question (see `Asked` in screen.js).
 *
 * @typedef {{ root: HTMLElement, labelledBy: string, instrument: Instrument,
 *   declined?: (() => void), changed: (time: DOMHighResTimeStamp) => void }} Asked
 */

/**
 * Let a box next to the instruments stand for an answer. One box belongs to several instruments
 * where they are one answer about all outputs. Who answers after all takes the tick away.
 *
 * @param {Asked[]} asked
 * @param {HTMLElement} holder
 * @param {Words} words
 */
export function mayDecline(asked, holder, words) {
  const box = part(holder, "[data-declines]", HTMLInputElement);
  const why = optionalPart(holder, "[data-why]");
  const reason = optionalPart(holder, "[data-reason]", HTMLSelectElement);
  name(box, part(holder, "[data-declines-label]"), asked[0].labelledBy);
  if (why && reason) name(reason, part(why, "span"), asked[0].labelledBy);

  function show() {
    if (why) why.hidden = !box.checked;
    for (const { root } of asked) root.classList.toggle("is-declined", box.checked);
  }
  function undecline() {
    box.checked = false;
    show();
  }
  for (const control of reason ? [box, reason] : [box]) {
    control.addEventListener("change", (event) => {
      show();
      for (const one of asked) one.changed(event.timeStamp);
    });
  }
  for (const one of asked) {
    one.declined = undecline;
    one.instrument = declinable(one.instrument);
  }

  /**
   * @param {Instrument} inner
   * @returns {Instrument}
   */
  function declinable(inner) {
    const lacksReason = () => box.checked && reason && !reason.value;
    return {
      ...inner,
      value: () => (box.checked ? { cannot_judge: reason?.value ?? "" } : inner.value()),
      isAnswered: () => box.checked || inner.isAnswered(),
      isComplete: () => (box.checked ? !lacksReason() : (inner.isComplete ?? inner.isAnswered)()),
      problem() {
        if (!box.checked) return inner.problem();
        return lacksReason() ? words.say_why : "";
      },
      faulty: () => (box.checked ? [] : (inner.faulty?.() ?? asked.map(({ root }) => root))),
      setValue(value) {
        if (!isDeclined(value)) return inner.setValue(value);
        box.checked = true;
        if (reason) reason.value = value.cannot_judge;
        return show();
      },
      focus: () => (box.checked ? (reason ?? box).focus() : inner.focus()),
    };
  }
}

/**
 * A control that several questions have is named with its question.
 *
 * @param {HTMLElement} control
 * @param {HTMLElement} label
 * @param {string} labelledBy
 */
function name(control, label, labelledBy) {
  control.setAttribute("aria-labelledby", `${identify(label, "option")} ${labelledBy}`);
}
