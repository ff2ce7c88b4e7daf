// How much a rater has in front of them to read, which decides how long they may sit still.

/**
 * Count the words of an element that are in the window.
 *
 * @param {HTMLElement} root
 */
export function wordsInView(root) {
  const { ownerDocument: document } = root;
  const height = document.documentElement.clientHeight;
  const range = document.createRange();
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (nodes.nextNode()) {
    range.selectNodeContents(nodes.currentNode);
    words += shareInView([...range.getClientRects()], height) * countWords(range.toString());
  }
  return Math.round(words);
}

/**
 * The share of a text's lines that is between the top and the bottom of the window.
 *
 * @param {DOMRect[]} lines
 * @param {number} height
 */
function shareInView(lines, height) {
  /** @param {DOMRect[]} some */
  const length = (some) => some.reduce((sum, { width }) => sum + width, 0);
  const whole = length(lines);
  return whole ? length(lines.filter(({ top, bottom }) => bottom > 0 && top < height)) / whole : 0;
}

/** @type {Intl.Segmenter | undefined} */
let segmenter;

/**
 * Words, also of languages that are written without spaces.
 *
 * @param {string} text
 */
export function countWords(text) {
  if (!Intl.Segmenter) return text.split(/\s+/).filter(Boolean).length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}
