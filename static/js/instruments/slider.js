// A line between two ends, without numbers.

import { identify, optionalPart, part } from "../parts.js";
import { say } from "../work/notices.js";
import { createLine } from "./line.js";

/** @import { SliderOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

const POSITIONS = 1_000;

/** @type {Mount<SliderOptions, number | null>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const { minimum, maximum } = options;
  const confirm = optionalPart(root, "[data-confirm]", HTMLInputElement);
  const start = options.start ?? (minimum + maximum) / 2;
  // Without a handle of its own accord, the box says: the middle is right.
  const saysMiddle = confirm && options.start === null;
  let touched = false;

  /** @param {number} value */
  const percent = (value) => Math.round(((value - minimum) / (maximum - minimum)) * 100);
  const line = createLine(part(root, "[role=slider]"), {
    scale: { minimum, maximum, start, step: (maximum - minimum) / POSITIONS },
    text: (value) =>
      value === null || !isAnswered()
        ? words.not_set
        : say(words, "percent", { value: percent(value) }),
    labelledBy,
    onInput(value, time) {
      touched = true;
      // A box next to a handle says that the rating is confirmed, which moving it does as well.
      if (confirm) confirm.checked = !saysMiddle;
      line.show(value);
      onChange(time);
    },
  });
  if (options.start !== null) line.show(options.start);

  if (confirm) {
    confirm.dataset.control = "";
    const label = identify(part(root, "[data-confirm-label]"), "confirm");
    confirm.setAttribute("aria-labelledby", `${label} ${labelledBy}`);
    confirm.addEventListener("change", (event) => {
      touched = false;
      if (saysMiddle) line.show(confirm.checked ? start : null);
      else line.show(line.value());
      onChange(event.timeStamp);
    });
  }

  function isAnswered() {
    return touched || Boolean(confirm?.checked);
  }
  return {
    value: () => line.value(),
    isAnswered,
    problem: () => (isAnswered() ? "" : confirm ? words.missing_confirm : words.missing_slider),
    setValue(value) {
      touched = true;
      if (confirm) confirm.checked = !saysMiddle || value === start;
      line.show(value);
    },
    focus: () => line.focus(),
  };
}
