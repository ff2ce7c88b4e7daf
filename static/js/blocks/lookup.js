// Looking things up in tables: what is typed, or chosen in a text, is highlighted there.

import { allParts, part } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { Words } from "../work/types.js" */

const SIGNS = /[^\p{L}\p{N}]+/u;
const TEXTS = "[data-fill=output], [data-fill=context]";
const MOST_WORDS = 40; // of a selection

/** @param {string} text */
const wordsIn = (text) => text.toLowerCase().split(SIGNS).filter(Boolean);

/**
 * @param {HTMLElement} form
 * @param {Words} words
 */
export function tieLookup(form, words) {
  const field = part(form, "[data-lookup]", HTMLInputElement);
  const count = part(form, "[data-lookup-count]");
  const cells = allParts(form, ".table-scroll tbody :is(th, td)");
  const wordsOf = new Map(cells.map((cell) => [cell, wordsIn(cell.textContent ?? "")]));

  /** @param {string} text */
  function find(text) {
    const wanted = new Set(wordsIn(text).slice(0, MOST_WORDS));
    const found = cells.filter((cell) => wordsOf.get(cell)?.some((word) => wanted.has(word)));
    for (const cell of cells) cell.classList.toggle("is-found", found.includes(cell));
    for (const row of form.querySelectorAll(".table-scroll tbody tr")) {
      row.classList.toggle("has-found", row.firstElementChild?.matches(".is-found"));
    }
    // A number in the row of a name that was found with it says more than the same number elsewhere.
    const best = found.find((cell) => cell.matches(".has-found > td")) ?? found[0];
    if (best) bringIntoView(best, form);
    return found.length;
  }

  /** @param {number | null} number */
  const tell = (number) => {
    count.textContent = number === null ? "" : say(words, "cells_found", { count: number });
  };

  field.addEventListener("input", () => {
    const found = find(field.value);
    tell(field.value.trim() ? found : null);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // it looks up, and sends no screen
  });
  document.addEventListener("selectionchange", lookUpChosen);

  function lookUpChosen() {
    if (!form.isConnected) return document.removeEventListener("selectionchange", lookUpChosen);
    const text = chosenIn(form);
    if (text) tell(find(text) || null);
    return undefined;
  }
}

/**
 * What is selected in a text of the screen, or the word at the caret.
 *
 * @param {HTMLElement} form
 */
function chosenIn(form) {
  const selection = getSelection();
  const node = selection?.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  if (!selection || !form.contains(element ?? null) || !element?.closest(TEXTS)) return "";
  if (!selection.isCollapsed) return selection.toString();
  const text = node?.nodeValue ?? "";
  const [before, after] = [
    text.slice(0, selection.anchorOffset),
    text.slice(selection.anchorOffset),
  ];
  return `${before.split(SIGNS).at(-1) ?? ""}${after.split(SIGNS)[0] ?? ""}`;
}

/**
 * Scroll the boxes around a cell, and not the page: the text that is read stays where it is.
 *
 * @param {HTMLElement} cell
 * @param {HTMLElement} form
 */
function bringIntoView(cell, form) {
  for (let box = cell.parentElement; box && box !== form; box = box.parentElement) {
    const [inner, outer] = [cell.getBoundingClientRect(), box.getBoundingClientRect()];
    const row = box.matches(".table-scroll") ? cell.closest("tr") : null;
    const head = row?.cells[0];
    const left = outer.left + (head && head !== cell ? head.offsetWidth : 0);
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      box.scrollTop += inner.top - outer.top - outer.height / 2;
    }
    if (inner.left < left || inner.right > outer.right) {
      box.scrollLeft += inner.left - left - outer.width / 4;
    }
  }
}
