// Radio buttons and tick boxes, built from the campaign's own words.

import { identify } from "../work/screen.js";

/** @typedef {import("./contract.js").TemplateElement} TemplateElement */

let groups = 0;

/**
 * A list of native inputs with their labels.
 *
 * @param {TemplateElement} holder
 * @param {[value: string, label: string][]} choices
 * @param {"radio" | "checkbox"} type
 * @param {string} [className]
 * @returns {HTMLInputElement[]}
 */
export function createOptions(holder, choices, type, className = "tick") {
  groups += 1;
  const name = `options-${groups}`;
  return choices.map(([value, label]) => {
    const wrapper = holder.ownerDocument.createElement("label");
    wrapper.className = className;
    const input = holder.ownerDocument.createElement("input");
    Object.assign(input, { type, name, value });
    input.dataset.control = "";
    const words = holder.ownerDocument.createElement("bdi");
    words.textContent = label;
    words.dir = "auto";
    wrapper.append(input, words);
    holder.append(wrapper);
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
  const words = identify(input.nextElementSibling, "option");
  input.setAttribute("aria-labelledby", `${words} ${labelledBy}`);
}

/**
 * One of several: what likert and choice share.
 *
 * @param {TemplateElement} root
 * @param {HTMLInputElement[]} inputs
 * @param {{ missing: string, labelledBy: string, parse: (value: string) => string | number,
 *   onChange: (time: DOMHighResTimeStamp) => void }} options
 * @returns {import("./contract.js").Instrument}
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
