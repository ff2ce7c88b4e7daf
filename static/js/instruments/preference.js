// Two texts: which is better, or neither, or both are bad. Its answers for the two belong together.

import { part } from "../parts.js";
import { say } from "../work/notices.js";
import { createOptions, nameOption } from "./options.js";

/** @import { PreferenceOptions } from "../work/types.js" */
/** @import { MountTogether } from "./contract.js" */

const TIE = 0.5;
const BAD = "bad";

/**
 * One radio group over both texts; `extra` is the place below them for what is said of both. Under
 * long texts side by side everything is there, so that it stays in view.
 *
 * @type {MountTogether<PreferenceOptions, number | string>}
 */
export function mountTogether(roots, tools, extra) {
  const [{ options, words }] = tools;
  const isBelow = Boolean(extra.closest(".side-by-side"));
  if (isBelow) {
    for (const root of roots) /** @type {HTMLElement} */ (root.closest(".questions")).hidden = true;
    extra.append(roots[0]);
  }
  const inputs = roots.map((root, place) => {
    const label = isBelow ? say(words, "better_number", { number: place + 1 }) : words.better;
    const holder = part(isBelow ? roots[0] : root, "[data-choices]");
    return createOptions(holder, [["1", label]], "radio")[0];
  });
  const both = isBelow ? part(roots[0], "[data-choices]") : extra;
  const [tie] = options.ties ? createOptions(both, [["tie", words.tie]], "radio") : [];
  const [bad] = options.both_bad ? createOptions(both, [[BAD, words.bad]], "radio") : [];
  const all = [...inputs, tie, bad].filter(Boolean);

  all.forEach((input, index) => {
    input.name = inputs[0].name;
    const isAboutBoth = isBelow || index >= inputs.length;
    nameOption(input, isAboutBoth ? tools[0].question : tools[index].labelledBy);
    input.addEventListener("change", (event) => {
      for (const tool of tools) tool.onChange(event.timeStamp);
    });
  });
  const answered = () => all.some((input) => input.checked);

  return inputs.map((input, place) => ({
    value: () => (bad?.checked ? BAD : tie?.checked ? TIE : Number(input.checked)),
    isAnswered: answered,
    problem: () => (answered() || place > 0 ? "" : words.missing_preference),
    setValue(value) {
      if (value === 1) input.checked = true;
      if (value === TIE && tie) tie.checked = true;
      if (value === BAD && bad) bad.checked = true;
    },
    focus: () => input.focus(),
  }));
}
