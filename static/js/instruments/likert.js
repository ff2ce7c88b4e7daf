// A fixed number of points between two ends.

import { part } from "../parts.js";
import { say } from "../work/notices.js";
import { createOptions, createSingle } from "./options.js";

/** @import { LikertOptions, Words } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<LikertOptions, string | number>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  /** @type {[string, string][]} */
  const points = Array.from({ length: options.points }, (_, index) => [
    String(index + 1),
    options.labels[index] ?? String(index + 1),
  ]);
  const holder = part(root, "[data-points]");
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
 * Say where a point is: a bare number means nothing without the picture ("1 of 7: very poor").
 *
 * @param {HTMLElement} root
 * @param {HTMLInputElement[]} inputs
 * @param {Words} words
 */
function namePoints(root, inputs, words) {
  const count = inputs.length;
  const ends = new Map([
    [1, part(root, "[data-low]").textContent],
    [count, part(root, "[data-high]").textContent],
  ]);
  inputs.forEach((input, index) => {
    const name = ends.get(index + 1);
    const values = { number: index + 1, count, name };
    input.setAttribute("aria-label", say(words, name ? "point_named" : "point", values));
  });
}
