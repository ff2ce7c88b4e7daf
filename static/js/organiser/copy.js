// Buttons that copy an address; they appear only where the browser lets us write to its clipboard.

/**
 * @param {any} root the page, or a part of it
 * @param {Pick<Clipboard, "writeText"> | undefined} clipboard
 */
export function offerCopying(root, clipboard) {
  if (!clipboard) return;
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button, clipboard));
  }
}

/**
 * @param {any} button with the text in data-copy, and in data-copied what it says afterwards
 * @param {Pick<Clipboard, "writeText">} clipboard
 */
async function copy(button, clipboard) {
  await clipboard.writeText(button.dataset.copy);
  const label = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

if (typeof document !== "undefined") offerCopying(document, navigator.clipboard);
