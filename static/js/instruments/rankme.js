// RankME: a score relative to the standard, on a line that numbers can go beyond.

import { identify } from "../work/screen.js";
import { plainNumber } from "./digits.js";
import { createLine } from "./line.js";

const STEP = 1;

/** @type {import("./contract.js").Mount} */
export function mount(root, { options, words, labelledBy, onChange }) {
  const number = root.querySelector("[data-number]");
  const share = `${(options.standard / options.track_end) * 100}%`;
  root.querySelector("[data-standard]").style.insetInlineStart = share;
  root.querySelector("[data-standard-label]").style.insetInlineStart = share;
  /** @type {number | null} */
  let value = null;

  const line = createLine(root.querySelector("[role=slider]"), {
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
      if (!/^\p{Nd}$/u.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      // The digit itself is typed into the field, because the focus moves before it arrives.
      number.value = "";
      number.focus();
    },
  });

  number.dataset.control = "";
  number.setAttribute("aria-labelledby", `${identify(number, "score")} ${labelledBy}`);
  number.addEventListener("input", (/** @type {Event} */ event) => {
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
      return words.bad_score.replace("{most}", options.largest);
    },
    setValue(score) {
      value = Number.isFinite(score) ? score : null;
      number.value = value === null ? "" : String(value);
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
 * @param {Record<string, any>} options
 * @param {Record<string, string>} words
 */
function spoken(score, options, words) {
  if (score === null) return words.not_set;
  const sentence = score > options.track_end ? words.beyond : words.score;
  return sentence.replace("{value}", String(score));
}
