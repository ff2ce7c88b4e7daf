// What the questions are about stays in view, and never covers what has the focus.

const MOST_OF_WINDOW = 0.4;

/**
 * Tell the style sheet how much of the window is taken by what is stuck to its top: the block group
 * that outputs are compared with, and the heads of the questions' columns.
 */
export function keepInView(form, root = document.documentElement) {
  const kept = form.querySelector("[data-kept]");
  const heads = form.querySelector("[data-heads]");
  const measure = () => {
    if (!form.isConnected) return;
    if (kept) decide(kept, root.clientHeight);
    const isKept = kept?.classList.contains("is-kept");
    root.style.setProperty("--kept", `${isKept ? kept.offsetHeight : 0}px`);
    root.style.setProperty("--heads", `${heads?.offsetHeight ?? 0}px`);
  };
  const observer = new ResizeObserver(measure);
  for (const element of [form, kept, heads]) if (element) observer.observe(element);
}

/**
 * Facts and a standard always stay, scrolled in a part of the window where they are longer. A
 * longer text, a table or a picture only stays where it fits: cut off, it would be overlooked.
 */
function decide(kept, windowHeight) {
  const fits = kept.scrollHeight <= MOST_OF_WINDOW * windowHeight;
  const isFacts = !kept.querySelector(":scope [data-fill=input] > p, .table-scroll, img, .pictorial");
  kept.classList.toggle("is-kept", fits || isFacts);
  // What scrolls must be reachable without a mouse.
  if (kept.scrollHeight > kept.clientHeight + 1) kept.tabIndex = 0;
  else kept.removeAttribute("tabindex");
}
