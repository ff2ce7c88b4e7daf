// The score below a list of marks.

import { createLine } from "../instruments/line.js";
import { say } from "../work/notices.js";

/**
 * @typedef {import("../instruments/contract.js").TemplateElement} TemplateElement
 * @typedef {import("../instruments/contract.js").InstrumentTools} InstrumentTools
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
  /** @type {[score: number, name: string][]} */
  const anchors = options.anchors
    .map((/** @type {[string, string]} */ [score, name]) => [Number(score), name])
    .toSorted((/** @type {number[]} */ one, /** @type {number[]} */ other) => other[0] - one[0]);
  if (!options.bands) drawAnchors(root, element);
  /** @param {number | null} value */
  const text = (value) => {
    if (value === null) return words.not_set;
    const name = anchors.find(([score]) => (options.bands ? value >= score : value === score))?.[1];
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

/**
 * The points of the line that have a meaning, before anybody touches it. The words are below it.
 *
 * @param {TemplateElement} root
 * @param {TemplateElement} slider
 */
function drawAnchors(root, slider) {
  const list = root.querySelector("[data-anchors]");
  if (!list) return;
  const points = [...list.children].sort((one, other) => scoreOf(one) - scoreOf(other));
  const scores = points.map(scoreOf);
  for (const score of scores) {
    const tick = slider.ownerDocument.createElement("span");
    tick.className = "score-tick";
    tick.style.insetInlineStart = `${score}%`;
    slider.querySelector("[data-handle]").before(tick);
  }
  // Each text has the part of the line that is nearest to its point.
  const middles = scores.slice(1).map((score, index) => (score + scores[index]) / 2);
  const widths = [...middles, 100].map((end, index) => end - (middles[index - 1] ?? 0));
  list.append(...points);
  list.style.setProperty("--anchors", widths.map((width) => `${width}fr`).join(" "));
}

/** @param {Element} point */
const scoreOf = (point) => Number(/** @type {HTMLElement} */ (point).dataset.anchor);
