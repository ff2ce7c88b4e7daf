// Words of the rater's own, with the same checks that the server makes.

/** @type {import("./contract.js").Mount} */
export function mount(root, { options, material, words, labelledBy, onChange }) {
  const area = root.querySelector("[data-text]");
  const length = root.querySelector("[data-length]");
  const least = leastLength(options, material.input_length, material.input_attributes);
  area.dataset.control = "";
  area.setAttribute("aria-labelledby", labelledBy);

  const text = () => area.value.trim();
  function count() {
    const written = [...text()].length;
    const said = [words.characters.replace("{count}", String(written))];
    if (written < least) said.push(words.too_short.replace("{least}", String(least)));
    length.textContent = said.join(" · ");
  }
  count();
  area.addEventListener("input", (/** @type {Event} */ event) => {
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
 * @param {Record<string, any>} options
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
 * @param {Record<string, any>} options
 * @param {number} least
 * @param {Record<string, string>} words
 */
export function problemOf(text, options, least, words) {
  const characters = [...text];
  if (characters.length < least) return words.too_short.replace("{least}", String(least));
  if (characters.length > options.most) return words.too_long.replace("{most}", options.most);
  if (options.characters === null) return "";
  const strange = characters.filter(
    (character) => !/[\p{L}\p{N}\s]/u.test(character) && !options.characters.includes(character),
  );
  if (!strange.length) return "";
  return words.strange_characters.replace("{characters}", [...new Set(strange)].sort().join(" "));
}
