// The marks of one text, with every addition, change and removal, and the way back.

/**
 * A mark of one text. Places are in UTF-16 units here; a mark without a place is about missing words.
 *
 * @typedef {object} Mark
 * @property {number} id
 * @property {"output" | "source"} side
 * @property {number | null} start
 * @property {number | null} end
 * @property {string} text
 * @property {string} severity
 * @property {string} category
 * @property {string} note
 * @property {boolean} missing
 * @property {string} [prefilled] who suggested it
 * @property {boolean} [confirmed] of a suggestion
 */

/** @typedef {Partial<Mark> & { id: number, do: string, at: number, undo?: boolean }} MarkEvent */

const MOST_EVENTS = 500;
// The server takes 40,000 bytes, in which places and names may be a little longer.
const MOST_BYTES = 36_000;

const bytesOf = (/** @type {object} */ sent) =>
  new TextEncoder().encode(JSON.stringify(sent)).length;

/**
 * @param {Partial<Mark>} mark
 * @returns {(keyof Mark)[]}
 */
export const keysOf = (mark) => /** @type {(keyof Mark)[]} */ (Object.keys(mark));

/**
 * @param {Mark} old
 * @param {Mark} mark
 */
const isConfirmation = (old, mark) =>
  keysOf(mark).every((name) => name === "confirmed" || old[name] === mark[name]);

/**
 * @param {{ now: () => number, onChange: (marks: Mark[]) => void }} parts
 *   now: milliseconds since 1970 · onChange: draw them
 */
export function createHistory({ now, onChange }) {
  /** @type {Mark[]} */
  let marks = [];
  /** @type {MarkEvent[]} */
  let events = [];
  /** @type {Mark[][]} */
  let earlier = [];
  /** @type {Mark[][]} */
  let later = [];
  let bytes = 0;

  /** @param {MarkEvent} event */
  function keep(event) {
    const more = bytesOf(event);
    if (events.length === MOST_EVENTS || bytes + more > MOST_BYTES) return;
    bytes += more;
    events.push(event);
  }

  /**
   * @param {Mark[]} after
   * @param {{ undo?: boolean }} more
   */
  function note(after, more) {
    const known = new Map(marks.map((mark) => [mark.id, mark]));
    /**
     * @param {string} action
     * @param {Partial<Mark> & { id: number }} mark
     */
    const add = (action, mark) => keep({ do: action, at: now(), ...more, ...mark });
    for (const mark of after) {
      const old = known.get(mark.id);
      known.delete(mark.id);
      if (!old) add("add", mark);
      else if (old !== mark) add(isConfirmation(old, mark) ? "confirm" : "change", mark);
    }
    for (const id of known.keys()) add("remove", { id });
  }

  /**
   * @param {Mark[]} next
   * @param {{ undo?: boolean }} [more]
   */
  function become(next, more = {}) {
    note(next, more);
    marks = next;
    onChange(marks);
  }

  return {
    marks: () => marks,
    events: () => events,
    nextId: () => 1 + Math.max(0, ...marks.map(({ id }) => id), ...events.map(({ id }) => id)),
    /** @param {Mark[]} next */
    change(next) {
      earlier.push(marks);
      later = [];
      become(next);
    },
    /** Go back by one change; false when there is none. */
    undo() {
      const before = earlier.pop();
      if (!before) return false;
      later.push(marks);
      become(before, { undo: true });
      return true;
    },
    /** Make the change again that was undone last; false when there is none. */
    redo() {
      const after = later.pop();
      if (!after) return false;
      earlier.push(marks);
      become(after);
      return true;
    },
    /**
     * Begin with marks that are there already: suggestions, or those of a draft.
     *
     * @param {Mark[]} first
     * @param {MarkEvent[]} [before]
     */
    begin(first, before = []) {
      [marks, events, earlier, later] = [first, before, [], []];
      bytes = bytesOf(before);
      onChange(marks);
    },
  };
}
