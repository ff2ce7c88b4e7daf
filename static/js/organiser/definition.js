// The campaign form without page loads: rows come and go and options follow their instrument.
// Each button does the same without this script, by sending the whole form.

import { allParts, optionalPart, part } from "../parts.js";
import { createDraftPreview } from "./draft_preview.js";
import { fetchPage, replacePart } from "./fresh_page.js";

const SELECTOR = "[data-definition-form]";

// How often the form is asked for again because somebody wrote in it meanwhile.
const MOST_TURNS = 20;
// What leaves the other fields where they are. Others move rows, and then a name is another field's.
const KEEPS_NAMES = /^(add|refresh):/;

/** @param {HTMLFormElement} form */
const writtenIn = (form) => JSON.stringify([...new FormData(form)]);

/**
 * The form in its new shape, with what was written while the site made it.
 *
 * @param {HTMLFormElement} form
 * @param {string} action
 */
async function reshaped(form, action) {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const before = writtenIn(form);
    const data = new FormData(form);
    data.set("do", action);
    const { page } = await fetchPage(location.pathname, data);
    if (writtenIn(form) === before) return page.querySelector(SELECTOR);
  }
  throw new Error("somebody writes without a pause");
}

/**
 * One at a time: a second press is about rows that may be others by then.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 */
async function reshape(form, button) {
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  try {
    const fresh = await reshaped(form, button.value);
    const target = new URL(button.getAttribute("formaction") || "", location.href).hash.slice(1);
    const keepsNames = KEEPS_NAMES.test(button.value);
    const moved = keepsNames ? null : button.closest("details");
    const opened = allParts(form, "details[open][id]")
      .filter((part) => part !== moved)
      .map((part) => part.id);
    const goBack = keepsNames ? wayBack(form, target) : null;
    replacePart(form, fresh);
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    prepare(part(document, SELECTOR, HTMLFormElement));
    if (!goBack?.() && !goOn(button.value)) lookAt(target);
    preview?.refresh();
  } finally {
    form.ariaBusy = null;
  }
}

/**
 * How to put the caret back where somebody writes meanwhile; null where nobody does.
 *
 * @param {HTMLFormElement} form
 * @param {string} target what was changed
 */
function wayBack(form, target) {
  const held = /** @type {HTMLInputElement | null} */ (document.activeElement);
  if (!held?.matches("input, textarea, select") || !held.id || !form.contains(held)) return null;
  const { id, selectionStart, selectionEnd } = held;
  if (id === target) return null;
  return () => {
    const again = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    again?.focus({ preventScroll: true });
    if (selectionStart !== null && again?.setSelectionRange) {
      again.setSelectionRange(selectionStart, selectionEnd);
    }
    return again !== null;
  };
}

/**
 * Put the focus where the same can be done again: on the button of the row that moved, or on the
 * row that took the place of a removed one.
 *
 * @param {string} command of the button that was pressed
 * @returns {boolean} whether there is such a button
 */
function goOn(command) {
  const [verb, path, number] = command.split(":");
  const place = Number(number);
  const commands = {
    up: [`up:${path}:${place - 1}`, `down:${path}:${place - 1}`],
    down: [`down:${path}:${place + 1}`, `up:${path}:${place + 1}`],
    remove: [`remove:${path}:${place}`, `remove:${path}:${place - 1}`, `add:${path}`],
  }[verb];
  const [button] = (commands ?? []).flatMap((value) =>
    allParts(document, `${SELECTOR} button[value="${CSS.escape(value)}"]`),
  );
  if (!button) return false;
  const folded = verb === "remove" && button.closest("details:not([open])");
  const next = folded ? part(folded, "summary") : button;
  if (!folded) unfold(button);
  next.scrollIntoView({ block: "center" });
  next.focus({ preventScroll: true });
  return true;
}

/**
 * A field inside folded parts is shown before anything looks at it.
 *
 * @param {HTMLElement} place
 */
function unfold(place) {
  /** @type {HTMLElement | null} */
  let part = place;
  for (; part; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
}

/** @param {string} id */
function lookAt(id) {
  const place = document.getElementById(id) || document.getElementById(id.replace(/-\d+$/, ""));
  if (!place) return;
  unfold(place);
  place.scrollIntoView({ block: place.matches("details") ? "start" : "center" });
  /** @type {HTMLElement | null} */
  const first = place.matches("select, input, textarea")
    ? place
    : place.querySelector("input:not([type=hidden]), select, textarea");
  if (first) first.focus({ preventScroll: true });
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  for (const button of allParts(form, "[data-switch-button]")) button.hidden = true;
  for (const choice of allParts(form, "[data-switch]")) {
    choice.addEventListener("change", () => {
      const around = /** @type {HTMLElement} */ (choice.parentElement);
      const button = part(around, "[data-switch-button]", HTMLButtonElement);
      reshape(form, button).catch(() => {
        button.hidden = false; // it asks again
      });
    });
  }
  form.addEventListener("submit", (event) => {
    const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
    if (button?.value === "preview") return;
    if (!button || button.value === "save" || scriptFailed) {
      leaving = true;
      return;
    }
    event.preventDefault();
    reshape(form, button).catch(() => {
      scriptFailed = true;
      button.click();
    });
  });
}

let changed = false;
let leaving = false;
let scriptFailed = false;
document.addEventListener("input", (event) => {
  const control = /** @type {HTMLElement} */ (event.target);
  changed ||= control.closest(SELECTOR) !== null;
});
addEventListener("beforeunload", (event) => {
  if (changed && !leaving) event.preventDefault();
});
prepare(part(document, SELECTOR, HTMLFormElement));
const pane = optionalPart(document, "[data-preview-pane]", HTMLDialogElement);
const preview = pane && createDraftPreview(pane);

// A problem in the list leads to its field, wherever that is folded.
document.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("[data-findings] a[href^='#']");
  if (!link) return;
  event.preventDefault();
  lookAt((link.getAttribute("href") ?? "").slice(1));
});
const lookAtAddress = () => location.hash && lookAt(location.hash.slice(1));
addEventListener("hashchange", lookAtAddress);
/** @type {HTMLElement | null} */
const findings = document.querySelector("[data-findings]");
if (findings) findings.focus();
else lookAtAddress();
