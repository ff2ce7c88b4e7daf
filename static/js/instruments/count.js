// How many: buttons for less and more, or a typed number.

import { identify } from "../parts.js";
import { say } from "../work/notices.js";
import { createCounter } from "./counter.js";

/** @import { CountOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<CountOptions, number>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  root.setAttribute("role", "group");
  root.setAttribute("aria-labelledby", labelledBy);
  const counter = createCounter(root, { most: options.most, onChange });
  const ownName = identify(counter.number, "number");
  counter.number.setAttribute("aria-labelledby", `${ownName} ${labelledBy}`);
  return {
    value: counter.value,
    isAnswered: () => !counter.isEmpty(),
    problem() {
      if (counter.isEmpty()) return words.missing_count;
      return counter.isValid() ? "" : say(words, "bad_number", { least: 0, most: options.most });
    },
    setValue: counter.setValue,
    focus: counter.focus,
  };
}
