// Errors marked in the shown text itself: by mouse, finger or keys, with a list of what was marked.

import { say } from "../participant/notices.js";
import { identify } from "../participant/screen.js";
import { mountFields } from "./mark_fields.js";
import { createHistory, keysOf } from "./mark_history.js";
import { createList, quoteOf } from "./mark_list.js";
import { converted, inOrder, placedMarks, suggestedMarks } from "./mark_places.js";
import { mountScore } from "./mark_score.js";
import { mountTools } from "./mark_tools.js";
import { inCodePoints, inUnits } from "./markable.js";

/**
 * @typedef {import("./mark_fields.js").Side} Side
 * @typedef {import("./mark_history.js").Mark} Mark
 * @typedef {import("./mark_history.js").MarkEvent} MarkEvent
 * @typedef {import("./mark_places.js").PlacedMark} PlacedMark
 * @typedef {import("./markable.js").Place} Place
 */

const NEUTRAL = "neutral"; // weighs nothing, wherever it comes in the list
const UNMARKED_LEVEL = 2; // where there are no severities

/** @type {import("./contract.js").Mount} */
export function mount(root, tools) {
  const { options, words, onChange } = tools;
  /** @param {string} name */
  const find = (name) => root.querySelector(`[data-${name}]`);
  const fields = mountFields(root, tools, {
    onKey,
    onCaret,
    onWritten: () => show(history.marks()),
  });
  const none = find("none");
  const list = createList(find("marks"), {
    options,
    words,
    language: fields.output.element.lang,
    actions: {
      set,
      remove,
      move,
      leave: (id) => goTo(markOf(id)),
      onTyping: onChange,
      onFocus: (id) => highlight([id]),
    },
  });
  const history = createHistory({ now: () => Date.now(), onChange: show });
  const score = options.score ? mountScore(root, tools) : null;
  /** @type {Side} */
  let side = "output";
  /** @type {number | null} */
  let moving = null;
  const field = () => fields[side] ?? fields.output;

  /** @type {[name: string, label: string][]} */
  const severities = options.severities.length ? options.severities : [["", words.mark]];
  /** @param {string} severity */
  const levelOf = (severity) => {
    const index = options.severities.findIndex(
      (/** @type {string[]} */ [name]) => name === severity,
    );
    if (severity === NEUTRAL) return 0;
    return index < 0 ? UNMARKED_LEVEL : index + 1;
  };
  const placeButton = mountTools(find("tools"), tools, {
    severities,
    levelOf,
    mark,
    addMissing,
    finishMoving,
  });
  root.setAttribute("aria-labelledby", tools.labelledBy);
  none?.addEventListener("change", (/** @type {Event} */ event) => onChange(event.timeStamp));
  if (none) {
    none.dataset.control = "";
    const label = identify(find("none-label"), "none");
    none.setAttribute("aria-labelledby", `${label} ${tools.labelledBy}`);
  }
  const suggested = tools.material.marks?.[tools.place ?? -1] ?? [];
  history.begin(suggestedMarks(suggested, fields, options));

  // --- Marks ---------------------------------------------------------------------------------

  const marks = () => history.marks();
  /**
   * @param {number | null} id
   * @returns {Mark}
   */
  const markOf = (id) => /** @type {Mark} */ (marks().find((one) => one.id === id));
  /** @param {Mark} one */
  const quote = (one) => quoteOf(one, words);
  /** @param {string} message */
  const tell = (message) => {
    find("said").textContent = message;
  };

  /**
   * Those at the caret, or at just these places.
   *
   * @param {Place} place
   */
  const marksAt = ({ start, end }) =>
    placedMarks(marks(), side).filter((one) =>
      start === end
        ? one.start <= start && start <= one.end
        : one.start === start && one.end === end,
    );

  /**
   * @param {Mark[]} next
   * @param {string} message
   * @param {DOMHighResTimeStamp} time
   */
  function changed(next, message, time) {
    history.change(next.toSorted(inOrder));
    tell(message);
    onChange(time);
  }

  /**
   * Mark what is selected, or the word at the caret; of an existing mark, change the severity.
   *
   * @param {string} severity
   * @param {DOMHighResTimeStamp} time
   */
  function mark(severity, time) {
    if (moving !== null) return finishMoving(time);
    const selected = field().selection();
    if (!selected) return tell(words.select_first);
    const isCaret = selected.start === selected.end;
    const [known] = marksAt(selected);
    if (isCaret && known) return set(known.id, { severity }, time);
    const place = isCaret ? field().wordAt(selected.start) : selected;
    if (!place) return tell(words.select_first);
    const { start, end } = field().snapped(place.start, place.end);
    const [same] = marksAt({ start, end });
    if (same) return set(same.id, { severity }, time);
    if (isTaken(start, end)) return tell(words.overlapping);
    const { text } = field();
    return add({ side, start, end, text: text.slice(start, end), severity }, time);
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number | null} [but] the mark that may be there
   */
  function isTaken(start, end, but = null) {
    if (options.overlaps) return false;
    return placedMarks(marks(), side).some(
      (one) => one.id !== but && one.start < end && start < one.end,
    );
  }

  /** @param {DOMHighResTimeStamp} time */
  function addMissing(time) {
    const severity = severities.findLast(([name]) => name !== NEUTRAL)?.[0] ?? "";
    add({ side: "output", start: null, end: null, text: "", severity, missing: true }, time);
  }

  /**
   * @param {Pick<Mark, "side" | "start" | "end" | "text" | "severity"> & { missing?: boolean }} more
   * @param {DOMHighResTimeStamp} time
   */
  function add(more, time) {
    if (marks().length >= options.most) {
      tell(say(words, "too_many", { most: options.most }));
      return;
    }
    const made = { id: history.nextId(), category: "", note: "", missing: false, ...more };
    changed([...marks(), made], say(words, "marked", { text: quote(made) }), time);
    highlight([made.id]);
    if (options.categories.length) list.entry(made.id)?.category.focus();
  }

  /**
   * @param {number} id
   * @param {Partial<Mark>} changes
   * @param {DOMHighResTimeStamp} time
   */
  function set(id, changes, time) {
    const old = markOf(id);
    const next = { ...old, ...changes };
    if (keysOf(next).every((name) => next[name] === old[name])) return;
    if ("prefilled" in next) next.confirmed = true;
    const others = marks().map((one) => (one === old ? next : one));
    changed(others, say(words, "changed", { text: quote(next) }), time);
  }

  /**
   * @param {number} id
   * @param {DOMHighResTimeStamp} [time]
   */
  function remove(id, time = performance.now()) {
    const gone = markOf(id);
    const rest = marks().filter((one) => one !== gone);
    changed(rest, say(words, "removed", { text: quote(gone) }), time);
    stopMoving();
    goTo(gone);
  }

  /** @param {DOMHighResTimeStamp} time */
  function undo(time) {
    stopMoving();
    tell(history.undo() ? words.undone : words.nothing_to_undo);
    onChange(time);
  }

  // --- Moving a mark ---------------------------------------------------------------------------

  /** @param {number} id */
  function move(id) {
    const one = markOf(id);
    moving = id;
    placeButton.hidden = false;
    side = one.side;
    field().focus();
    field().select(one.start ?? 0, one.end ?? 0);
    tell(say(words, "move_now", { name: words.place_here }));
  }

  function stopMoving() {
    moving = null;
    placeButton.hidden = true;
  }

  /** @param {DOMHighResTimeStamp} time */
  function finishMoving(time) {
    const one = markOf(moving);
    const selected = field().selection();
    if (!selected) return tell(words.select_first);
    const place = selected.start === selected.end ? reaching(one, selected.start) : selected;
    const { start, end } = field().snapped(place.start, place.end);
    if (side !== one.side || start === end) return tell(words.select_first);
    if (isTaken(start, end, one.id)) return tell(words.overlapping);
    stopMoving();
    set(one.id, { start, end, text: field().text.slice(start, end) }, time);
    return goTo(markOf(one.id));
  }

  /**
   * Where a mark goes that the rater lengthens or shortens by a tap: the nearer end moves.
   *
   * @param {Mark} one
   * @param {number} caret
   * @returns {Place}
   */
  function reaching(one, caret) {
    const { start, end } = /** @type {PlacedMark} */ (one);
    const word = field().wordAt(caret) ?? { start: caret, end: caret };
    if (caret < start) return { start: word.start, end };
    if (caret > end) return { start, end: word.end };
    return caret - start < end - caret ? { start: caret, end } : { start, end: caret };
  }

  // --- Keys and the caret ------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const { key, timeStamp: time } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && !event.altKey && key.toLowerCase() === "z") {
      event.preventDefault();
      return undo(time);
    }
    if (isCommand || event.altKey) return;
    const number = Number(key) - 1;
    if (key === "Enter") mark(severities[0][0], time);
    else if (options.severities.length && number in severities) mark(severities[number][0], time);
    else if (key === "Delete" || key === "Backspace") removeHere(time);
    else if (key === "Escape") stopMoving();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {DOMHighResTimeStamp} time */
  function removeHere(time) {
    const selected = field().selection();
    const [here] = selected ? marksAt(selected) : [];
    if (here) remove(here.id, time);
  }

  /** @param {Side} where */
  function onCaret(where) {
    side = where;
    const selected = field().selection();
    if (selected) highlight(marksAt(selected).map(({ id }) => id));
  }

  /** @param {number[]} ids */
  function highlight(ids) {
    list.show(ids);
    for (const shown of Object.values(fields)) shown.show(ids);
  }

  /** @param {Mark} one */
  function goTo(one) {
    if (one.start === null) return fields.output.focus();
    side = one.side;
    field().focus();
    field().select(one.end ?? one.start);
    return undefined;
  }

  // --- Showing -----------------------------------------------------------------------------------

  /** @param {Mark[]} all */
  function show(all) {
    list.update(all);
    for (const [name, shown] of Object.entries(fields)) {
      const here = placedMarks(all, /** @type {Side} */ (name));
      shown.draw(
        here.map((one) => ({
          ...one,
          level: levelOf(one.severity),
          isOpen: "prefilled" in one && !one.confirmed,
        })),
      );
    }
    if (none) {
      none.disabled = all.length > 0;
      if (all.length) none.checked = false;
    }
  }

  // --- The answer --------------------------------------------------------------------------------

  const valueOfScore = () => score?.value() ?? null;
  const incomplete = () => [
    ...(options.categories.length
      ? marks()
          .filter(({ category }) => !category)
          .map(({ id }) => list.entry(id)?.category)
      : []),
    ...(options.severities.length
      ? marks()
          .filter(({ severity }) => !severity)
          .map(({ id }) => list.entry(id)?.severity)
      : []),
  ];
  const isUnmarked = () => !marks().length && fields.output.text.trim() !== "";

  function problem() {
    if (options.categories.length && marks().some(({ category }) => !category)) {
      return words.missing_category;
    }
    if (options.severities.length && marks().some(({ severity }) => !severity)) {
      return words.missing_severity;
    }
    if (none) return marks().length || none.checked ? "" : words.missing_marks;
    const scored = valueOfScore();
    if (scored === null) return words.missing_score;
    const below = options.needs_mark_below;
    if (below === null || scored >= below || !isUnmarked()) return "";
    return say(words, "mark_for_score", { score: below });
  }

  function faulty() {
    if (incomplete().length) return incomplete();
    if (none) return [none];
    return score && score.value() === null ? [score.element] : [];
  }

  const isAnswered = () =>
    marks().length > 0 ||
    history.events().length > 0 ||
    Boolean(none?.checked) ||
    valueOfScore() !== null;

  return {
    value: () => ({
      marks: marks().map((one) =>
        converted({ ...one, note: options.notes ? list.noteOf(one.id) : "" }, fields, inCodePoints),
      ),
      events: history.events().map((event) => converted(event, fields, inCodePoints)),
      ...(valueOfScore() === null ? {} : { score: valueOfScore() }),
    }),
    isAnswered,
    isComplete: () => !incomplete().length && (none ? isAnswered() : valueOfScore() !== null),
    problem,
    faulty,
    setValue(value) {
      const toUnits = (/** @type {Mark} */ one) => converted(one, fields, inUnits);
      const eventToUnits = (/** @type {MarkEvent} */ event) => converted(event, fields, inUnits);
      history.begin(value.marks.map(toUnits), (value.events ?? []).map(eventToUnits));
      if (score && value.score !== undefined) score.show(value.score);
      if (none) none.checked = !value.marks.length;
    },
    focus() {
      const [first] = faulty();
      (first ?? fields.output.element).focus();
    },
  };
}
