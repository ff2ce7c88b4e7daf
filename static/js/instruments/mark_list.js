// The list of the marks of a text: what each of them says, and what can be done with it.

import { say } from "../participant/notices.js";

const LONGEST_QUOTE = 60;

/** The marked words as they can be quoted. */
export function quoteOf(mark, words) {
  if (mark.start === null) return words.missing_mark;
  const characters = [...mark.text];
  if (characters.length <= LONGEST_QUOTE) return mark.text;
  return `${characters.slice(0, LONGEST_QUOTE).join("")}…`;
}

/**
 * set(id, changes, time) · remove(id) · move(id) · leave(id): back to the text ·
 * onTyping(time): a note is being written · onFocus(id): an entry has the focus
 */
export function createList(holder, { options, words, language, actions }) {
  const entries = new Map();

  function update(marks) {
    const here = new Set(marks.map(({ id }) => id));
    for (const [id, entry] of entries) {
      if (here.has(id)) continue;
      entry.root.remove();
      entries.delete(id);
    }
    for (const [index, mark] of marks.entries()) {
      if (!entries.has(mark.id)) entries.set(mark.id, newEntry(mark));
      const entry = entries.get(mark.id);
      entry.update(mark);
      if (holder.children[index] !== entry.root) {
        holder.insertBefore(entry.root, holder.children[index] ?? null);
      }
    }
    holder.hidden = !marks.length;
  }

  function newEntry(mark) {
    const root = make(holder, "li", "span-entry");
    const quote = make(root, "p", "span-quote");
    const { id } = mark;
    const name = (part) => say(words, "of_mark", { name: part, text: quoteOf(mark, words) });
    const row = make(root, "div", "span-fields");
    const severity = choice(row, options.severities, "");
    const category = choice(row, options.categories, words.choose_category);
    const note = make(row, "input", "span-note");
    const move = button(row, words.move, () => actions.move(id));
    const confirm = button(row, words.confirm, (event) =>
      actions.set(id, { confirmed: true }, event.timeStamp),
    );
    const remove = button(row, words.remove, () => actions.remove(id));

    for (const [field, key] of [
      [severity, "severity"],
      [category, "category"],
      [note, "note"],
    ]) {
      field.addEventListener("change", (event) =>
        actions.set(id, { [key]: field.value }, event.timeStamp),
      );
    }
    note.maxLength = 500;
    note.dir = "auto";
    note.placeholder = words.note;
    note.hidden = !options.notes;
    note.addEventListener("input", (event) => actions.onTyping(event.timeStamp));
    root.addEventListener("focusin", () => actions.onFocus(id));
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      actions.leave(id);
    });

    return {
      root,
      severity,
      category,
      note,
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
      },
    };
  }

  return {
    update,
    entry: (id) => entries.get(id),
    /** A note as it is now, even if the rater still writes it. */
    noteOf: (id) => entries.get(id)?.note.value ?? "",
    show(ids) {
      for (const [id, { root }] of entries) root.classList.toggle("is-current", ids.includes(id));
    },
  };
}

function make(parent, name, className) {
  const element = parent.ownerDocument.createElement(name);
  element.className = className;
  parent.append(element);
  return element;
}

function button(parent, label, onClick) {
  const made = make(parent, "button", "button span-action");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", onClick);
  made.dataset.control = "";
  return made;
}

/** A list to choose from, with what is above a `/` as the name of a group; hidden when empty. */
function choice(parent, pairs, unset) {
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

function option(parent, value, label) {
  const made = make(parent, "option", "");
  made.value = value;
  made.textContent = label;
}
