// Not a module: a browser that is too old for modules must be able to read it.

(function () {
  if ("noModule" in HTMLScriptElement.prototype && "HTMLDialogElement" in window) return;
  document.getElementById("old-browser").hidden = false;
  document.querySelector("form.needs-script").hidden = true;
})();
