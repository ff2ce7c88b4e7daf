// A whole number with buttons for less and more.

import { plainNumber } from "./digits.js";

/** root holds [data-number], [data-less] and [data-more]; onChange(event time). */
export function createCounter(root, { most, onChange }) {
  const number = root.querySelector("[data-number]");
  number.dataset.control = "";

  function value() {
    const typed = plainNumber(number.value);
    return /^\d+$/.test(typed) ? Number(typed) : NaN;
  }

  function step(by, time) {
    const from = Number.isFinite(value()) ? value() : 0;
    number.value = String(Math.min(most, Math.max(0, from + by)));
    onChange(time);
  }

  root.querySelector("[data-less]").addEventListener("click", (event) => step(-1, event.timeStamp));
  root.querySelector("[data-more]").addEventListener("click", (event) => step(1, event.timeStamp));
  number.addEventListener("input", (event) => onChange(event.timeStamp));
  number.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by, event.timeStamp);
  });

  return {
    number,
    value,
    isEmpty: () => number.value.trim() === "",
    isValid: () => value() <= most,
    setValue(count) {
      number.value = Number.isFinite(count) ? String(count) : "";
    },
    focus: () => number.focus(),
  };
}
