// The consent page of a study that needs a mouse or a keyboard: nobody can agree without one. The
// style sheet already shows the form where there is a mouse.

import { hasMouse, mouseOrKeyboard } from "./device.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form.waits-for-device"));
const refusal = /** @type {HTMLElement} */ (document.getElementById("needs-device"));
const field = /** @type {HTMLInputElement} */ (form.querySelector("[name=device]"));

refusal.hidden = hasMouse();
mouseOrKeyboard().then((device) => {
  field.value = device;
  form.classList.remove("waits-for-device");
  refusal.hidden = true;
});
