// Long texts side by side: each has a scroll bar of its own, or all of them have that of the page.

import { allParts, optionalPart, part } from "../parts.js";
import { beReachable, showJudged } from "./kept.js";

let isMaximised = false; // as the rater left it on an earlier screen

/**
 * Tell the style sheet how much of the window is left for the texts, and how much the question
 * below them takes.
 *
 * @param {HTMLElement} form
 */
export function fitColumns(form) {
  const root = document.documentElement;
  const texts = allParts(form, ".side-by-side .output-text");
  const measure = () => {
    if (!form.isConnected) return;
    const tallest = Math.max(0, ...texts.map((text) => text.offsetHeight));
    const top = form.getBoundingClientRect().top + root.scrollTop;
    root.style.setProperty("--around", `${Math.ceil(top + form.offsetHeight - tallest)}px`);
    const asked = optionalPart(form, ".side-by-side .together");
    root.style.setProperty("--asked", `${asked?.offsetHeight ?? 0}px`);
    for (const text of texts) beReachable(text);
  };
  const observer = new ResizeObserver(measure);
  for (const element of [form, root, ...texts]) observer.observe(element);
  requestAnimationFrame(() => texts.forEach(showJudged));
  mayMaximise(form);
}

/** @param {HTMLElement} form */
function mayMaximise(form) {
  const button = part(form, "[data-maximise]");
  const show = () => {
    form.classList.toggle("is-maximised", isMaximised);
    button.setAttribute("aria-pressed", String(isMaximised));
  };
  button.addEventListener("click", () => {
    isMaximised = !isMaximised;
    show();
    button.scrollIntoView({ block: "nearest" });
  });
  show();
}
