// The marks of one text, with every addition, change and removal, and the way back.

const MOST_EVENTS = 500;

const isConfirmation = (old, mark) =>
  Object.keys(mark).every((name) => name === "confirmed" || old[name] === mark[name]);

/** now(): milliseconds since 1970 · onChange(marks): draw them */
export function createHistory({ now, onChange }) {
  let marks = [];
  let events = [];
  let earlier = [];

  function note(after, more) {
    const known = new Map(marks.map((mark) => [mark.id, mark]));
    const add = (action, mark) =>
      events.length < MOST_EVENTS && events.push({ do: action, at: now(), ...more, ...mark });
    for (const mark of after) {
      const old = known.get(mark.id);
      known.delete(mark.id);
      if (!old) add("add", mark);
      else if (old !== mark) add(isConfirmation(old, mark) ? "confirm" : "change", mark);
    }
    for (const id of known.keys()) add("remove", { id });
  }

  function become(next, more = {}) {
    note(next, more);
    marks = next;
    onChange(marks);
  }

  return {
    marks: () => marks,
    events: () => events,
    nextId: () => 1 + Math.max(0, ...marks.map(({ id }) => id), ...events.map(({ id }) => id)),
    change(next) {
      earlier.push(marks);
      become(next);
    },
    /** Go back by one change; false when there is none. */
    undo() {
      if (!earlier.length) return false;
      become(earlier.pop(), { undo: true });
      return true;
    },
    /** Begin with marks that are there already: suggestions, or those of a draft. */
    begin(first, before = []) {
      [marks, events, earlier] = [first, before, []];
      onChange(marks);
    },
  };
}
