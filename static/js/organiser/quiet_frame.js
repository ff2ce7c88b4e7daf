// In the frame next to a form, a screen appears while somebody types in the form. It takes the
// focus only when the frame itself has it.

const focusAnywhere = HTMLElement.prototype.focus;
/** @param {FocusOptions} [options] */
HTMLElement.prototype.focus = function focusInside(options) {
  if (document.hasFocus()) focusAnywhere.call(this, options);
};
