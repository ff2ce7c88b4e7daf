// A page that tries again automatically: it reloads, or sends its form again.

const holder = /** @type {HTMLElement} */ (document.querySelector("[data-again]"));
// People who were turned away in the same second do not all come back in the same second.
const delay = Number(holder.dataset.again) * 1_000 * (1 + Math.random() / 2);
setTimeout(() => {
  if (holder instanceof HTMLFormElement) holder.requestSubmit(holder.querySelector("button"));
  else location.reload();
}, delay);
