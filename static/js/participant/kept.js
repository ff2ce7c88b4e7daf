// What the questions are about stays in view, and never covers what has the focus.

const MOST_OF_WINDOW = 0.4;
const LOW_PX = 384;

/**
 * Tell the style sheet how much of the window is taken by what is stuck to its top: the block group
 * that outputs are compared with, or the text whose facts are checked; and the heads of columns.
 *
 * @param {import("./types.js").TemplateElement} form
 * @param {HTMLElement} [root]
 */
export function keepInView(form, root = document.documentElement) {
  const group = form.querySelector("[data-kept]");
  const heads = form.querySelector("[data-heads]");
  const texts = [...form.querySelectorAll(".output:has(.mr-coverage) .output-text")];
  const kept = [group, ...texts].filter(Boolean);
  const hasBar = Boolean(form.querySelector(".spans-bar"));
  const measure = () => {
    if (!form.isConnected) return;
    // Enlarged four times, the bar with the buttons for marks is all that can stay.
    const height = hasBar && root.clientHeight < LOW_PX ? 0 : root.clientHeight;
    for (const element of kept) decide(element, height);
    const heights = kept.map((element) => (isKept(element) ? element.offsetHeight : 0));
    root.style.setProperty("--kept", `${Math.max(0, ...heights)}px`);
    root.style.setProperty("--heads", `${heads?.offsetHeight ?? 0}px`);
  };
  const observer = new ResizeObserver(measure);
  for (const element of [form, ...kept, heads].filter(Boolean)) observer.observe(element);
}

/** @param {HTMLElement} element */
const isKept = (element) => element.classList.contains("is-kept");

/**
 * Facts and a standard always stay, scrolled in a part of the window where they are longer. A
 * longer text, a table or a picture only stays where it fits: cut off, it would be overlooked.
 *
 * @param {HTMLElement} element
 * @param {number} windowHeight
 */
function decide(element, windowHeight) {
  const fits = element.scrollHeight <= MOST_OF_WINDOW * windowHeight;
  const isLong = ".output-text, :has([data-fill=input] > p, .table-scroll, img, .map)";
  element.classList.toggle("is-kept", fits || (windowHeight > 0 && !element.matches(isLong)));
  // What scrolls must be reachable without a mouse.
  if (element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
}
