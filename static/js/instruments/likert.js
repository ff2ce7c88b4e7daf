// A fixed number of points between two ends.

import { createOptions, createSingle } from "./options.js";

export function mount(root, { options, words, labelledBy, onChange }) {
  const points = Array.from({ length: options.points }, (_, index) => [
    String(index + 1),
    options.labels[index] ?? String(index + 1),
  ]);
  const inputs = createOptions(root.querySelector("[data-points]"), points, "radio", "point");
  return createSingle(root, inputs, {
    missing: words.missing_choice,
    labelledBy,
    onChange,
    parse: Number,
  });
}
