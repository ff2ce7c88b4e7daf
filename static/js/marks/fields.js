// The texts of a screen in which raters mark errors.

import { identify, optionalPart, part } from "../parts.js";
import { Markable } from "./markable.js";

/** @import { SpansOptions } from "../work/types.js" */
/** @import { InstrumentTools } from "../instruments/contract.js" */

/** @typedef {"output" | "source"} Side */
/** @typedef {Markable} Field */
/** @typedef {{ output: Field, source?: Field }} Fields the input only where it can be marked */

/**
 * The texts that can be marked: the output, and the input where that is asked for.
 *
 * @param {HTMLElement} root
 * @param {InstrumentTools<SpansOptions>} tools
 * @param {{ onKey: (event: KeyboardEvent, side: Side) => void, onCaret: (side: Side) => void,
 *  onWritten: () => void }} listeners
 * @returns {Fields}
 */
export function mountFields(
  root,
  { options, material, words, labelledBy },
  { onKey, onCaret, onWritten },
) {
  const form = /** @type {HTMLFormElement} */ (root.closest("form"));
  const row = root.closest(".output");
  const help = identify(part(root, "[data-help]"), "help");
  /**
   * @param {HTMLElement} element
   * @param {Side} side
   */
  const make = (element, side) => {
    element.setAttribute("aria-describedby", help);
    return new Markable(element, {
      language: element.lang,
      wholeWords: options.whole_words,
      onKey: (event) => onKey(event, side),
      onCaret: () => onCaret(side),
      onWritten,
    });
  };
  const shown = row ? part(row, "[data-fill=output]") : part(form, ".judged .given");
  shown.setAttribute("aria-labelledby", labelledBy);
  /** @type {Fields} */
  const fields = { output: make(shown, "output") };
  const input = optionalPart(form, "[data-fill=input] .given");
  if (options.source && input && material.places === 1 && material.input?.kind === "text") {
    input.setAttribute("aria-label", words.in_the_input);
    fields.source = make(input, "source");
  }
  return fields;
}
