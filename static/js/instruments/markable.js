// A text in which places can be marked: a caret for the keyboard, places in UTF-16 units.

/**
 * Make an element with a text a field that nobody can write into: the browser then brings a caret,
 * selection by mouse, finger and keys, and reading by screen readers, in every script.
 * onKey(event) · onCaret(): the caret has moved · onWritten(): draw the text again
 */
export function createMarkable(element, { language, wholeWords, onKey, onCaret, onWritten }) {
  const text = element.textContent;
  const characters = boundaries(text, "grapheme", language);
  const words = boundaries(text, "word", language);
  let selected = null;

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
  element.addEventListener("keydown", onKey);
  document.addEventListener("selectionchange", noteSelection);

  function noteSelection() {
    if (!element.isConnected) document.removeEventListener("selectionchange", noteSelection);
    else if (readSelection()) onCaret();
  }

  /** Look where the caret is; what was selected before is kept while it is elsewhere. */
  function readSelection() {
    const { anchorNode, focusNode, anchorOffset, focusOffset } = getSelection();
    if (!element.contains(anchorNode) || !element.contains(focusNode)) return false;
    const [one, other] = [offsetOf(anchorNode, anchorOffset), offsetOf(focusNode, focusOffset)];
    selected = { start: Math.min(one, other), end: Math.max(one, other) };
    return true;
  }

  /** How many units are before a place in the element. */
  function offsetOf(node, offset) {
    const range = document.createRange();
    range.setStart(element, 0);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  function placeOf(offset) {
    let left = offset;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.nodeValue.length) return [node, left];
      left -= node.nodeValue.length;
    }
    return [element, element.childNodes.length];
  }

  function select(start, end = start) {
    getSelection().setBaseAndExtent(...placeOf(start), ...placeOf(end));
    selected = { start, end };
  }

  /** Show the text with marks: [{id, start, end, level, isOpen}], which may overlap. */
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
      }
      return part;
    });
    element.replaceChildren(...parts);
    if (hadFocus && selected) select(selected.start, selected.end);
  }

  // Writing with an input method cannot be refused beforehand: the text comes back.
  element.addEventListener("input", onWritten);

  /** The place without white space at its ends, widened to whole characters, or words. */
  function snapped(start, end) {
    const marked = text.slice(start, end);
    if (marked.trim()) {
      start += marked.length - marked.trimStart().length;
      end -= marked.length - marked.trimEnd().length;
    }
    const place = widened(characters, start, end);
    return wholeWords ? widened(words, place.start, place.end) : place;
  }

  return {
    element,
    text,
    draw,
    /** Set off the marks with these ids. */
    show(ids) {
      for (const part of element.querySelectorAll("mark")) {
        const here = part.dataset.marks.split(" ").map(Number);
        part.classList.toggle(
          "is-current",
          here.some((id) => ids.includes(id)),
        );
      }
    },
    select,
    snapped,
    /** The word at a place; null where there is none. */
    wordAt(offset) {
      const end = words.find((edge) => edge > offset) ?? text.length;
      const start = words.findLast((edge) => edge <= offset && edge < end) ?? 0;
      for (const place of [
        [start, end],
        [words.findLast((edge) => edge < start) ?? 0, start],
      ]) {
        if (text.slice(...place).trim() && place[1] >= offset)
          return { start: place[0], end: place[1] };
      }
      return null;
    },
    /** What is selected, or was when the text had the focus. */
    selection() {
      // The browser tells of a change only after the key that follows it at once.
      readSelection();
      return selected;
    },
    focus: () => element.focus(),
  };
}

/** Where characters or words begin and end; without a segmenter, code points. */
function boundaries(text, granularity, language) {
  if (!("Segmenter" in Intl)) return codePoints(text);
  const found = [...new Intl.Segmenter(language || undefined, { granularity }).segment(text)];
  return [...found.map(({ index }) => index), text.length];
}

function codePoints(text) {
  const edges = [0];
  for (const character of text) edges.push(edges.at(-1) + character.length);
  return edges;
}

export function widened(edges, start, end) {
  return {
    start: edges.findLast((edge) => edge <= start) ?? 0,
    end: edges.find((edge) => edge >= end) ?? end,
  };
}

/** A place in UTF-16 units as one in code points, which the server counts. */
export const inCodePoints = (text, offset) => [...text.slice(0, offset)].length;

/** And back. */
export const inUnits = (text, offset) => [...text].slice(0, offset).join("").length;
