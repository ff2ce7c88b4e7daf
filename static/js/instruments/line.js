// A line with a handle, for mouse, finger and keyboard; there is no handle before the first touch.

import { part } from "../parts.js";

const TAP_SLACK_PX = 8;
const HANDLE_SHARE = 0.03;

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
 * @param {HTMLElement} slider an element with role=slider and a
 *   `[data-handle]` inside
 * @param {LineOptions} options
 */
export function createLine(slider, { scale, text, labelledBy, onInput, onKey }) {
  const handle = part(slider, "[data-handle]");
  const { least = scale.minimum, largest = scale.maximum } = scale;
  /** @param {number} number */
  const share = (number) => (number - scale.minimum) / (scale.maximum - scale.minimum);
  /** @type {number | null} */
  let value = null;
  const isBeyond = () => value !== null && value > scale.maximum;

  slider.setAttribute("aria-labelledby", labelledBy);
  slider.setAttribute("aria-valuemin", String(least));
  show(null);

  /** @param {number | null} next */
  function show(next) {
    value = next;
    handle.hidden = value === null;
    tellValue(slider, scale, value, text(value));
    slider.classList.toggle("is-beyond", isBeyond());
    if (value !== null)
      handle.style.insetInlineStart = `${share(within(scale.minimum, value, scale.maximum)) * 100}%`;
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

  let hasMoved = false;
  watchPointer(slider, {
    onMove(event, isPress) {
      const next = valueAt(slider, scale, event.clientX);
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

  slider.addEventListener("keydown", (event) => {
    const next = keyTarget(event.key, value, scale, isRightToLeft(slider));
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey)
      return void onKey?.(event);
    event.preventDefault();
    move(next, event.timeStamp);
  });

  return { value: () => value, show, focus: () => slider.focus() };
}

/**
 * ARIA wants a number at all times; what is read out is the text.
 *
 * @param {HTMLElement} slider
 * @param {Scale} scale
 * @param {number | null} value
 * @param {string} text
 */
function tellValue(slider, { start, maximum }, value, text) {
  const number = value ?? start;
  slider.setAttribute("aria-valuemax", String(Math.max(maximum, number)));
  slider.setAttribute("aria-valuenow", String(number));
  slider.setAttribute("aria-valuetext", text);
}

/** @param {HTMLElement} slider */
const isRightToLeft = (slider) => getComputedStyle(slider).direction === "rtl";

/**
 * @param {HTMLElement} slider
 * @param {Scale} scale
 * @param {number} clientX
 */
function valueAt(slider, { minimum, maximum }, clientX) {
  const box = slider.getBoundingClientRect();
  const along = (clientX - box.left) / box.width;
  return minimum + (isRightToLeft(slider) ? 1 - along : along) * (maximum - minimum);
}

/**
 * @param {number} low
 * @param {number} number
 * @param {number} high
 */
const within = (low, number, high) => Math.min(high, Math.max(low, number));

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
