// The buttons with which raters mark a text: those at the chosen words, and those of the whole text.

import { keysOf } from "./history.js";
import { button, choice, make } from "./list.js";

/**
 * @typedef {import("../instruments/contract.js").TemplateElement} TemplateElement
 * @typedef {import("./history.js").Mark} Mark
 * @typedef {import("./marking.js").Kind} Kind
 */

/**
 * @typedef {object} ToolActions
 * @property {(kind: Kind, time: DOMHighResTimeStamp) => void} mark
 * @property {(id: number, changes: Partial<Mark>, time: DOMHighResTimeStamp) => void} set
 * @property {(id: number, time: DOMHighResTimeStamp) => void} remove
 * @property {() => void} leave back to the text
 * @property {(time: DOMHighResTimeStamp) => void} addMissing
 * @property {(time: DOMHighResTimeStamp) => void} finishMoving
 * @property {(time: DOMHighResTimeStamp) => void} undo
 * @property {(time: DOMHighResTimeStamp) => void} redo
 */

/**
 * @typedef {object} Parts
 * @property {Record<string, any>} options
 * @property {Record<string, string>} words
 * @property {Kind[]} kinds
 * @property {ToolActions} actions
 */

/**
 * A button that leaves the focus in the text, and with it what is selected.
 *
 * @param {TemplateElement} holder
 * @param {string} label
 * @param {(time: DOMHighResTimeStamp) => void} onClick
 * @param {string} [key]
 */
function tool(holder, label, onClick, key = "") {
  const made = button(holder, label, (event) => onClick(event.timeStamp), "span-tool");
  made.addEventListener("mousedown", (/** @type {Event} */ event) => event.preventDefault());
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
 * @param {TemplateElement} holder
 * @param {Parts} parts
 */
export function mountChosen(holder, { options, words, kinds, actions }) {
  /** @type {Mark | undefined} */
  let current;
  const hasKeys = kinds.length > 1;
  const pressed = kinds.map((kind, index) => {
    const press = (/** @type {DOMHighResTimeStamp} */ time) => actions.mark(kind, time);
    const made = tool(holder, kind.label, press, hasKeys ? String(index + 1) : "");
    made.classList.add(`level-${Math.min(kind.level, 3)}`);
    return made;
  });
  const isChosenHere = kinds.some(({ changes }) => "category" in changes);
  const category = choice(holder, isChosenHere ? [] : options.categories, words.choose_category);
  category.setAttribute("aria-label", words.category);
  category.addEventListener("change", (/** @type {Event} */ event) => {
    if (current) actions.set(current.id, { category: category.value }, event.timeStamp);
  });
  const confirm = tool(holder, words.confirm, (time) => {
    if (current) actions.set(current.id, { confirmed: true }, time);
  });
  const remove = tool(holder, words.remove, (time) => current && actions.remove(current.id, time));
  holder.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
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
 * @param {TemplateElement} holder
 * @param {Parts} parts
 * @returns {HTMLButtonElement} the last one, which is hidden
 */
export function mountTools(holder, { options, words, actions }) {
  const steps = make(holder, "span", "span-steps");
  for (const [name, sign, act, key] of /** @type {const} */ ([
    ["undo", "↶", actions.undo, "Control+Z"],
    ["redo", "↷", actions.redo, "Control+Y"],
  ])) {
    const made = tool(steps, sign, act);
    made.setAttribute("aria-label", words[name]);
    made.setAttribute("aria-keyshortcuts", key);
    made.title = words[name];
  }
  if (options.missing) tool(holder, words.add_missing, actions.addMissing);
  const place = tool(holder, words.place_here, actions.finishMoving);
  place.hidden = true;
  return place;
}
