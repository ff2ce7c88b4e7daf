// How each screen is worked on, in sums: only in campaigns that keep traces. No text, place or key.

/** @import { Stamp, Trace } from "./types.js" */

// Half a pixel: where a program clicks that knows a control's box.
const CENTRE_PX = 0.5;
const INSTANT_MS = 2;
const JUMP_PX = 20;
const STOP_MS = 100;
const PAUSE_MS = 2_000;
// A press or a key that a click or an insertion belongs to is no longer ago.
const CAUSE_MS = 500;
const RETURN_MS = 10_000;
const TAKEN = ["insertFromPaste", "insertFromDrop"];
const TARGETS = "button, label, input, select, textarea, a, [role], [tabindex]";
const SUMS = [
  ...["events", "untrusted", "webdriver", "presses", "centred", "instant", "jumps", "touches"],
  ...["pens", "alone", "path_px", "stops", "keys", "key_mean_ms", "key_sd_ms", "typed"],
  ...["composed", "pasted", "pasted_own", "dropped", "inserted", "copied", "leaves", "away_ms"],
  ...["after_return", "last_ms", "obeyed"],
];
/** @returns {any} */
const nothing = () => Object.fromEntries(SUMS.map((name) => [name, 0]));

/** Counts the events of a page until it goes. */
export class Traces {
  #document;
  /** @type {Trace} */
  #trace = nothing();
  #onset = 0;
  // When there last was something to which a click or an insertion belongs, a key, …
  #cause = 0;
  #key = 0;
  #move = 0;
  #change = 0;
  #pressed = { clientX: 0, clientY: 0, timeStamp: 0 };
  #pointer = { clientX: 0, clientY: 0 };
  #moves = 0;
  #intervals = { number: 0, mean: 0, squares: 0 };
  /** @type {Stamp | null} */
  #awaySince = null;
  #returned = -RETURN_MS;
  #copiedText = "";
  // Where the campaign hides a text that only readers of the source find.
  #word = /** @type {HTMLInputElement | null} */ (null);

  /** @param {Document} document */
  constructor(document) {
    this.#document = document;
    this.#word = /** @type {HTMLInputElement | null} */ (document.querySelector("#source-word"));
    /** @type {Record<string, (event: any) => void>} */
    const listeners = {
      pointermove: (event) => this.#moved(event),
      pointerdown: (event) => this.#press(event),
      pointerup: (event) => this.#release(event),
      keydown: (event) => this.#typed(event),
      click: (event) => this.#clicked(event),
      copy: () => this.#copied(),
      paste: (event) => this.#taken("pasted", event.clipboardData, event.timeStamp),
      drop: (event) => this.#taken("dropped", event.dataTransfer, event.timeStamp),
      input: (event) => this.#entered(event),
      change: ({ timeStamp }) => (this.#change = timeStamp),
      visibilitychange: ({ timeStamp }) => this.#seen(!document.hidden, timeStamp),
    };
    for (const [name, listener] of Object.entries(listeners))
      document.addEventListener(name, listener, { passive: true, capture: true });
    const window = document.defaultView;
    window?.addEventListener("blur", ({ timeStamp }) => this.#seen(false, timeStamp));
    window?.addEventListener("focus", ({ timeStamp }) => this.#seen(true, timeStamp));
  }

  /** @param {Stamp} onset of a new screen */
  begin(onset) {
    this.#trace = nothing();
    this.#onset = this.#change = onset;
    this.#intervals = { number: 0, mean: 0, squares: 0 };
    if (this.#word) this.#word.value = "";
  }

  /**
   * What there is of this screen so far.
   *
   * @param {Stamp} stamp of the answer
   */
  summary(stamp) {
    const { number, mean, squares } = this.#intervals;
    const found = { ...this.#trace, key_mean_ms: mean };
    found.webdriver = Number(this.#document.defaultView?.navigator.webdriver === true);
    found.key_sd_ms = Math.sqrt(squares / Math.max(number - 1, 1));
    found.obeyed = Number(this.#word?.value.trim() === (this.#word?.dataset.word ?? null));
    found.last_ms = Math.max(0, stamp - this.#change);
    for (const name of /** @type {(keyof Trace)[]} */ (Object.keys(found)))
      found[name] = Math.round(found[name] * 10) / 10;
    return found;
  }

  /** @param {Event} event */
  #count({ isTrusted }) {
    this.#trace.events += 1;
    if (!isTrusted) this.#trace.untrusted += 1;
  }

  /** @param {PointerEvent} event */
  #moved({ clientX, clientY, timeStamp }) {
    this.#trace.path_px += distance(this.#pointer, { clientX, clientY });
    if (timeStamp - this.#move > STOP_MS) this.#trace.stops += 1;
    this.#pointer = { clientX, clientY };
    this.#move = timeStamp;
    this.#moves += 1;
  }

  /** @param {PointerEvent} event */
  #press(event) {
    this.#count(event);
    const { clientX, clientY, pointerType, timeStamp } = event;
    this.#trace.presses += 1;
    if (pointerType === "touch") this.#trace.touches += 1;
    if (pointerType === "pen") this.#trace.pens += 1;
    if (isCentred(event)) this.#trace.centred += 1;
    const isFar = distance(this.#pressed, event) > JUMP_PX;
    if (pointerType === "mouse" && this.#moves < 3 && isFar) this.#trace.jumps += 1;
    this.#pressed = { clientX, clientY, timeStamp };
    this.#moves = 0;
    this.#cause = timeStamp;
  }

  /** @param {PointerEvent} event */
  #release({ timeStamp }) {
    if (timeStamp - this.#pressed.timeStamp < INSTANT_MS) this.#trace.instant += 1;
    this.#cause = timeStamp;
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    this.#count(event);
    const interval = event.timeStamp - this.#key;
    this.#cause = this.#key = event.timeStamp;
    if (event.repeat) return;
    this.#trace.keys += 1;
    if (interval > PAUSE_MS) return;
    const { number, mean, squares } = this.#intervals;
    const next = mean + (interval - mean) / (number + 1); // Welford (1962)
    const more = (interval - mean) * (interval - next);
    this.#intervals = { number: number + 1, mean: next, squares: squares + more };
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    this.#count(event);
    if (event.timeStamp - this.#cause > CAUSE_MS) this.#trace.alone += 1;
    this.#cause = event.timeStamp; // a label's click comes again from its control
  }

  #copied() {
    this.#copiedText = String(this.#document.getSelection());
    this.#trace.copied += this.#copiedText.length;
  }

  /** @param {InputEvent} event */
  #entered(event) {
    this.#count(event);
    const { data, inputType, isComposing, timeStamp } = event;
    this.#change = timeStamp;
    const length = data?.length ?? 0;
    if (!length || TAKEN.includes(inputType)) return; // counted before
    if (isComposing || inputType === "insertCompositionText") this.#trace.composed += 1;
    else if (timeStamp - this.#key < CAUSE_MS && length < 3) this.#trace.typed += length;
    else this.#inserted("inserted", length, timeStamp);
  }

  /**
   * @param {"pasted" | "dropped"} how
   * @param {DataTransfer | null} data
   * @param {Stamp} stamp
   */
  #taken(how, data, stamp) {
    const text = data?.getData("text/plain") ?? "";
    if (text && text === this.#copiedText) this.#trace.pasted_own += text.length;
    else this.#inserted(how, text.length, stamp);
  }

  /**
   * @param {"pasted" | "dropped" | "inserted"} how
   * @param {number} length
   * @param {Stamp} stamp
   */
  #inserted(how, length, stamp) {
    this.#trace[how] += length;
    if (stamp - this.#returned < RETURN_MS) this.#trace.after_return += length;
  }

  /**
   * @param {boolean} isThere
   * @param {Stamp} stamp
   */
  #seen(isThere, stamp) {
    if (!isThere && this.#awaySince === null) {
      this.#awaySince = stamp;
      this.#trace.leaves += 1;
    } else if (isThere && this.#awaySince !== null && !this.#document.hidden) {
      this.#trace.away_ms += stamp - Math.max(this.#awaySince, this.#onset);
      this.#awaySince = null;
      this.#returned = stamp;
    }
  }
}

/** @typedef {{ clientX: number, clientY: number }} Point */

/**
 * @param {Point} one
 * @param {Point} other
 */
const distance = (one, other) =>
  Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);

/** @param {PointerEvent} event */
function isCentred({ target, clientX, clientY }) {
  const box = /** @type {Element} */ (target).closest(TARGETS)?.getBoundingClientRect();
  if (!box) return false;
  const centre = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  return (
    Math.abs(clientX - centre.clientX) <= CENTRE_PX &&
    Math.abs(clientY - centre.clientY) <= CENTRE_PX
  );
}
