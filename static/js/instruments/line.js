// A line with a handle, for mouse, finger and keyboard; there is no handle before the first touch.

const TAP_SLACK_PX = 8;
const HANDLE_SHARE = 0.03;

/** @param {KeyboardEvent} event */
const ignore = (event) => void event;

/**
 * @typedef {object} Scale
 * @property {number} minimum
 * @property {number} maximum
 * @property {number} start where the first key puts the handle
 * @property {number} step
 * @property {number} [least] where numbers may be other than on the line
 * @property {number} [largest] likewise
 */

/**
 * @typedef {object} LineOptions
 * @property {Scale} scale
 * @property {(value: number | null) => string} text what is read out
 * @property {string} labelledBy
 * @property {(value: number, time: DOMHighResTimeStamp) => void} onInput the rater moved the handle
 * @property {(event: KeyboardEvent) => void} [onKey] keys that are not the line's
 */

/**
 * @param {import("./contract.js").TemplateElement} slider an element with role=slider and a
 *   `[data-handle]` inside
 * @param {LineOptions} options
 */
export function createLine(slider, { scale, text, labelledBy, onInput, onKey = ignore }) {
  const handle = slider.querySelector("[data-handle]");
  const { least = scale.minimum, largest = scale.maximum } = scale;
  /**
   * @param {number} low
   * @param {number} number
   * @param {number} high
   */
  const within = (low, number, high) => Math.min(high, Math.max(low, number));
  /** @param {number} number */
  const onTheLine = (number) => within(scale.minimum, number, scale.maximum);
  /** @param {number} number */
  const share = (number) => (number - scale.minimum) / (scale.maximum - scale.minimum);
  /** @type {number | null} */
  let value = null;

  slider.setAttribute("aria-labelledby", labelledBy);
  slider.setAttribute("aria-valuemin", least);
  show(null);

  /** @param {number | null} next */
  function show(next) {
    value = next;
    handle.hidden = value === null;
    // ARIA wants a number at all times; what is read out is the text.
    slider.setAttribute("aria-valuemax", Math.max(scale.maximum, value ?? scale.start));
    slider.setAttribute("aria-valuenow", value ?? scale.start);
    slider.setAttribute("aria-valuetext", text(value));
    slider.classList.toggle("is-beyond", isBeyond());
    if (value !== null) handle.style.insetInlineStart = `${share(onTheLine(value)) * 100}%`;
  }

  function isBeyond() {
    return value !== null && value > scale.maximum;
  }

  /**
   * @param {number} next
   * @param {DOMHighResTimeStamp} time
   */
  function move(next, time) {
    const rounded = Number((Math.round(next / scale.step) * scale.step).toFixed(6));
    const moved = within(least, rounded, largest);
    show(moved);
    onInput(moved, time);
  }

  const rightToLeft = () => getComputedStyle(slider).direction === "rtl";

  /** @param {number} clientX */
  function valueAt(clientX) {
    const box = slider.getBoundingClientRect();
    const along = (clientX - box.left) / box.width;
    return scale.minimum + (rightToLeft() ? 1 - along : along) * (scale.maximum - scale.minimum);
  }

  let hasMoved = false;
  watchPointer(slider, {
    onMove(event, isPress) {
      const next = valueAt(event.clientX);
      // The handle of a number beyond the line is at its end: pressing it does not move it.
      if (isPress && isBeyond() && share(next) > 1 - HANDLE_SHARE) return;
      hasMoved = true;
      move(next, event.timeStamp);
    },
    // The answer is given when the handle is let go.
    onRelease(event) {
      if (hasMoved && value !== null) onInput(value, event.timeStamp);
      hasMoved = false;
    },
  });

  slider.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const next = keyTarget(event.key, value, scale, rightToLeft());
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return onKey(event);
    event.preventDefault();
    move(next, event.timeStamp);
  });

  return { value: () => value, show, focus: () => slider.focus() };
}

/**
 * Where a key leads; the first arrow only puts the handle on the line, at its start.
 *
 * @param {string} key
 * @param {number | null} value
 * @param {Scale} scale
 * @param {boolean} [rightToLeft]
 * @returns {number | undefined} undefined for a key that is not the line's
 */
export function keyTarget(key, value, scale, rightToLeft = false) {
  const sideways = rightToLeft ? -1 : 1;
  /** @type {Record<string, number>} */
  const steps = {
    ArrowRight: sideways,
    ArrowLeft: -sideways,
    ArrowUp: 1,
    ArrowDown: -1,
    PageUp: 10,
    PageDown: -10,
  };
  if (key === "Home") return scale.minimum;
  if (key === "End") return Math.max(scale.maximum, value ?? scale.start);
  if (!(key in steps)) return undefined;
  return value === null ? scale.start : value + steps[key];
}

/**
 * A finger that scrolls the page past the line does not set it: only a tap or a sideways drag.
 *
 * @param {HTMLElement} slider
 * @param {{ onMove: (event: PointerEvent, isPress: boolean) => void,
 *   onRelease: (event: PointerEvent) => void }} listeners
 */
function watchPointer(slider, { onMove, onRelease }) {
  /** @type {number | null} */
  let from = null;
  let dragging = false;

  slider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = event.clientX;
    dragging = event.pointerType !== "touch";
    slider.setPointerCapture(event.pointerId);
    if (dragging) onMove(event, true);
  });
  slider.addEventListener("pointermove", (event) => {
    if (from === null) return;
    dragging ||= Math.abs(event.clientX - from) > TAP_SLACK_PX;
    if (dragging && event.clientX !== from) onMove(event, false);
  });
  slider.addEventListener("pointerup", (event) => {
    if (from !== null && !dragging) onMove(event, true);
    onRelease(event);
    from = null;
  });
  slider.addEventListener("pointercancel", () => (from = null));
}
