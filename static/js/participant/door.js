// The consent page of a study that needs a mouse or a keyboard: nobody can agree without one.

import { hasMouse, mouseOrKeyboard } from "./device.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form.needs-script"));
const refusal = /** @type {HTMLElement} */ (document.getElementById("needs-device"));
const field = /** @type {HTMLInputElement} */ (form.querySelector("[name=device]"));

form.hidden = !hasMouse();
refusal.hidden = hasMouse();
mouseOrKeyboard().then((device) => {
  field.value = device;
  form.hidden = false;
  refusal.hidden = true;
});
