// The list of the marks of a text: what each of them says, and what can be done with it.

import { say } from "../work/notices.js";

/**
 * @typedef {import("../instruments/contract.js").TemplateElement} TemplateElement
 * @typedef {import("./history.js").Mark} Mark
 */

/**
 * What can be done with a mark in the list.
 *
 * @typedef {object} MarkActions
 * @property {(id: number, changes: Partial<Mark>, time: DOMHighResTimeStamp) => void} set
 * @property {(id: number) => void} remove
 * @property {(id: number) => void} move
 * @property {(id: number) => void} leave back to the text
 * @property {(time: DOMHighResTimeStamp) => void} onTyping a note is being written
 * @property {(id: number) => void} onFocus an entry has the focus
 */

const LONGEST_QUOTE = 60;

/**
 * The marked words as they can be quoted.
 *
 * @param {Mark} mark
 * @param {Record<string, string>} words
 */
export function quoteOf(mark, words) {
  if (mark.start === null) return words.missing_mark;
  const characters = [...mark.text];
  if (characters.length <= LONGEST_QUOTE) return mark.text;
  return `${characters.slice(0, LONGEST_QUOTE).join("")}…`;
}

/**
 * @param {TemplateElement} holder
 * @param {{ options: Record<string, any>, words: Record<string, string>, language: string,
 *   actions: MarkActions }} parts
 */
export function createList(holder, { options, words, language, actions }) {
  /** @type {Map<number, ReturnType<typeof newEntry>>} */
  const entries = new Map();

  /** @param {Mark[]} marks */
  function update(marks) {
    const here = new Set(marks.map(({ id }) => id));
    for (const [id, entry] of entries) {
      if (here.has(id)) continue;
      entry.root.remove();
      entries.delete(id);
    }
    for (const [index, mark] of marks.entries()) {
      const entry = entries.get(mark.id) ?? newEntry(mark);
      entries.set(mark.id, entry);
      entry.update(mark);
      if (holder.children[index] !== entry.root) {
        holder.insertBefore(entry.root, holder.children[index] ?? null);
      }
    }
    holder.hidden = !marks.length;
  }

  /** @param {Mark} mark */
  function newEntry(mark) {
    const root = make(holder, "li", "span-entry");
    const quote = make(root, "p", "span-quote");
    const { id } = mark;
    /** @param {string} part */
    const name = (part) => say(words, "of_mark", { name: part, text: quoteOf(mark, words) });
    const confirm = button(root, words.confirm, (event) =>
      actions.set(id, { confirmed: true }, event.timeStamp),
    );
    const severity = choice(root, options.severities, "");
    const move = button(root, "⇔", () => actions.move(id));
    const remove = button(root, "✕", () => actions.remove(id));
    const category = choice(root, options.categories, words.choose_category);
    const note = make(root, "input", "span-note");
    quote.addEventListener("click", () => actions.leave(id)); // with keys: Escape

    for (const [field, key] of [
      [severity, "severity"],
      [category, "category"],
      [note, "note"],
    ]) {
      field.addEventListener("change", (/** @type {Event} */ event) =>
        actions.set(id, { [key]: field.value }, event.timeStamp),
      );
    }
    note.maxLength = 500;
    note.dir = "auto";
    note.placeholder = words.note;
    note.hidden = !options.notes;
    note.addEventListener("input", (/** @type {Event} */ event) =>
      actions.onTyping(event.timeStamp),
    );
    root.addEventListener("focusin", () => actions.onFocus(id));
    root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      actions.leave(id);
    });

    return {
      root,
      confirm,
      severity,
      category,
      note,
      /** @param {Mark} next */
      update(next) {
        mark = next;
        const suggestion = "prefilled" in mark;
        quote.replaceChildren();
        const said = make(quote, "bdi", mark.start === null ? "is-missing-words" : "quoted");
        said.textContent = quoteOf(mark, words);
        said.dir = "auto";
        if (language && mark.start !== null) said.lang = language;
        if (mark.side === "source") make(quote, "span", "badge").textContent = words.in_the_input;
        if (suggestion) {
          make(quote, "span", "badge accent").textContent = mark.confirmed
            ? words.confirmed
            : say(words, "suggested", { name: mark.prefilled || "?" });
        }
        severity.value = mark.severity;
        category.value = mark.category;
        if (document.activeElement !== note) note.value = mark.note;
        move.hidden = mark.start === null;
        confirm.hidden = !suggestion || mark.confirmed;
        for (const [field, part] of [
          [severity, words.severity],
          [category, words.category],
          [note, words.note],
          [move, words.move],
          [confirm, words.confirm],
          [remove, words.remove],
        ])
          field.setAttribute("aria-label", name(part));
        for (const [field, part] of [
          [move, words.move],
          [remove, words.remove],
        ])
          field.title = part;
      },
    };
  }

  return {
    update,
    /** @param {number} id */
    entry: (id) => entries.get(id),
    /**
     * A note as it is now, even if the rater still writes it.
     *
     * @param {number} id
     */
    noteOf: (id) => entries.get(id)?.note.value ?? "",
    /** @param {number[]} ids */
    show(ids) {
      for (const [id, { root }] of entries) root.classList.toggle("is-current", ids.includes(id));
    },
  };
}

/**
 * @param {TemplateElement} parent
 * @param {string} name
 * @param {string} className
 * @returns {TemplateElement}
 */
export function make(parent, name, className) {
  const element = parent.ownerDocument.createElement(name);
  element.className = className;
  parent.append(element);
  return element;
}

/**
 * @param {TemplateElement} parent
 * @param {string} label
 * @param {(event: Event) => void} onClick
 * @param {string} [className]
 */
export function button(parent, label, onClick, className = "span-action") {
  const made = make(parent, "button", `button ${className}`);
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", onClick);
  made.dataset.control = "";
  return made;
}

/**
 * A list to choose from, with what is above a `/` as the name of a group; hidden when empty.
 *
 * @param {TemplateElement} parent
 * @param {[path: string, label: string][]} pairs
 * @param {string} unset what an empty choice is called; without it there is none
 */
export function choice(parent, pairs, unset) {
  const select = make(parent, "select", "span-choice");
  select.dataset.control = "";
  select.hidden = !pairs.length;
  if (unset) option(select, "", unset);
  const groups = new Map();
  for (const [path, label] of pairs) {
    const levels = path.split("/");
    const last = levels.pop();
    const above = levels.join(" / ");
    if (above && !groups.has(above)) {
      const group = make(select, "optgroup", "");
      group.label = above;
      groups.set(above, group);
    }
    option(groups.get(above) ?? select, path, label || last);
  }
  return select;
}

/**
 * @param {TemplateElement} parent
 * @param {string} value
 * @param {string | undefined} label
 */
function option(parent, value, label) {
  const made = make(parent, "option", "");
  made.value = value;
  made.textContent = label;
}
