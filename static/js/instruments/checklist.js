// Any of several, or explicitly none of them.

import { part } from "../parts.js";
import { createOptions } from "./options.js";

/** @import { ChecklistOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<ChecklistOptions, string[]>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const holder = part(root, "[data-choices]");
  const boxes = createOptions(holder, options.choices, "checkbox");
  const [none] = options.none ? createOptions(holder, [["", options.none]], "checkbox") : [];
  root.setAttribute("aria-labelledby", labelledBy);

  for (const box of boxes) {
    box.addEventListener("change", (event) => {
      if (none && box.checked) none.checked = false;
      onChange(event.timeStamp);
    });
  }
  none?.addEventListener("change", (event) => {
    if (none.checked) for (const box of boxes) box.checked = false;
    onChange(event.timeStamp);
  });

  const ticked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const isAnswered = () => !none || none.checked || ticked().length > 0;
  return {
    value: ticked,
    isAnswered,
    problem: () => (isAnswered() ? "" : words.missing_ticks),
    setValue(names) {
      for (const box of boxes) box.checked = names.includes(box.value);
      if (none) none.checked = names.length === 0;
    },
    focus: () => boxes[0].focus(),
  };
}
