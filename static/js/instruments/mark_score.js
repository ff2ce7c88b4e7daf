// The score below a list of marks.

import { say } from "../participant/notices.js";
import { createLine } from "./line.js";

/**
 * @typedef {import("./contract.js").TemplateElement} TemplateElement
 * @typedef {import("./contract.js").InstrumentTools} InstrumentTools
 */

/**
 * The score below the list: a line from 0 to 100 that says its number, and what that means.
 *
 * @param {TemplateElement} root
 * @param {InstrumentTools} tools
 */
export function mountScore(root, { options, words, labelledBy, onChange }) {
  const element = root.querySelector("[data-score]");
  const said = root.querySelector("[data-score-said]");
  /** @type {[least: number, name: string][]} */
  const anchors = options.anchors
    .map((/** @type {[string, string]} */ [least, name]) => [Number(least), name])
    .toSorted((/** @type {number[]} */ one, /** @type {number[]} */ other) => other[0] - one[0]);
  /** @param {number | null} value */
  const text = (value) => {
    if (value === null) return words.not_set;
    const name = anchors.find(([least]) => value >= least)?.[1];
    return say(words, name ? "score_named" : "score_said", { value, name });
  };
  const line = createLine(element, {
    scale: { minimum: 0, maximum: 100, start: 50, step: options.score_step },
    text,
    labelledBy,
    onInput(value, time) {
      said.textContent = text(value);
      onChange(time);
    },
  });
  said.textContent = text(null);
  return {
    element,
    value: line.value,
    /** @param {number} value */
    show(value) {
      line.show(value);
      said.textContent = text(value);
    },
  };
}
