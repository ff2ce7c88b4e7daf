// The buttons with which raters mark a text: those at the chosen words, and those of the whole text.

import { make } from "../parts.js";
import { keysOf } from "./history.js";
import { button, choice } from "./list.js";

/** @import { Mark, SpansOptions, Stamp, Words } from "../work/types.js" */
/** @import { Kind } from "./marking.js" */

/**
 * @typedef {object} ToolActions
 * @property {(kind: Kind, time: Stamp) => void} mark
 * @property {(id: number, changes: Partial<Mark>, time: Stamp) => void} set
 * @property {(id: number, time: Stamp) => void} remove
 * @property {() => void} leave back to the text
 * @property {(time: Stamp) => void} addMissing
 * @property {(time: Stamp) => void} finishMoving
 * @property {(way: "undo" | "redo", time: Stamp) => void} step
 */

/**
 * @typedef {object} Parts
 * @property {SpansOptions} options
 * @property {Words} words
 * @property {Kind[]} kinds
 * @property {ToolActions} actions
 */

/**
 * A button of the bar, with the key that does the same.
 *
 * @param {HTMLElement} holder
 * @param {string} label
 * @param {(time: Stamp) => void} onClick
 * @param {string} [key]
 */
function tool(holder, label, onClick, key = "") {
  const made = button(holder, label, (event) => onClick(event.timeStamp), "span-tool");
  if (!key) return made;
  made.setAttribute("aria-keyshortcuts", key);
  const shown = document.createElement("kbd");
  shown.textContent = key;
  shown.setAttribute("aria-hidden", "true");
  made.prepend(shown, " ");
  return made;
}

/**
 * What can be done with the chosen words: a severity (or category) each, and for a mark the rest.
 *
 * @param {HTMLElement} holder
 * @param {Parts} parts
 */
export function mountChosen(holder, { options, words, kinds, actions }) {
  /** @type {Mark | undefined} */
  let current;
  const hasKeys = kinds.length > 1;
  const pressed = kinds.map((kind, index) => {
    const press = (/** @type {Stamp} */ time) => actions.mark(kind, time);
    const made = tool(holder, kind.label, press, hasKeys ? String(index + 1) : "");
    made.classList.add(`level-${Math.min(kind.level, 3)}`);
    return made;
  });
  const isChosenHere = kinds.some(({ changes }) => "category" in changes);
  const category = choice(holder, isChosenHere ? [] : options.categories, words.choose_category);
  category.setAttribute("aria-label", words.category);
  category.addEventListener("change", (event) => {
    if (current) actions.set(current.id, { category: category.value }, event.timeStamp);
  });
  const confirm = tool(holder, words.confirm, (time) => {
    if (current) actions.set(current.id, { confirmed: true }, time);
  });
  const remove = tool(holder, words.remove, (time) => current && actions.remove(current.id, time));
  holder.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    actions.leave();
  });
  return {
    category,
    /** @param {Mark | undefined} mark the one at the caret */
    show(mark) {
      current = mark;
      kinds.forEach(({ changes }, index) => {
        const isIt = mark && keysOf(changes).every((name) => mark[name] === changes[name]);
        pressed[index].setAttribute("aria-pressed", String(Boolean(isIt)));
      });
      category.hidden = !mark || !options.categories.length || isChosenHere;
      category.value = mark?.category ?? "";
      confirm.hidden = !mark || !("prefilled" in mark) || Boolean(mark.confirmed);
      remove.hidden = !mark;
    },
  };
}

/**
 * What can be done at any time: undo and redo, what is missing, and the place of a moved mark.
 *
 * @param {HTMLElement} holder
 * @param {Parts} parts
 * @returns {HTMLButtonElement} the last one, which is hidden
 */
export function mountTools(holder, { options, words, actions }) {
  const steps = make(holder, "span", "span-steps");
  for (const [name, sign, key] of /** @type {const} */ ([
    ["undo", "↶", "Control+Z"],
    ["redo", "↷", "Control+Y"],
  ])) {
    const made = tool(steps, sign, (time) => actions.step(name, time));
    made.setAttribute("aria-label", words[name]);
    made.setAttribute("aria-keyshortcuts", key);
    made.title = words[name];
  }
  if (options.missing) tool(holder, words.add_missing, actions.addMissing);
  const place = tool(holder, words.place_here, actions.finishMoving);
  place.hidden = true;
  return place;
}
