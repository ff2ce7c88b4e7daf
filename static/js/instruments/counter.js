// A whole number with buttons for less and more.

import { part } from "../parts.js";
import { plainNumber } from "./digits.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/**
 * @param {HTMLElement} root holds [data-number], [data-less] and
 *   [data-more]
 * @param {{ most: number, onChange: (time: DOMHighResTimeStamp) => void }} options
 */
export function createCounter(root, { most, onChange }) {
  const number = part(root, "[data-number]", HTMLInputElement);
  number.dataset.control = "";

  function value() {
    const typed = plainNumber(number.value);
    return /^\d+$/.test(typed) ? Number(typed) : NaN;
  }

  /**
   * @param {number} by
   * @param {DOMHighResTimeStamp} time
   */
  function step(by, time) {
    const from = Number.isFinite(value()) ? value() : 0;
    number.value = String(Math.min(most, Math.max(0, from + by)));
    onChange(time);
  }

  part(root, "[data-less]").addEventListener("click", (event) => step(-1, event.timeStamp));
  part(root, "[data-more]").addEventListener("click", (event) => step(1, event.timeStamp));
  number.addEventListener("input", (event) => onChange(event.timeStamp));
  number.addEventListener("keydown", (event) => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    step(by, event.timeStamp);
  });

  return {
    number,
    value,
    isEmpty: () => number.value.trim() === "",
    isValid: () => value() <= most,
    /** @param {number} count */
    setValue(count) {
      number.value = Number.isFinite(count) ? String(count) : "";
    },
    focus: () => number.focus(),
  };
}
