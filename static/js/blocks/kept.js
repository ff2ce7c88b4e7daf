// What the questions are about stays in view, and never covers what has the focus.

import { allParts, optionalPart } from "../parts.js";

const MOST_OF_WINDOW = 0.4;
// Enlarged four times, a window has no room for a table or a picture that stays.
const LOW_PX = 384;
const WIDE = "(min-width: 52.01rem) and (min-height: 24rem)"; // as in panes.css

/**
 * Tell the style sheet how much of the window is taken by what is stuck to its top: the block group
 * that outputs are compared with, or the text whose facts are checked; and the heads of columns.
 *
 * @param {HTMLElement} form
 */
export function keepInView(form) {
  const root = document.documentElement;
  const group = optionalPart(form, "[data-kept]");
  const heads = optionalPart(form, "[data-heads]");
  const texts = allParts(form, ".output:has(.mr-coverage) .output-text");
  const kept = group ? [group, ...texts] : texts;
  const measure = () => {
    if (!form.isConnected) return;
    if (group) divide(form, group, root.clientHeight);
    for (const element of kept) decide(element, form, root.clientHeight);
    const heights = kept.map((element) => (isKept(element) ? element.offsetHeight : 0));
    root.style.setProperty("--kept", `${Math.max(0, ...heights)}px`);
    root.style.setProperty("--heads", `${heads && isStuck(heads) ? heads.offsetHeight : 0}px`);
  };
  const observer = new ResizeObserver(measure);
  for (const element of heads ? [form, heads, ...kept] : [form, ...kept]) observer.observe(element);
}

/** @param {HTMLElement} element */
const isKept = (element) => element.classList.contains("is-kept");

/** @param {HTMLElement} element */
const isStuck = (element) => getComputedStyle(element).position === "sticky";

const LONG_TEXT = ".output-text, :has([data-fill=input] :is(p, .dialogue))";
const TABLES = ":has(.table-scroll)";

/**
 * In a wide window, tables and a text that is too long to stay above the outputs are next to them.
 * Once there, they stay there: they are narrower, and so higher than before.
 *
 * @param {HTMLElement} form
 * @param {HTMLElement} group
 * @param {number} windowHeight
 */
function divide(form, group, windowHeight) {
  const elsewhere = ".side-by-side, [data-document], [data-kept] [data-file]"; // a picture shrinks
  const isWide = matchMedia(WIDE).matches && !form.querySelector(elsewhere);
  const isLong =
    form.classList.contains("in-panes") || group.scrollHeight > MOST_OF_WINDOW * windowHeight;
  const isDivided = isWide && (group.matches(TABLES) || (isLong && group.matches(LONG_TEXT)));
  if (isDivided === form.classList.contains("in-panes")) return;
  form.classList.toggle("in-panes", isDivided);
  showJudged(group);
}

/**
 * Open a box that scrolls at the turn that is judged, where it has one.
 *
 * @param {HTMLElement} box
 */
export function showJudged(box) {
  const turn = box.querySelector(".is-judged");
  if (!turn) return;
  const [{ top }, outer] = [turn.getBoundingClientRect(), box.getBoundingClientRect()];
  box.scrollTop += top - outer.top - outer.height / 4;
}

/**
 * Facts, a standard, tables and pictures stay, scrolled or shrunk to a part of the window where they
 * are larger. A longer text only stays where it fits: cut off, it would be overlooked.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement} form
 * @param {number} windowHeight
 */
function decide(element, form, windowHeight) {
  const isLow = windowHeight < LOW_PX;
  const isLarge = element.matches(`${LONG_TEXT}${isLow ? `, ${TABLES}, :has(img, .map)` : ""}`);
  const fits = element.scrollHeight <= MOST_OF_WINDOW * windowHeight;
  // The bar with the buttons for marks is all that can stay in a low window.
  const isCrowded = isLow && form.querySelector(".spans-bar") !== null;
  const isBeside = form.classList.contains("in-panes") && element.matches("[data-kept]");
  element.classList.toggle("is-kept", !isCrowded && !isBeside && (fits || !isLarge));
  beReachable(element);
}

/**
 * What scrolls must be reachable without a mouse, and say what it is.
 *
 * @param {HTMLElement} element
 */
export function beReachable(element) {
  if (element.scrollHeight <= element.clientHeight + 1) return element.removeAttribute("tabindex");
  element.tabIndex = 0;
  if (element.hasAttribute("aria-label")) return undefined;
  element.setAttribute("role", "group");
  element.ariaLabel = element.querySelector("[data-output-name]")?.textContent ?? "";
  return undefined;
}
