// The score below a list of marks.

import { createLine } from "../instruments/line.js";
import { optionalPart, part } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { SpansOptions } from "../work/types.js" */
/** @import { InstrumentTools } from "../instruments/contract.js" */

/**
 * The score below the list: a line from 0 to 100 that says its number, and what that means.
 *
 * @param {HTMLElement} root
 * @param {InstrumentTools<SpansOptions>} tools
 */
export function mountScore(root, { options, words, labelledBy, onChange }) {
  const element = part(root, "[data-score]");
  const said = part(root, "[data-score-said]");
  const anchors = options.anchors
    .map(([score, name]) => ({ score: Number(score), name }))
    .toSorted((one, other) => other.score - one.score);
  if (!options.bands) drawAnchors(root, element);
  /** @param {number | null} value */
  const text = (value) => {
    if (value === null) return words.not_set;
    const fits = ({ score = 0 }) => (options.bands ? value >= score : value === score);
    const name = anchors.find(fits)?.name;
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
 * @param {HTMLElement} root
 * @param {HTMLElement} slider
 */
function drawAnchors(root, slider) {
  const list = optionalPart(root, "[data-anchors]");
  if (!list) return;
  const points = [...list.children].sort((one, other) => scoreOf(one) - scoreOf(other));
  const scores = points.map(scoreOf);
  for (const score of scores) {
    const tick = document.createElement("span");
    tick.className = "score-tick";
    tick.style.insetInlineStart = `${score}%`;
    part(slider, "[data-handle]").before(tick);
  }
  // Each text has the part of the line that is nearest to its point.
  const middles = scores.slice(1).map((score, index) => (score + scores[index]) / 2);
  const widths = [...middles, 100].map((end, index) => end - (middles[index - 1] ?? 0));
  list.append(...points);
  list.style.setProperty("--anchors", widths.map((width) => `${width}fr`).join(" "));
}

/** @param {Element} point */
const scoreOf = (point) => Number(/** @type {HTMLElement} */ (point).dataset.anchor);
