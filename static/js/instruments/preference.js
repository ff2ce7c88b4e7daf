// Two texts: which is better, or neither. Its answers for the two belong together.

import { createOptions, nameOption } from "./options.js";

const TIE = 0.5;

/**
 * One radio group over both texts; `extra` is the place below them for "equally good".
 *
 * @type {import("./contract.js").MountTogether}
 */
export function mountTogether(roots, tools, extra) {
  const [{ options, words }] = tools;
  const inputs = roots.map(
    (root) =>
      createOptions(root.querySelector("[data-choices]"), [["1", words.better]], "radio")[0],
  );
  const [tie] = options.ties ? createOptions(extra, [["tie", words.tie]], "radio") : [];
  const all = tie ? [...inputs, tie] : inputs;

  all.forEach((input, index) => {
    input.name = inputs[0].name;
    nameOption(input, input === tie ? tools[0].question : tools[index].labelledBy);
    input.addEventListener("change", (event) => {
      for (const tool of tools) tool.onChange(event.timeStamp);
    });
  });
  const answered = () => all.some((input) => input.checked);

  return inputs.map((input, place) => ({
    value: () => (tie?.checked ? TIE : Number(input.checked)),
    isAnswered: answered,
    problem: () => (answered() || place > 0 ? "" : words.missing_preference),
    setValue(value) {
      if (value === 1) input.checked = true;
      if (value === TIE && tie) tie.checked = true;
    },
    focus: () => input.focus(),
  }));
}
