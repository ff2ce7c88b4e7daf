// The list of the marks of a text: what each of them says, and what can be done with it.

import { make } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { Mark, SpansOptions, Stamp, Words } from "../work/types.js" */

/**
 * What can be done with a mark in the list.
 *
 * @typedef {object} MarkActions
 * @property {(id: number, changes: Partial<Mark>, time: Stamp) => void} set
 * @property {(id: number) => void} remove
 * @property {(id: number) => void} move
 * @property {(id: number) => void} leave back to the text
 * @property {(time: Stamp) => void} onTyping a note is being written
 * @property {(id: number) => void} onFocus an entry has the focus
 */

/** @typedef {{ options: SpansOptions, words: Words, language: string, actions: MarkActions }} ListParts */

const LONGEST_QUOTE = 60;
const LONGEST_NOTE = 500;

/**
 * The marked words as they can be quoted.
 *
 * @param {Mark} mark
 * @param {Words} words
 */
export function quoteOf(mark, words) {
  if (mark.start === null) return words.missing_mark;
  const characters = [...mark.text];
  if (characters.length <= LONGEST_QUOTE) return mark.text;
  return `${characters.slice(0, LONGEST_QUOTE).join("")}…`;
}

export class MarkList {
  /** @type {Map<number, MarkEntry>} */
  #entries = new Map();
  #holder;
  #parts;

  /**
   * @param {HTMLElement} holder
   * @param {ListParts} parts
   */
  constructor(holder, parts) {
    this.#holder = holder;
    this.#parts = parts;
  }

  /** @param {Mark[]} marks */
  update(marks) {
    const here = new Set(marks.map(({ id }) => id));
    for (const [id, entry] of this.#entries) {
      if (here.has(id)) continue;
      entry.root.remove();
      this.#entries.delete(id);
    }
    for (const [index, mark] of marks.entries()) {
      const entry = this.#entries.get(mark.id) ?? new MarkEntry(this.#holder, mark.id, this.#parts);
      this.#entries.set(mark.id, entry);
      entry.update(mark);
      const there = this.#holder.children[index] ?? null;
      if (there !== entry.root) this.#holder.insertBefore(entry.root, there);
    }
    this.#holder.hidden = !marks.length;
  }

  /** @param {number} id */
  entry(id) {
    return this.#entries.get(id);
  }

  /**
   * A note as it is now, even if the rater still writes it.
   *
   * @param {number} id
   */
  noteOf(id) {
    return this.#entries.get(id)?.note.value ?? "";
  }

  /** @param {number[]} ids */
  show(ids) {
    for (const [id, { root }] of this.#entries) {
      root.classList.toggle("is-current", ids.includes(id));
    }
  }
}

/** One mark of the list, with its controls. */
class MarkEntry {
  #parts;
  #quote;
  #move;
  #remove;

  /**
   * @param {HTMLElement} holder
   * @param {number} id
   * @param {ListParts} parts
   */
  constructor(holder, id, parts) {
    const { options, words, actions } = parts;
    this.#parts = parts;
    this.root = make(holder, "li", "row span-entry");
    this.#quote = make(this.root, "p", "span-quote");
    this.#quote.addEventListener("click", () => actions.leave(id)); // with keys: Escape
    this.confirm = button(this.root, words.confirm, (event) =>
      actions.set(id, { confirmed: true }, event.timeStamp),
    );
    this.severity = choice(this.root, options.severities, "");
    this.#move = button(this.root, "⇔", () => actions.move(id));
    this.#remove = button(this.root, "✕", () => actions.remove(id));
    this.category = choice(this.root, options.categories, words.choose_category);
    this.note = make(this.root, "input", "span-note");
    this.#listen(id);
    Object.assign(this.note, { maxLength: LONGEST_NOTE, dir: "auto", placeholder: words.note });
    this.note.hidden = !options.notes;
    this.#move.title = words.move;
    this.#remove.title = words.remove;
  }

  /** @param {number} id */
  #listen(id) {
    const { actions } = this.#parts;
    for (const name of /** @type {const} */ (["severity", "category", "note"])) {
      this[name].addEventListener("change", (event) =>
        actions.set(id, { [name]: this[name].value }, event.timeStamp),
      );
    }
    this.note.addEventListener("input", (event) => actions.onTyping(event.timeStamp));
    this.root.addEventListener("focusin", () => actions.onFocus(id));
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      actions.leave(id);
    });
  }

  /** @param {Mark} mark */
  update(mark) {
    const isOpen = "prefilled" in mark && !mark.confirmed;
    this.#showQuote(mark);
    this.severity.value = mark.severity;
    this.category.value = mark.category;
    if (document.activeElement !== this.note) this.note.value = mark.note;
    this.#move.hidden = mark.start === null;
    this.confirm.hidden = !isOpen;
    this.#nameControls(mark);
  }

  /** @param {Mark} mark */
  #showQuote(mark) {
    const { words, language } = this.#parts;
    this.#quote.replaceChildren();
    const className = mark.start === null ? "is-missing-words" : "quoted";
    const said = make(this.#quote, "bdi", className, quoteOf(mark, words));
    Object.assign(said, { dir: "auto", translate: mark.start === null });
    if (language && mark.start !== null) said.lang = language;
    if (mark.side === "source") make(this.#quote, "span", "badge", words.in_the_input);
    if (!("prefilled" in mark)) return;
    const suggested = say(words, "suggested", { name: mark.prefilled || "?" });
    make(this.#quote, "span", "badge accent", mark.confirmed ? words.confirmed : suggested);
  }

  /** @param {Mark} mark */
  #nameControls(mark) {
    const { words } = this.#parts;
    const controls = {
      severity: this.severity,
      category: this.category,
      note: this.note,
      move: this.#move,
      confirm: this.confirm,
      remove: this.#remove,
    };
    for (const [name, control] of Object.entries(controls)) {
      control.setAttribute(
        "aria-label",
        say(words, "of_mark", { name: words[name], text: quoteOf(mark, words) }),
      );
    }
  }
}

/**
 * A button that leaves the focus where it is, and with it what is selected. An entry of the list
 * that takes the focus changes the bar above it, and the press would end on something else.
 *
 * @param {HTMLElement} parent
 * @param {string} label
 * @param {(event: Event) => void} onClick
 * @param {string} [className]
 */
export function button(parent, label, onClick, className = "span-action") {
  const made = make(parent, "button", `button ${className}`, label);
  made.type = "button";
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", onClick);
  made.dataset.control = "";
  return made;
}

/**
 * A list to choose from, with what is above a `/` as the name of a group; hidden when empty.
 *
 * @param {HTMLElement} parent
 * @param {[path: string, label: string][]} pairs
 * @param {string} unset what an empty choice is called; without it there is none
 */
export function choice(parent, pairs, unset) {
  const select = make(parent, "select", "span-choice");
  select.dataset.control = "";
  select.hidden = !pairs.length;
  if (unset) make(select, "option", "", unset).value = "";
  /** @type {Map<string, HTMLElement>} */
  const groups = new Map();
  for (const [path, label] of pairs) {
    const levels = path.split("/");
    const last = levels.pop() ?? "";
    const above = levels.join(" / ");
    if (above && !groups.has(above)) {
      const group = make(select, "optgroup");
      group.label = above;
      groups.set(above, group);
    }
    make(groups.get(above) ?? select, "option", "", label || last).value = path;
  }
  return select;
}
