// Keeps the marked parts of a page fresh: <div data-live="15"> holds parts named by data-part.

import { fetchPage, replacePart } from "./fresh_page.js";

/** @type {HTMLElement | null} */
const live = document.querySelector("[data-live]");
if (live) keepFresh(live);

/** @param {Element} part */
function isInUse(part) {
  return part.contains(document.activeElement) && document.activeElement !== document.body;
}

/**
 * Whether somebody has filled in a control, which a reload would empty.
 *
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 */
function isWrittenIn(control) {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    const first = options.find(({ defaultSelected }) => defaultSelected) ?? options[0];
    return control.value !== first?.value;
  }
  if (control.type === "range") return false; // a script sets it, and a number is next to it
  if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type)) {
    return control.checked !== control.defaultChecked;
  }
  return control.value !== control.defaultValue;
}

/** @param {HTMLElement} live */
async function refresh(live) {
  if (document.hidden) return;
  const { page, address } = await fetchPage(location.href);
  if (new URL(address).pathname !== location.pathname) {
    // What this page was about is over, and the site sends us on.
    location.assign(address);
    return;
  }
  /** @type {NodeListOf<HTMLElement>} */
  const parts = live.querySelectorAll("[data-part]");
  for (const part of parts) {
    // The part that has the focus stays: a button must not vanish under a finger.
    if (isInUse(part)) continue;
    replacePart(part, page.querySelector(`[data-part="${part.dataset.part}"]`));
  }
}

/** @param {HTMLElement} live */
async function keepFresh(live) {
  const seconds = Number(live.dataset.live);
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    try {
      await refresh(live);
    } catch {
      // The site is away or we are logged out; the old figures carry their time, so just continue.
    }
    /** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>} */
    const controls = document.querySelectorAll("main form :is(input, textarea, select)");
    if (live.querySelector("[data-over]") && ![...controls].some(isWrittenIn)) {
      location.reload();
      return;
    }
  }
}
