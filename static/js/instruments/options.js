// Radio buttons and tick boxes, built from the campaign's own words.

import { identify } from "../participant/screen.js";

let groups = 0;

/**
 * A list of native inputs with their labels.
 * choices: [[value, label], …] · type: "radio" | "checkbox"
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

/** Name an input by the words next to it, as they are read, and by what it is about. */
export function nameOption(input, labelledBy) {
  const words = identify(input.nextElementSibling, "option");
  input.setAttribute("aria-labelledby", `${words} ${labelledBy}`);
}

/** One of several: what likert and choice share. */
export function createSingle(root, inputs, { missing, labelledBy, onChange, parse }) {
  root.setAttribute("aria-labelledby", labelledBy);
  for (const input of inputs) {
    input.addEventListener("change", (event) => onChange(event.timeStamp));
  }
  const chosen = () => inputs.find((input) => input.checked);
  return {
    value: () => parse(chosen().value),
    isAnswered: () => Boolean(chosen()),
    problem: () => (chosen() ? "" : missing),
    setValue(value) {
      for (const input of inputs) input.checked = parse(input.value) === value;
    },
    focus: () => (chosen() ?? inputs[0]).focus(),
  };
}
