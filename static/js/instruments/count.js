// How many: buttons for less and more, or a typed number.

import { identify } from "../work/screen.js";
import { createCounter } from "./counter.js";

/** @type {import("./contract.js").Mount} */
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
      if (counter.isValid()) return "";
      return words.bad_number.replace("{least}", "0").replace("{most}", options.most);
    },
    setValue: counter.setValue,
    focus: counter.focus,
  };
}
