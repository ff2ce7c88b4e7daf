// A text in which places can be marked: a caret for the keyboard, places in UTF-16 units.

/** @typedef {{ start: number, end: number }} Place */

/**
 * @typedef {object} MarkableOptions
 * @property {string} language
 * @property {boolean} wholeWords
 * @property {(event: KeyboardEvent) => void} onKey
 * @property {() => void} onCaret the caret has moved
 * @property {() => void} onWritten draw the text again
 */

/** @typedef {Place & { id: number, level: number, isOpen: boolean, name: string }} DrawnMark */

const CHOSEN = "chosen-words"; // as ::highlight() in the style sheet calls them

/**
 * Make an element with a text a field that nobody can write into: the browser then brings a caret,
 * selection by mouse, finger and keys, and reading by screen readers, in every script.
 */
export class Markable {
  #characters;
  #words;
  #wholeWords;
  #onCaret;
  /** @type {Place | null} */
  #selected = null;
  /** @type {Place | null} */
  #chosen = null;
  /** @type {number[]} */
  #current = [];
  /** @type {Highlight | null} */
  #shine = null;

  /**
   * @param {HTMLElement} element
   * @param {MarkableOptions} options
   */
  constructor(element, { language, wholeWords, onKey, onCaret, onWritten }) {
    this.element = element;
    this.text = element.textContent ?? "";
    this.#characters = boundaries(this.text, "grapheme", language);
    this.#words = boundaries(this.text, "word", language);
    this.#wholeWords = wholeWords;
    this.#onCaret = onCaret;
    makeField(element);
    element.addEventListener("keydown", onKey);
    // Writing with an input method cannot be refused beforehand: the text comes back.
    element.addEventListener("input", onWritten);
    document.addEventListener("selectionchange", this.#noteSelection);
  }

  #noteSelection = () => {
    if (!this.element.isConnected) {
      document.removeEventListener("selectionchange", this.#noteSelection);
    } else if (this.#readSelection()) this.#onCaret();
  };

  /** Look where the caret is; what was selected before is kept while it is elsewhere. */
  #readSelection() {
    const selection = getSelection();
    if (!selection?.anchorNode || !selection.focusNode) return false;
    const { anchorNode, focusNode, anchorOffset, focusOffset } = selection;
    if (!this.element.contains(anchorNode) || !this.element.contains(focusNode)) return false;
    const ends = [this.#offsetOf(anchorNode, anchorOffset), this.#offsetOf(focusNode, focusOffset)];
    this.#selected = { start: Math.min(...ends), end: Math.max(...ends) };
    return true;
  }

  /**
   * How many units are before a place in the element.
   *
   * @param {Node} node
   * @param {number} offset
   */
  #offsetOf(node, offset) {
    const range = document.createRange();
    range.setStart(this.element, 0);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  /**
   * @param {number} offset
   * @returns {[Node, number]}
   */
  #placeOf(offset) {
    let left = offset;
    const walker = document.createTreeWalker(this.element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { length } = node.nodeValue ?? "";
      if (left <= length) return [node, left];
      left -= length;
    }
    return [this.element, this.element.childNodes.length];
  }

  /**
   * @param {number} start
   * @param {number} [end]
   */
  select(start, end = start) {
    getSelection()?.setBaseAndExtent(...this.#placeOf(start), ...this.#placeOf(end));
    this.#selected = { start, end };
  }

  /**
   * Show the text with marks, which may overlap.
   *
   * @param {DrawnMark[]} marks
   */
  draw(marks) {
    const { element, text } = this;
    const hadFocus = element.contains(document.activeElement);
    const edges = new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])]);
    const ends = [...edges].sort((one, other) => one - other);
    const parts = ends.slice(1).map((end, index) => {
      const start = ends[index];
      const here = marks.filter((mark) => mark.start <= start && end <= mark.end);
      return drawnPart(text.slice(start, end), here);
    });
    element.replaceChildren(...parts);
    this.show(this.#current);
    this.choose(this.#chosen);
    if (!hadFocus) this.#dropCaret();
    else if (this.#selected) this.select(this.#selected.start, this.#selected.end);
  }

  /**
   * The browser leaves a caret before a text that was drawn again, where nobody put it. Without one,
   * what was selected before is kept. To select it here would take the focus.
   */
  #dropCaret() {
    const selection = getSelection();
    if (this.element.contains(selection?.anchorNode ?? null)) selection?.removeAllRanges();
  }

  /**
   * The place without white space at its ends, widened to whole characters, or words.
   *
   * @param {number} start
   * @param {number} end
   */
  snapped(start, end) {
    const marked = this.text.slice(start, end);
    if (marked.trim()) {
      start += marked.length - marked.trimStart().length;
      end -= marked.length - marked.trimEnd().length;
    }
    const place = widened(this.#characters, start, end);
    return this.#wholeWords ? widened(this.#words, place.start, place.end) : place;
  }

  /**
   * Set off the marks with these ids, also when the text is drawn again.
   *
   * @param {number[]} ids
   */
  show(ids) {
    this.#current = ids;
    for (const part of this.element.querySelectorAll("mark")) {
      const here = (part.dataset.marks ?? "").split(" ").map(Number);
      part.classList.toggle(
        "is-current",
        here.some((id) => ids.includes(id)),
      );
    }
  }

  /** @param {Place} place */
  rangeOf({ start, end }) {
    const range = document.createRange();
    range.setStart(...this.#placeOf(start));
    range.setEnd(...this.#placeOf(end));
    return range;
  }

  /**
   * Set off the words that a severity would mark. The browser's own selection does not say it: a
   * tap only puts a caret there, and a selection fades when the focus leaves the text.
   *
   * @param {Place | null} place
   */
  choose(place) {
    this.#chosen = place;
    if (!("highlights" in CSS)) return;
    const isOurs = this.#shine !== null && CSS.highlights.get(CHOSEN) === this.#shine;
    this.#shine = place && new Highlight(this.rangeOf(place));
    if (this.#shine) CSS.highlights.set(CHOSEN, this.#shine);
    else if (isOurs) CSS.highlights.delete(CHOSEN);
  }

  /**
   * The word at a place; null where there is none.
   *
   * @param {number} offset
   * @returns {Place | null}
   */
  wordAt(offset) {
    const words = this.#words;
    const end = words.find((edge) => edge > offset) ?? this.text.length;
    const start = words.findLast((edge) => edge <= offset && edge < end) ?? 0;
    const before = words.findLast((edge) => edge < start) ?? 0;
    const places = [
      { start, end },
      { start: before, end: start },
    ];
    const isWord = (/** @type {Place} */ place) =>
      this.text.slice(place.start, place.end).trim() && place.end >= offset;
    return places.find(isWord) ?? null;
  }

  /** What is selected, or was when the text had the focus. */
  selection() {
    // The browser tells of a change only after the key that follows it at once.
    this.#readSelection();
    return this.#selected;
  }

  /**
   * Give the text the focus, with its caret or selection there, and bring that into view.
   *
   * @param {number} start
   * @param {number} [end]
   */
  goTo(start, end = start) {
    this.element.focus({ preventScroll: true });
    this.select(start, end);
    const { top, bottom } = this.rangeOf({ start, end }).getBoundingClientRect();
    const isOut = top < 0.2 * innerHeight || bottom > 0.8 * innerHeight;
    if (isOut) scrollBy({ top: (top + bottom - innerHeight) / 2, behavior: "instant" });
  }
}

/**
 * A field in which there is a caret, and in which nothing can be written.
 *
 * @param {HTMLElement} element
 */
function makeField(element) {
  element.classList.add("markable");
  element.contentEditable = "true";
  Object.assign(element, { tabIndex: 0, spellcheck: false, inputMode: "none", translate: false });
  for (const [name, value] of [
    ["role", "textbox"],
    ["aria-multiline", "true"],
    ["aria-readonly", "true"],
    ["autocapitalize", "off"],
    ["autocorrect", "off"],
  ])
    element.setAttribute(name, value);
  for (const name of ["beforeinput", "drop", "dragstart", "paste", "cut"]) {
    element.addEventListener(name, (event) => event.preventDefault());
  }
}

/**
 * A piece of the text in which the same marks are everywhere.
 *
 * @param {string} text
 * @param {DrawnMark[]} marks
 */
function drawnPart(text, marks) {
  const part = document.createElement(marks.length ? "mark" : "span");
  part.textContent = text;
  if (!marks.length) return part;
  const level = Math.max(...marks.map((mark) => mark.level));
  part.className = `span level-${Math.min(level, 3)}`;
  part.classList.toggle("is-shared", marks.length > 1);
  part.classList.toggle(
    "is-suggested",
    marks.every((mark) => mark.isOpen),
  );
  part.dataset.marks = marks.map(({ id }) => id).join(" ");
  part.title = marks.map(({ name }) => name).join(", ");
  return part;
}

/**
 * Where characters or words begin and end; without a segmenter, code points.
 *
 * @param {string} text
 * @param {"grapheme" | "word"} granularity
 * @param {string} language
 */
function boundaries(text, granularity, language) {
  if (!("Segmenter" in Intl)) return codePoints(text);
  const found = [...new Intl.Segmenter(language || undefined, { granularity }).segment(text)];
  return [...found.map(({ index }) => index), text.length];
}

/** @param {string} text */
function codePoints(text) {
  const edges = [0];
  for (const character of text) edges.push((edges.at(-1) ?? 0) + character.length);
  return edges;
}

/**
 * @param {number[]} edges
 * @param {number} start
 * @param {number} end
 * @returns {Place}
 */
export function widened(edges, start, end) {
  return {
    start: edges.findLast((edge) => edge <= start) ?? 0,
    end: edges.find((edge) => edge >= end) ?? end,
  };
}

/**
 * A place in UTF-16 units as one in code points, which the server counts.
 *
 * @param {string} text
 * @param {number} offset
 */
export const inCodePoints = (text, offset) => [...text.slice(0, offset)].length;

/**
 * And back.
 *
 * @param {string} text
 * @param {number} offset
 */
export const inUnits = (text, offset) => [...text].slice(0, offset).join("").length;
