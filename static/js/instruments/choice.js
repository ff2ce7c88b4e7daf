// Exactly one of several.

import { createOptions, createSingle } from "./options.js";

/** @type {import("./contract.js").Mount} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const holder = root.querySelector("[data-choices]");
  const inputs = createOptions(holder, options.choices, "radio");
  return createSingle(root, inputs, {
    missing: words.missing_choice,
    labelledBy,
    onChange,
    parse: String,
  });
}
