// A line with a handle, for mouse, finger and keyboard; there is no handle before the first touch.

const TAP_SLACK_PX = 8;
const HANDLE_SHARE = 0.03;

/** @param {KeyboardEvent} event */
const ignore = (event) => void event;

/**
 * slider: an element with role=slider and a `[data-handle]` inside ·
 * scale: {minimum, maximum, start, step}, and where numbers may be other than on the line, {least,
 * largest} · text(value): what is read out · onInput(value, time): the rater moved the handle ·
 * onKey(event): keys that are not the line's
 */
export function createLine(slider, { scale, text, labelledBy, onInput, onKey = ignore }) {
  const handle = slider.querySelector("[data-handle]");
  const { least = scale.minimum, largest = scale.maximum } = scale;
  const within = (low, number, high) => Math.min(high, Math.max(low, number));
  const onTheLine = (number) => within(scale.minimum, number, scale.maximum);
  const share = (number) => (number - scale.minimum) / (scale.maximum - scale.minimum);
  let value = null;

  slider.setAttribute("aria-labelledby", labelledBy);
  slider.setAttribute("aria-valuemin", least);
  show(null);

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

  function move(next, time) {
    const rounded = Number((Math.round(next / scale.step) * scale.step).toFixed(6));
    show(within(least, rounded, largest));
    onInput(value, time);
  }

  const rightToLeft = () => getComputedStyle(slider).direction === "rtl";

  function valueAt(clientX) {
    const box = slider.getBoundingClientRect();
    const along = (clientX - box.left) / box.width;
    return scale.minimum + (rightToLeft() ? 1 - along : along) * (scale.maximum - scale.minimum);
  }

  watchPointer(slider, (event, isPress) => {
    const next = valueAt(event.clientX);
    // The handle of a number beyond the line is at its end: pressing it does not move it.
    if (isPress && isBeyond() && share(next) > 1 - HANDLE_SHARE) return;
    move(next, event.timeStamp);
  });

  slider.addEventListener("keydown", (event) => {
    const next = keyTarget(event.key, value, scale, rightToLeft());
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return onKey(event);
    event.preventDefault();
    move(next, event.timeStamp);
  });

  return { value: () => value, show, focus: () => slider.focus() };
}

/** Where a key leads; the first arrow only puts the handle on the line, at its start. */
export function keyTarget(key, value, scale, rightToLeft = false) {
  const sideways = rightToLeft ? -1 : 1;
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

/** A finger that scrolls the page past the line does not set it: only a tap or a sideways drag. */
function watchPointer(slider, onMove) {
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
    from = null;
  });
  slider.addEventListener("pointercancel", () => (from = null));
}
