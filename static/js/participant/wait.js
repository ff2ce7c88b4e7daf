// A page that asks again by itself: it reloads, or sends its form once more.

/** @type {HTMLElement} */
const holder = document.querySelector("[data-again]");
// People who were turned away in the same second do not all come back in the same second.
const delay = Number(holder.dataset.again) * 1_000 * (1 + Math.random() / 2);
setTimeout(() => {
  if (holder instanceof HTMLFormElement) holder.requestSubmit(holder.querySelector("button"));
  else location.reload();
}, delay);
