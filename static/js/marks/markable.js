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
 *
 * @param {import("../instruments/contract.js").TemplateElement} element
 * @param {MarkableOptions} options
 */
export function createMarkable(element, { language, wholeWords, onKey, onCaret, onWritten }) {
  /** @type {string} */
  const text = element.textContent;
  const characters = boundaries(text, "grapheme", language);
  const words = boundaries(text, "word", language);
  /** @type {Place | null} */
  let selected = null;
  /** @type {Place | null} */
  let chosen = null;
  /** @type {number[]} */
  let current = [];
  /** @type {Highlight | null} */
  let shine = null;

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
    element.addEventListener(name, (/** @type {Event} */ event) => event.preventDefault());
  }
  element.addEventListener("keydown", onKey);
  document.addEventListener("selectionchange", noteSelection);

  function noteSelection() {
    if (!element.isConnected) document.removeEventListener("selectionchange", noteSelection);
    else if (readSelection()) onCaret();
  }

  /** Look where the caret is; what was selected before is kept while it is elsewhere. */
  function readSelection() {
    const selection = getSelection();
    if (!selection?.anchorNode || !selection.focusNode) return false;
    const { anchorNode, focusNode, anchorOffset, focusOffset } = selection;
    if (!element.contains(anchorNode) || !element.contains(focusNode)) return false;
    const [one, other] = [offsetOf(anchorNode, anchorOffset), offsetOf(focusNode, focusOffset)];
    selected = { start: Math.min(one, other), end: Math.max(one, other) };
    return true;
  }

  /**
   * How many units are before a place in the element.
   *
   * @param {Node} node
   * @param {number} offset
   */
  function offsetOf(node, offset) {
    const range = document.createRange();
    range.setStart(element, 0);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  /**
   * @param {number} offset
   * @returns {[Node, number]}
   */
  function placeOf(offset) {
    let left = offset;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { length } = node.nodeValue ?? "";
      if (left <= length) return [node, left];
      left -= length;
    }
    return [element, element.childNodes.length];
  }

  /**
   * @param {number} start
   * @param {number} [end]
   */
  function select(start, end = start) {
    getSelection()?.setBaseAndExtent(...placeOf(start), ...placeOf(end));
    selected = { start, end };
  }

  /**
   * Show the text with marks, which may overlap.
   *
   * @param {DrawnMark[]} marks
   */
  function draw(marks) {
    const hadFocus = element.contains(document.activeElement);
    const edges = new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])]);
    const ends = [...edges].sort((one, other) => one - other);
    const parts = ends.slice(1).map((end, index) => {
      const start = ends[index];
      const here = marks.filter((mark) => mark.start <= start && end <= mark.end);
      const part = document.createElement(here.length ? "mark" : "span");
      part.textContent = text.slice(start, end);
      if (here.length) {
        const level = Math.max(...here.map((mark) => mark.level));
        part.className = `span level-${Math.min(level, 3)}`;
        part.classList.toggle("is-shared", here.length > 1);
        part.classList.toggle(
          "is-suggested",
          here.every((mark) => mark.isOpen),
        );
        part.dataset.marks = here.map(({ id }) => id).join(" ");
        part.title = here.map(({ name }) => name).join(", ");
      }
      return part;
    });
    element.replaceChildren(...parts);
    show(current);
    choose(chosen);
    if (!hadFocus) dropCaret();
    else if (selected) select(selected.start, selected.end);
  }

  /**
   * The browser leaves a caret before a text that was drawn again, where nobody put it. Without one,
   * what was selected before is kept. To select it here would take the focus.
   */
  function dropCaret() {
    const selection = getSelection();
    if (element.contains(selection?.anchorNode ?? null)) selection?.removeAllRanges();
  }

  // Writing with an input method cannot be refused beforehand: the text comes back.
  element.addEventListener("input", onWritten);

  /**
   * The place without white space at its ends, widened to whole characters, or words.
   *
   * @param {number} start
   * @param {number} end
   */
  function snapped(start, end) {
    const marked = text.slice(start, end);
    if (marked.trim()) {
      start += marked.length - marked.trimStart().length;
      end -= marked.length - marked.trimEnd().length;
    }
    const place = widened(characters, start, end);
    return wholeWords ? widened(words, place.start, place.end) : place;
  }

  /**
   * Set off the marks with these ids, also when the text is drawn again.
   *
   * @param {number[]} ids
   */
  function show(ids) {
    current = ids;
    for (const part of element.querySelectorAll("mark")) {
      const here = part.dataset.marks.split(" ").map(Number);
      part.classList.toggle(
        "is-current",
        here.some((/** @type {number} */ id) => ids.includes(id)),
      );
    }
  }

  /** @param {Place} place */
  function rangeOf({ start, end }) {
    const range = document.createRange();
    range.setStart(...placeOf(start));
    range.setEnd(...placeOf(end));
    return range;
  }

  /**
   * Set off the words that a severity would mark. The browser's own selection does not say it: a
   * tap only puts a caret there, and a selection fades when the focus leaves the text.
   *
   * @param {Place | null} place
   */
  function choose(place) {
    chosen = place;
    if (!("highlights" in CSS)) return;
    const isOurs = shine !== null && CSS.highlights.get(CHOSEN) === shine;
    shine = place && new Highlight(rangeOf(place));
    if (shine) CSS.highlights.set(CHOSEN, shine);
    else if (isOurs) CSS.highlights.delete(CHOSEN);
  }

  return {
    element,
    text,
    draw,
    show,
    choose,
    rangeOf,
    select,
    snapped,
    /**
     * The word at a place; null where there is none.
     *
     * @param {number} offset
     * @returns {Place | null}
     */
    wordAt(offset) {
      const end = words.find((edge) => edge > offset) ?? text.length;
      const start = words.findLast((edge) => edge <= offset && edge < end) ?? 0;
      const before = words.findLast((edge) => edge < start) ?? 0;
      const places = [
        { start, end },
        { start: before, end: start },
      ];
      const isWord = (/** @type {Place} */ place) =>
        text.slice(place.start, place.end).trim() && place.end >= offset;
      return places.find(isWord) ?? null;
    },
    /** What is selected, or was when the text had the focus. */
    selection() {
      // The browser tells of a change only after the key that follows it at once.
      readSelection();
      return selected;
    },
    /**
     * Give the text the focus, with its caret or selection there, and bring that into view.
     *
     * @param {number} start
     * @param {number} [end]
     */
    goTo(start, end = start) {
      element.focus({ preventScroll: true });
      select(start, end);
      const { top, bottom } = rangeOf({ start, end }).getBoundingClientRect();
      const isOut = top < 0.2 * innerHeight || bottom > 0.8 * innerHeight;
      if (isOut) scrollBy({ top: (top + bottom - innerHeight) / 2, behavior: "instant" });
    },
  };
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
