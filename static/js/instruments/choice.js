// Exactly one of several.

import { part } from "../parts.js";
import { createOptions, createSingle } from "./options.js";

/** @import { ChoiceOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<ChoiceOptions, string | number>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const inputs = createOptions(part(root, "[data-choices]"), options.choices, "radio");
  const missing = words.missing_choice;
  return createSingle(root, inputs, { missing, labelledBy, onChange, parse: String });
}
