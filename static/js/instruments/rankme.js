// RankME: a score relative to the standard, on a line that numbers can go beyond.

import { identify, part } from "../parts.js";
import { say } from "../work/notices.js";
import { digitOf, plainNumber } from "./digits.js";
import { createLine } from "./line.js";

/** @import { RankMeOptions, Words } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

const STEP = 1;

/** @type {Mount<RankMeOptions, number | null>} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const number = part(root, "[data-number]", HTMLInputElement);
  const share = `${(options.standard / options.track_end) * 100}%`;
  part(root, "[data-standard]").style.insetInlineStart = share;
  part(root, "[data-standard-label]").style.insetInlineStart = share;
  /** @type {number | null} */
  let value = null;

  const line = createLine(part(root, "[role=slider]"), {
    scale: {
      minimum: 0,
      maximum: options.track_end,
      start: options.standard,
      step: STEP,
      least: STEP, // a magnitude is above 0
      largest: options.largest,
    },
    text: (score) => spoken(score, options, words),
    labelledBy,
    onInput(score, time) {
      value = score;
      number.value = String(score);
      onChange(time);
    },
    onKey(event) {
      if (digitOf(event.key) === null || event.ctrlKey || event.metaKey || event.altKey) return;
      // The digit itself is typed into the field, because the focus moves before it arrives.
      number.value = "";
      number.focus();
    },
  });

  number.dataset.control = "";
  number.setAttribute("aria-labelledby", `${identify(number, "score")} ${labelledBy}`);
  number.addEventListener("input", (event) => {
    value = parseScore(number.value, options.largest);
    line.show(Number.isFinite(value) ? value : null);
    onChange(event.timeStamp);
  });

  return {
    value: () => value,
    isAnswered: () => number.value.trim() !== "",
    problem() {
      if (number.value.trim() === "") return words.missing_score;
      if (Number.isFinite(value)) return "";
      return say(words, "bad_score", { most: options.largest });
    },
    setValue(score) {
      value = Number.isFinite(score) ? score : null;
      number.value = String(value ?? "");
      line.show(value);
    },
    focus: () => (number.value.trim() === "" ? line.focus() : number.focus()),
  };
}

/**
 * The number in the field; NaN for anything that is none, or lies outside what is allowed.
 *
 * @param {string} text
 * @param {number} largest
 */
export function parseScore(text, largest) {
  const tidy = plainNumber(text);
  const score = /^\d+(\.\d+)?$/.test(tidy) ? Number(tidy) : NaN;
  return score > 0 && score <= largest ? score : NaN;
}

/**
 * @param {number | null} score
 * @param {RankMeOptions} options
 * @param {Words} words
 */
function spoken(score, options, words) {
  if (score === null) return words.not_set;
  return say(words, score > options.track_end ? "beyond" : "score", { value: score });
}
