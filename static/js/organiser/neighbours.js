// The arrow keys open the previous and the next item, like the links that say so.

const LINKS = { ArrowLeft: "prev", ArrowRight: "next" };

/** @param {KeyboardEvent} event */
function isFree(event) {
  const { target } = event;
  const writes =
    target instanceof HTMLElement &&
    target.closest("input, select, textarea, audio, video, .table-scroll");
  return !writes && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
}

document.addEventListener("keydown", (event) => {
  const rel = LINKS[/** @type {keyof typeof LINKS} */ (event.key)];
  if (!rel || !isFree(event)) return;
  /** @type {HTMLAnchorElement | null} */
  const link = document.querySelector(`[data-neighbours] a[rel="${rel}"]`);
  link?.click();
});
