// The marks of one text, with every addition, change and removal, and the way back.

/** @import { Mark } from "../work/types.js" */

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

/** Places are in UTF-16 units here. */
export class History {
  /** @type {Mark[]} */
  #marks = [];
  /** @type {MarkEvent[]} */
  #events = [];
  /** @type {Mark[][]} */
  #earlier = [];
  /** @type {Mark[][]} */
  #later = [];
  #bytes = 0;
  #now;
  #onChange;

  /**
   * @param {{ now: () => number, onChange: (marks: Mark[]) => void }} parts
   *   now: milliseconds since 1970 · onChange: draw them
   */
  constructor({ now, onChange }) {
    this.#now = now;
    this.#onChange = onChange;
  }

  marks = () => this.#marks;
  events = () => this.#events;

  nextId() {
    return 1 + Math.max(0, ...[...this.#marks, ...this.#events].map(({ id }) => id));
  }

  /**
   * Begin with marks that are there already: suggestions, or those of a draft.
   *
   * @param {Mark[]} first
   * @param {MarkEvent[]} [before]
   */
  begin(first, before = []) {
    [this.#marks, this.#events, this.#earlier, this.#later] = [first, before, [], []];
    this.#bytes = bytesOf(before);
    this.#onChange(first);
  }

  /** @param {Mark[]} next */
  change(next) {
    this.#earlier.push(this.#marks);
    this.#later = [];
    this.#become(next);
  }

  /** Go back by one change; false when there is none. */
  undo() {
    const before = this.#earlier.pop();
    if (!before) return false;
    this.#later.push(this.#marks);
    this.#become(before, { undo: true });
    return true;
  }

  /** Make the change again that was undone last; false when there is none. */
  redo() {
    const after = this.#later.pop();
    if (!after) return false;
    this.#earlier.push(this.#marks);
    this.#become(after);
    return true;
  }

  /**
   * @param {Mark[]} next
   * @param {{ undo?: boolean }} [more]
   */
  #become(next, more = {}) {
    for (const event of this.#difference(next)) this.#keep({ at: this.#now(), ...more, ...event });
    this.#marks = next;
    this.#onChange(next);
  }

  /**
   * What was added, changed, confirmed and removed.
   *
   * @param {Mark[]} next
   */
  *#difference(next) {
    const known = new Map(this.#marks.map((mark) => [mark.id, mark]));
    for (const mark of next) {
      const old = known.get(mark.id);
      known.delete(mark.id);
      if (!old) yield { do: "add", ...mark };
      else if (old !== mark)
        yield { do: isConfirmation(old, mark) ? "confirm" : "change", ...mark };
    }
    for (const id of known.keys()) yield { do: "remove", id };
  }

  /** @param {MarkEvent} event */
  #keep(event) {
    const more = bytesOf(event);
    if (this.#events.length === MOST_EVENTS || this.#bytes + more > MOST_BYTES) return;
    this.#bytes += more;
    this.#events.push(event);
  }
}
