// No imports or exports: a browser that is too old for modules must be able to read it.

(() => {
  if ("noModule" in HTMLScriptElement.prototype && "HTMLDialogElement" in window) return;
  const message = /** @type {HTMLElement} */ (document.getElementById("old-browser"));
  const form = /** @type {HTMLElement} */ (document.querySelector("form.needs-script"));
  message.hidden = false;
  form.hidden = true;
})();
