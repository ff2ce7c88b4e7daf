// The best and the worst of several texts. The answers for all of them belong together.

import { part } from "../parts.js";
import { createOptions, nameOption } from "./options.js";

/** @import { MountTogether } from "./contract.js" */

/**
 * Two radio groups over all texts; a text cannot be both.
 *
 * @type {MountTogether<Record<string, never>, number>}
 */
export function mountTogether(roots, tools) {
  const { words } = tools[0];
  const columns = ["best", "worst"].map((kind) =>
    roots.map((root) => {
      /** @type {[string, string][]} */
      const choices = [[kind, words[kind]]];
      return createOptions(part(root, "[data-choices]"), choices, "radio")[0];
    }),
  );
  const [best, worst] = columns;

  for (const inputs of columns) {
    const others = inputs === best ? worst : best;
    inputs.forEach((input, place) => {
      input.name = inputs[0].name;
      nameOption(input, tools[place].labelledBy);
      input.addEventListener("change", (event) => {
        others[place].checked = false;
        for (const tool of tools) tool.onChange(event.timeStamp);
      });
    });
  }
  const isComplete = () => columns.every((inputs) => inputs.some((input) => input.checked));

  return roots.map((_, place) => ({
    value: () => Number(best[place].checked) - Number(worst[place].checked),
    isAnswered: () => columns.some((inputs) => inputs.some((input) => input.checked)),
    isComplete,
    problem: () => (isComplete() || place > 0 ? "" : words.missing_best_worst),
    setValue(value) {
      best[place].checked = value === 1;
      worst[place].checked = value === -1;
    },
    focus: () => best[place].focus(),
  }));
}
