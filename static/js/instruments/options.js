// Radio buttons and tick boxes, built from the campaign's own words.

import { identify, make } from "../parts.js";

/** @import { Instrument } from "./contract.js" */

let groups = 0;

/**
 * A list of native inputs with their labels.
 *
 * @param {HTMLElement} holder
 * @param {[value: string, label: string][]} choices
 * @param {"radio" | "checkbox"} type
 * @param {string} [className]
 * @returns {HTMLInputElement[]}
 */
export function createOptions(holder, choices, type, className = "tick") {
  groups += 1;
  const name = `options-${groups}`;
  return choices.map(([value, label]) => {
    const wrapper = make(holder, "label", className);
    const input = make(wrapper, "input");
    Object.assign(input, { type, name, value });
    input.dataset.control = "";
    make(wrapper, "bdi", "", label).dir = "auto";
    return input;
  });
}

/**
 * Name an input by the words next to it, as they are read, and by what it is about.
 *
 * @param {HTMLInputElement} input
 * @param {string} labelledBy
 */
export function nameOption(input, labelledBy) {
  const words = identify(/** @type {Element} */ (input.nextElementSibling), "option");
  input.setAttribute("aria-labelledby", `${words} ${labelledBy}`);
}

/**
 * One of several: what likert and choice share.
 *
 * @param {HTMLElement} root
 * @param {HTMLInputElement[]} inputs
 * @param {{ missing: string, labelledBy: string, parse: (value: string) => string | number,
 *   onChange: (time: DOMHighResTimeStamp) => void }} options
 * @returns {Instrument<string | number>}
 */
export function createSingle(root, inputs, { missing, labelledBy, onChange, parse }) {
  root.setAttribute("aria-labelledby", labelledBy);
  for (const input of inputs) {
    input.addEventListener("change", (event) => onChange(event.timeStamp));
  }
  const chosen = () => inputs.find((input) => input.checked);
  return {
    value: () => parse(chosen()?.value ?? ""),
    isAnswered: () => Boolean(chosen()),
    problem: () => (chosen() ? "" : missing),
    setValue(value) {
      for (const input of inputs) input.checked = parse(input.value) === value;
    },
    focus: () => (chosen() ?? inputs[0]).focus(),
  };
}
