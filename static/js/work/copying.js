// Where a campaign asks for it: mouse and finger do not select or copy the compared texts. Keys
// work as ever, and so does all that selects without pressing, such as screen readers.

const TEXTS = "[data-uncopied]";
// Styled: these texts cannot be selected meanwhile.
const POINTING = "is-pointing";

/**
 * @param {Document} document
 * @param {(isNeeded: boolean) => void} say why nothing was copied
 */
export function discourageCopying(document, say) {
  const { classList } = document.documentElement;
  const selection = /** @type {Selection} */ (document.getSelection());
  const ends = () => [
    ...[selection.anchorNode, selection.anchorOffset],
    ...[selection.focusNode, selection.focusOffset],
  ];
  const hasTexts = () =>
    !selection.isCollapsed &&
    [...document.querySelectorAll(TEXTS)].some((text) => selection.containsNode(text, true));
  let before = ends();
  let isHeld = false;
  let wasOnText = false;

  /** @param {PointerEvent} event */
  function pressed(event) {
    if (event.button !== 0) return;
    const byHand = isByHand(event);
    classList.toggle(POINTING, byHand);
    // A finger selects by handles, after it has left the screen: that lasts until the next key.
    isHeld = byHand && event.pointerType !== "touch";
    wasOnText = byHand && isIn(event, TEXTS);
    before = ends();
  }

  function released() {
    if (!isHeld) return;
    isHeld = false;
    const hasChanged = ends().some((end, index) => end !== before[index]);
    if (hasChanged && hasTexts()) {
      selection.removeAllRanges(); // begun outside, and drawn over a text
      say(true);
    }
    classList.remove(POINTING);
  }

  /** @param {ClipboardEvent} event */
  function copied(event) {
    if (isIn(event, "textarea, input")) return;
    const isTried = selection.isCollapsed && wasOnText;
    if (!isTried && !(classList.contains(POINTING) && hasTexts())) return;
    event.preventDefault();
    say(true);
  }

  const options = { capture: true };
  document.addEventListener("pointerdown", pressed, options);
  document.addEventListener("pointerup", released, options);
  document.addEventListener("pointercancel", released, options);
  document.addEventListener("keydown", () => isHeld || classList.remove(POINTING), options);
  document.addEventListener("copy", copied, options);
  document.addEventListener("click", (event) => isIn(event, "[data-next]") && say(false));
}

/**
 * Screen readers press with a pointer that has no size or no pressure.
 *
 * @param {PointerEvent} event
 */
function isByHand({ width, height, pressure, pointerType }) {
  return (width > 0 || height > 0) && (pressure > 0 || pointerType !== "mouse");
}

/**
 * @param {Event} event
 * @param {string} selector
 */
function isIn({ target }, selector) {
  return target instanceof Element && target.closest(selector) !== null;
}
