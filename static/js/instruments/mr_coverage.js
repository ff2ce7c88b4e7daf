// Every fact of the meaning representation: mentioned, missing or wrong; and what was added.

import { identify, make, part } from "../parts.js";
import { say } from "../work/notices.js";
import { createCounter } from "./counter.js";
import { createOptions } from "./options.js";

/** @import { Material, MrCoverageOptions, Words } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

const ANSWERS = ["mentioned", "missing", "wrong"];

/** @param {Material} material */
const factsOf = ({ input }) => (input?.kind === "mr" ? input.pairs : []);

/** @type {Mount<MrCoverageOptions, { attributes: (string | null)[], added: number | null }>} */
export function mount(root, { options, material, words, labelledBy, onChange }) {
  root.setAttribute("aria-labelledby", labelledBy);
  const rows = part(root, "[data-attributes]");
  const attributes = factsOf(material).map(([name, value]) =>
    mountAttribute(rows, `${name}: ${value}`, words, onChange),
  );
  const counter = createCounter(root, { most: options.most_added, onChange });
  const label = part(root, "[data-added-label]");
  counter.number.setAttribute("aria-labelledby", `${identify(label, "added")} ${labelledBy}`);

  const isComplete = () => attributes.every((chosen) => chosen.value());
  return {
    value: () => ({
      attributes: attributes.map((chosen) => chosen.value() ?? null),
      added: Number.isFinite(counter.value()) ? counter.value() : null,
    }),
    isAnswered: () => attributes.some((chosen) => chosen.value()) || !counter.isEmpty(),
    isComplete: () => isComplete() && !counter.isEmpty(),
    /** The facts that lack an answer; the number only when it is the number that is wrong. */
    faulty() {
      const open = attributes.filter((chosen) => !chosen.value()).map(({ group }) => group);
      return counter.isValid() ? open : [...open, counter.number];
    },
    problem() {
      if (!isComplete()) return words.missing_attributes;
      if (counter.isEmpty()) return words.missing_added;
      const most = options.most_added;
      return counter.isValid() ? "" : say(words, "bad_number", { least: 0, most });
    },
    setValue(answer) {
      for (const [index, value] of answer.attributes.entries()) attributes[index]?.set(value);
      counter.setValue(answer.added ?? NaN);
    },
    focus: () => (attributes.find((chosen) => !chosen.value()) ?? counter).focus(),
  };
}

/**
 * One fact with its three answers, in a group that is named after the fact.
 *
 * @param {HTMLElement} rows
 * @param {string} fact
 * @param {Words} words
 * @param {(time: DOMHighResTimeStamp) => void} onChange
 */
function mountAttribute(rows, fact, words, onChange) {
  const group = make(rows, "fieldset");
  Object.assign(make(group, "legend", "", fact), { dir: "auto", translate: false });
  const inputs = createOptions(
    group,
    ANSWERS.map((name) => [name, words[name]]),
    "radio",
  );
  for (const input of inputs) {
    input.addEventListener("change", (event) => onChange(event.timeStamp));
  }
  return {
    group,
    value: () => inputs.find((input) => input.checked)?.value,
    /** @param {string | null} value */
    set(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
    focus: () => inputs[0].focus(),
  };
}
