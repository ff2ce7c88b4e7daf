// What raters will see of the form as it is typed. The form is posted into a frame, and the server
// answers with the rater's page; nothing is stored.

import { part } from "../parts.js";

const TYPING_MS = 500;
const WIDE = "(min-width: 80rem)";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** @param {HTMLDialogElement} pane */
export function createDraftPreview(pane) {
  const stage = part(pane, "[data-preview-stage]");
  const send = part(pane, "[data-send-preview]", HTMLButtonElement);
  const at = part(pane, "[name=preview_at]", HTMLInputElement);
  const wide = matchMedia(WIDE);
  let timer = 0;
  let loaded = 0;

  function later(milliseconds = TYPING_MS) {
    clearTimeout(timer);
    if (pane.open) timer = setTimeout(load, milliseconds);
  }

  /** A new frame each time: a navigation of the old one would be a step in the history. */
  function load() {
    const fresh = newFrame(`draft-preview-${++loaded}`, stage.dataset.title ?? "");
    send.formTarget = fresh.name;
    fresh.addEventListener("load", () => show(fresh), { once: true });
    for (const unfinished of stage.querySelectorAll("[data-loading]")) unfinished.remove();
    stage.append(fresh);
    send.form?.requestSubmit(send);
  }

  /** @param {HTMLIFrameElement} fresh */
  function show(fresh) {
    delete fresh.dataset.loading;
    for (const old of stage.querySelectorAll("iframe")) if (old !== fresh) old.remove();
  }

  function place() {
    if (pane.open) pane.close();
    if (wide.matches) pane.setAttribute("open", "");
    later(0);
  }
  wide.addEventListener("change", place);
  part(pane, "[data-close-preview]").addEventListener("click", () => pane.close());
  part(pane, "select").addEventListener("change", () => later(0));
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("[data-open-preview]");
    if (!button) return;
    event.preventDefault();
    pane.showModal();
    later(0);
  });
  document.addEventListener("input", (event) => {
    if (inForm(/** @type {Field} */ (event.target))) later();
  });
  document.addEventListener("focusin", (event) => {
    const field = /** @type {Field} */ (event.target);
    if (!inForm(field) || !field.name || field.name === "do") return;
    const isElsewhere = partOf(field.name) !== partOf(at.value);
    at.value = field.name;
    if (isElsewhere) later();
  });
  /** @param {Field} element */
  const inForm = (element) => element.form === send.form && !pane.contains(element);

  place();
  return { refresh: () => later(0) };
}

/**
 * @param {string} name
 * @param {string} title
 */
function newFrame(name, title) {
  const frame = Object.assign(document.createElement("iframe"), { name, title });
  // It may run our scripts, which the policy of its page holds to our own files, and nothing more.
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.dataset.loading = "";
  return frame;
}

/**
 * The row or the text that a field belongs to: "criteria.2", "texts.consent".
 *
 * @param {string} name
 */
const partOf = (name) => name.split(".", 2).join(".");
