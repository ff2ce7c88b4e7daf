// The texts of a screen in which raters mark errors.

import { identify } from "../work/screen.js";
import { createMarkable } from "./markable.js";

/**
 * @typedef {import("../instruments/contract.js").TemplateElement} TemplateElement
 * @typedef {import("../instruments/contract.js").InstrumentTools} InstrumentTools
 */

/** @typedef {"output" | "source"} Side */
/** @typedef {ReturnType<typeof createMarkable>} Field */
/** @typedef {{ output: Field, source?: Field }} Fields the input only where it can be marked */

/**
 * The texts that can be marked: the output, and the input where that is asked for.
 *
 * @param {TemplateElement} root
 * @param {InstrumentTools} tools
 * @param {{ onKey: (event: KeyboardEvent) => void, onCaret: (side: Side) => void,
 *  onWritten: () => void }} listeners
 * @returns {Fields}
 */
export function mountFields(
  root,
  { options, material, words, labelledBy },
  { onKey, onCaret, onWritten },
) {
  const form = root.closest("form");
  const row = root.closest(".output");
  const help = identify(root.querySelector("[data-help]"), "help");
  /**
   * @param {TemplateElement} element
   * @param {Side} side
   */
  const make = (element, side) => {
    element.setAttribute("aria-describedby", help);
    return createMarkable(element, {
      language: element.lang,
      wholeWords: options.whole_words,
      onKey,
      onCaret: () => onCaret(side),
      onWritten,
    });
  };
  const shown = row?.querySelector("[data-fill=output]") ?? form.querySelector(".judged .given");
  shown.setAttribute("aria-labelledby", labelledBy);
  /** @type {Fields} */
  const fields = { output: make(shown, "output") };
  const input = form.querySelector("[data-fill=input] .given");
  if (options.source && input && material.places === 1 && material.input?.kind === "text") {
    input.setAttribute("aria-label", words.in_the_input);
    fields.source = make(input, "source");
  }
  return fields;
}
