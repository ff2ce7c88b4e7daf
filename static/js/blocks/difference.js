// The words in which two texts differ, highlighted when the rater asks for it.

import { allParts, optionalPart, part } from "../parts.js";
import { announceView } from "./formatted.js";

/** @import { View } from "../work/types.js" */

/**
 * A word of a text: where it is, or the formula that is taken for one.
 *
 * @typedef {{ text: string, node: Text | Element, start: number, end: number }} Word
 */

// The table of two texts with 3,000 words each; more would hold up the page.
const LARGEST_TABLE = 9_000_000;

/**
 * Tie the button of a screen that shows exactly two outputs; on others it stays hidden.
 *
 * @param {HTMLElement} form
 */
export function tieDifference(form) {
  const button = optionalPart(form, "[data-difference]");
  const targets = allParts(form, ".output [data-fill=output]");
  if (!button || targets.length !== 2) return;
  const note = part(form, "[data-difference-note]");
  const { textContent: explanation, dataset } = note;
  let isOn = false;
  const show = () => {
    for (const target of targets) clear(target);
    note.textContent = !isOn ? "" : highlight(targets) ? explanation : (dataset.tooLong ?? "");
    button.setAttribute("aria-pressed", String(isOn));
  };
  button.hidden = false;
  note.hidden = false;
  show();
  button.addEventListener("click", (event) => {
    isOn = !isOn;
    show();
    announceView(button, { view: "difference", on: isOn }, event.timeStamp);
  });
  // A text that changes between its source and its Markdown was built again.
  form.addEventListener("view", (event) => {
    const { view } = /** @type {CustomEvent<{ view: View }>} */ (event).detail;
    if (isOn && view.view !== "difference") show();
  });
}

/**
 * Whether the texts were short enough to be compared.
 *
 * @param {HTMLElement[]} targets
 */
function highlight(targets) {
  const [one, other] = targets.map(wordsOf);
  const differing = uncommon(
    one.map(({ text }) => text),
    other.map(({ text }) => text),
  );
  if (!differing) return false;
  [one, other].forEach((words, index) => {
    // From the end, so that the places of what comes before stay right.
    for (const run of runs(words, differing[index]).reverse()) mark(run);
  });
  return true;
}

/**
 * @param {HTMLElement} target
 * @returns {Word[]}
 */
function wordsOf(target) {
  const language = /** @type {HTMLElement | null} */ (target.closest("[lang]"))?.lang;
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  const walker = document.createTreeWalker(target, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
    acceptNode: (node) =>
      node.parentElement?.closest("math") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  });
  /** @type {Word[]} */
  const words = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text) {
      for (const { segment, index } of segmenter.segment(node.data)) {
        if (segment.trim())
          words.push({ text: segment, node, start: index, end: index + segment.length });
      }
    } else if (node.nodeName === "math") {
      const formula = /** @type {Element} */ (node);
      words.push({ text: formula.textContent ?? "", node: formula, start: 0, end: 0 });
    }
  }
  return words;
}

/**
 * Which words of each text have no partner in the longest sequence that both have; null where the
 * texts are too long to find it.
 *
 * @param {string[]} one
 * @param {string[]} other
 * @returns {[boolean[], boolean[]] | null}
 */
export function uncommon(one, other) {
  let start = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  const [down, across] = [end - start, otherEnd - start];
  if ((down + 1) * (across + 1) > LARGEST_TABLE) return null;
  const differing = [one.map(() => false), other.map(() => false)];
  const longest = commonLengths(one.slice(start, end), other.slice(start, otherEnd));
  let [row, column] = [0, 0];
  while (row < down || column < across) {
    const here = row * (across + 1) + column;
    const isShared = one[start + row] === other[start + column];
    if (row < down && column < across && isShared) {
      row += 1;
      column += 1;
    } else if (column === across || (row < down && longest[here + across + 1] >= longest[here + 1]))
      differing[0][start + row++] = true;
    else differing[1][start + column++] = true;
  }
  return /** @type {[boolean[], boolean[]]} */ (differing);
}

/**
 * The length of the longest common sequence of what follows each pair of places, row by row.
 *
 * @param {string[]} one
 * @param {string[]} other
 */
function commonLengths(one, other) {
  const width = other.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const here = row * width + column;
      longest[here] =
        one[row] === other[column]
          ? longest[here + width + 1] + 1
          : Math.max(longest[here + width], longest[here + 1]);
    }
  }
  return longest;
}

/**
 * Words that follow each other in one text node are highlighted together.
 *
 * @param {Word[]} words
 * @param {boolean[]} differing
 * @returns {Word[]}
 */
function runs(words, differing) {
  /** @type {Word[]} */
  const found = [];
  words.forEach((word, index) => {
    if (!differing[index]) return;
    const last = found.at(-1);
    if (last && differing[index - 1] && last.node === word.node) last.end = word.end;
    else found.push({ ...word });
  });
  return found;
}

/** @param {Word} run */
function mark({ node, start, end }) {
  if (!(node instanceof Text)) return void node.classList.add("differs");
  const part = start ? node.splitText(start) : node;
  part.splitText(end - start);
  const wrapper = document.createElement("mark");
  wrapper.className = "differs";
  part.replaceWith(wrapper);
  wrapper.append(part);
  return undefined;
}

/** @param {HTMLElement} target */
function clear(target) {
  for (const found of target.querySelectorAll(".differs")) {
    if (found.localName === "mark") found.replaceWith(...found.childNodes);
    else found.classList.remove("differs");
  }
  target.normalize();
}
