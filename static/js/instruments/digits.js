// Numbers as people type them: in the digits of any script, with a decimal point or comma.

const DIGIT = /\p{Nd}/u;

/**
 * The number's text with the digits 0 to 9 and a point.
 *
 * @param {string} text
 */
export function plainNumber(text) {
  return [...text.trim()]
    .map((character) => digitOf(character) ?? character)
    .join("")
    .replace(/[,٫．，]/, ".");
}

/**
 * A script's digits follow each other from zero on, and so do scripts that lie side by side.
 *
 * @param {string} character
 */
function digitOf(character) {
  if (!DIGIT.test(character)) return null;
  const code = character.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}
