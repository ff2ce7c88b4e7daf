// Numbers as people type them: in the digits of any script, with a decimal point or comma.

const DIGIT = /^\p{Nd}$/u;

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
 * The digit on a key, also where it takes Shift, as on Czech and French keyboards; null without one.
 *
 * @param {Pick<KeyboardEvent, "key" | "code" | "shiftKey">} event
 */
export function digitOfKey({ key, code, shiftKey }) {
  const isPlace = !shiftKey && /^Digit\d$/.test(code);
  return digitOf(key) ?? (isPlace ? Number(code.at(-1)) : null);
}

/**
 * The value of a digit; null for anything else. A script's digits follow each other from zero on, and
 * so do scripts that lie side by side.
 *
 * @param {string} character
 */
export function digitOf(character) {
  if (!DIGIT.test(character)) return null;
  const code = character.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}
