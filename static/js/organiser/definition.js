// The campaign form without page loads: rows come and go and options follow their instrument.
// Each button does the same without this script, by sending the whole form.

import { fetchPage, replacePart } from "./fresh_page.js";

const SELECTOR = "[data-definition-form]";

async function reshape(form, button) {
  const data = new FormData(form);
  data.set("do", button.value);
  const target = new URL(button.getAttribute("formaction") || "", location.href).hash.slice(1);
  const { page } = await fetchPage(location.pathname, data);
  replacePart(form, page.querySelector(SELECTOR));
  prepare(document.querySelector(SELECTOR));
  lookAt(target);
}

function lookAt(id) {
  const place = document.getElementById(id) || document.getElementById(id.replace(/-\d+$/, ""));
  if (!place) return;
  place.scrollIntoView({ block: "nearest" });
  /** @type {HTMLElement | null} */
  const first = place.matches("select, input, textarea")
    ? place
    : place.querySelector("input:not([type=hidden]), select, textarea");
  if (first) first.focus({ preventScroll: true });
}

function prepare(form) {
  for (const button of form.querySelectorAll("[data-switch-button]")) button.hidden = true;
  for (const choice of form.querySelectorAll("[data-switch]")) {
    choice.addEventListener("change", () => {
      reshape(form, choice.parentElement.querySelector("[data-switch-button]"));
    });
  }
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
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
document.addEventListener("input", () => {
  changed = true;
});
addEventListener("beforeunload", (event) => {
  if (changed && !leaving) event.preventDefault();
});
prepare(document.querySelector(SELECTOR));
