// Sliders of the planner, and its answer while they move.

import { fetchPage, replacePart } from "./fresh_page.js";

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form[data-planner]");
if (form) startPlanner(form);

/** @param {HTMLFormElement} form */
function startPlanner(form) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const numbers = form.querySelectorAll("[data-slides] input");
  for (const number of numbers) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = "1";
    slider.dataset.slider = number.name;
    slider.setAttribute("aria-label", number.labels?.[0]?.textContent ?? number.name);
    number.after(slider);
    slider.max = String(Math.max(2 * Number(number.value), 50));
    slider.value = number.value;
    slider.addEventListener("input", () => {
      number.value = slider.value;
    });
    number.addEventListener("input", () => {
      slider.value = number.value;
    });
  }
  let isAsking = false;
  let hasChanged = false;

  async function answer() {
    hasChanged = true;
    // One question at a time; the last state of the form is always asked for.
    if (isAsking) return;
    isAsking = true;
    while (hasChanged) {
      hasChanged = false;
      const fields = new URLSearchParams();
      for (const [name, value] of new FormData(form)) fields.set(name, String(value));
      try {
        const { page } = await fetchPage(`${form.dataset.planner}?${fields}`);
        const part = '[data-part="prospect"]';
        replacePart(form.querySelector(part), page.querySelector(part));
      } catch {
        // The old answer stays; the button asks again.
        break;
      }
    }
    isAsking = false;
  }

  form.addEventListener("input", answer);
}
