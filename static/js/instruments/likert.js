// A fixed number of points between two ends.

import { say } from "../work/notices.js";
import { createOptions, createSingle } from "./options.js";

/** @type {import("./contract.js").Mount} */
export function mount(root, { options, words, labelledBy, onChange }) {
  /** @type {[string, string][]} */
  const points = Array.from({ length: options.points }, (_, index) => [
    String(index + 1),
    options.labels[index] ?? String(index + 1),
  ]);
  const holder = root.querySelector("[data-points]");
  holder.classList.toggle("is-labelled", options.labels.length > 0);
  const inputs = createOptions(holder, points, "radio", "point");
  if (!options.labels.length) namePoints(root, inputs, words);
  return createSingle(root, inputs, {
    missing: words.missing_choice,
    labelledBy,
    onChange,
    parse: Number,
  });
}

/**
 * A bare number says nothing to those who do not see where it is: "1 of 7: very poor".
 *
 * @param {import("./contract.js").TemplateElement} root
 * @param {HTMLInputElement[]} inputs
 * @param {Record<string, string>} words
 */
function namePoints(root, inputs, words) {
  const count = inputs.length;
  const ends = new Map([
    [1, root.querySelector("[data-low]").textContent],
    [count, root.querySelector("[data-high]").textContent],
  ]);
  inputs.forEach((input, index) => {
    const name = ends.get(index + 1);
    const values = { number: index + 1, count, name };
    input.setAttribute("aria-label", say(words, name ? "point_named" : "point", values));
  });
}
