// Words of the rater's own, with the same checks that the server makes.

import { part } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { TextOptions, Words } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<TextOptions, string>} */
export function mount(root, { options, material, words, labelledBy, onChange }) {
  const area = part(root, "[data-text]", HTMLTextAreaElement);
  const length = part(root, "[data-length]");
  const least = leastLength(options, material.input_length, material.input_attributes);
  area.dataset.control = "";
  area.setAttribute("aria-labelledby", labelledBy);

  const text = () => area.value.trim();
  function count() {
    const written = [...text()].length;
    const said = [say(words, "characters", { count: written })];
    if (written < least) said.push(say(words, "too_short", { least }));
    length.textContent = said.join(" · ");
  }
  count();
  area.addEventListener("input", (event) => {
    count();
    onChange(event.timeStamp);
  });

  return {
    value: text,
    isAnswered: () => text() !== "",
    problem: () =>
      text() === "" && least > 0 ? words.missing_text : problemOf(text(), options, least, words),
    setValue(value) {
      area.value = value;
      count();
    },
    focus: () => area.focus(),
  };
}

/**
 * @param {TextOptions} options
 * @param {number} [inputLength]
 * @param {number} [attributes]
 * @returns {number}
 */
export function leastLength(options, inputLength = 0, attributes = 0) {
  const ofInput =
    Math.round(options.least_of_input * inputLength) - options.less_per_attribute * attributes;
  return Math.max(options.least, ofInput);
}

/**
 * What is wrong with a text; empty when nothing is. Lengths are in characters, not code units.
 *
 * @param {string} text
 * @param {TextOptions} options
 * @param {number} least
 * @param {Words} words
 */
export function problemOf(text, options, least, words) {
  const characters = [...text];
  if (characters.length < least) return say(words, "too_short", { least });
  if (characters.length > options.most) return say(words, "too_long", { most: options.most });
  const { characters: allowed } = options;
  if (allowed === null) return "";
  const strange = characters.filter(
    (character) => !/[\p{L}\p{N}\s]/u.test(character) && !allowed.includes(character),
  );
  if (!strange.length) return "";
  return say(words, "strange_characters", { characters: [...new Set(strange)].sort().join(" ") });
}
