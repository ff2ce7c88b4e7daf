// Buttons that copy a text; they appear only where the browser lets us write to its clipboard.

/** @param {HTMLElement} button with the text in data-copy, and in data-copied what it says afterwards */
async function copy(button) {
  const { copy = "", copied = "" } = button.dataset;
  await navigator.clipboard.writeText(copy);
  const label = button.textContent;
  button.textContent = copied;
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

/** @type {NodeListOf<HTMLElement>} */
const buttons = document.querySelectorAll("[data-copy]");
for (const button of navigator.clipboard ? buttons : []) {
  button.hidden = false;
  button.setAttribute("aria-live", "polite"); // screen readers say that it was copied
  button.addEventListener("click", () => copy(button));
}

export {};
