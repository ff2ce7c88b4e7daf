// Times that can be believed: from the painted onset to the event's own time stamp.

/** @import { Device, NextFrame, ScreenView, Times, View } from "./types.js" */

/**
 * The onset of what was just put on the page, outside a frame: the frame after the one that
 * painted it. Wait for fonts and pictures before you call this.
 *
 * @param {NextFrame} nextFrame
 * @returns {Promise<DOMHighResTimeStamp>}
 */
export function painted(nextFrame) {
  return new Promise((resolve) => nextFrame(() => nextFrame(resolve)));
}

/**
 * Everything that a screen's pictures and fonts need before its onset can be measured.
 *
 * @param {HTMLElement} root
 * @param {FontFaceSet} [fonts]
 */
export async function ready(root, fonts) {
  const pictures = [...root.querySelectorAll("img")].map((image) =>
    image.decode().catch(() => undefined),
  );
  await Promise.all([fonts?.ready, ...pictures]);
}

/**
 * Pictures that are decoded when their first screen comes; hold them, or the browser forgets.
 *
 * @param {string[]} sources
 * @param {() => HTMLImageElement} newImage
 */
export async function decoded(sources, newImage) {
  const images = sources.map((src) => Object.assign(newImage(), { src }));
  await Promise.all(images.map((image) => image.decode().catch(() => undefined)));
  return images;
}

/**
 * The median interval between frames, in milliseconds.
 *
 * @param {NextFrame} nextFrame
 * @param {number} [frames]
 */
export async function frameInterval(nextFrame, frames = 12) {
  /** @type {number[]} */
  const stamps = [];
  for (let frame = 0; frame <= frames; frame += 1) stamps.push(await new Promise(nextFrame));
  const intervals = stamps.slice(1).map((stamp, index) => stamp - stamps[index]);
  return round(intervals.sort((one, other) => one - other)[Math.floor(intervals.length / 2)]);
}

/**
 * The smallest step that the clock was seen to make.
 *
 * @param {() => number} now
 * @param {number} [tries]
 */
export function timerResolution(now, tries = 2_000) {
  let smallest = Infinity;
  let last = now();
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const stamp = now();
    if (stamp > last) smallest = Math.min(smallest, stamp - last);
    last = stamp;
  }
  return Number.isFinite(smallest) ? round(smallest, 4) : null;
}

/**
 * @param {number} milliseconds
 * @param {number} [digits]
 */
export const round = (milliseconds, digits = 2) => Number(milliseconds.toFixed(digits));

const MOST_EARLY = 20;
// The server refuses screens of more than 20,000 bytes: a view needs up to 80, a span 30.
const MOST_VIEWS = 60;
const MOST_SPANS = 60;
// A rater whose last input is longer ago may be somewhere else, or reads: careful readers take half
// a second for a word.
const IDLE_MS = 30_000;
const MS_PER_WORD = 500;

/** @typedef {[from: number, to: number]} Span milliseconds after the onset */

/** @param {Span[]} list */
const total = (list) => list.reduce((sum, [from, to]) => sum + to - from, 0);

/**
 * One screen's times. All stamps are of one clock (performance.now, event.timeStamp, frames);
 * what is reported is relative to the onset.
 */
export class Stopwatch {
  #onset;
  #before;
  #reloads;
  #wordsInView;
  #views;
  /** @type {Span[]} */
  #hidden = [];
  /** @type {Span[]} */
  #paused = [];
  /** @type {number | null} */
  #hiddenSince = null;
  /** @type {number | null} */
  #pausedSince = null;
  #blurs = 0;
  /** @type {number[]} */
  #early = [];
  /** @type {Set<string>} */
  #inputs = new Set();
  #lastInput;
  #active;

  /**
   * @param {{ onset: number, before?: number, activeBefore?: number, reloads?: number,
   *   viewsBefore?: ScreenView[], wordsInView?: () => number }} parts
   *   before: what an earlier page had counted · viewsBefore: what it had shown · wordsInView: only
   *   asked after a long time without input
   */
  constructor({ onset, before = 0, activeBefore = 0, reloads = 0, viewsBefore = [], wordsInView }) {
    this.#onset = onset;
    this.#before = before;
    this.#reloads = reloads;
    this.#wordsInView = wordsInView ?? (() => 0);
    this.#views = [...viewsBefore];
    this.#lastInput = onset; // the press that led here
    this.#active = activeBefore;
  }

  /** @param {number} stamp */
  since = (stamp) => round(Math.max(0, stamp - this.#onset));

  /** @param {number} stamp */
  hide(stamp) {
    this.#hiddenSince ??= stamp;
  }

  /** @param {number} stamp */
  show(stamp) {
    if (this.#hiddenSince !== null) this.#note(this.#hidden, this.#hiddenSince, stamp);
    this.#hiddenSince = null;
  }

  blur() {
    this.#blurs += 1;
  }

  /** @param {number} stamp */
  pause(stamp) {
    this.#pausedSince ??= stamp;
  }

  /** @param {number} stamp */
  resume(stamp) {
    if (this.#pausedSince !== null) this.#note(this.#paused, this.#pausedSince, stamp);
    this.#pausedSince = null;
  }

  /**
   * @param {Span[]} list
   * @param {number} from
   * @param {number} to
   */
  #note(list, from, to) {
    list.push([this.since(from), this.since(to)]);
  }

  /** @param {string} input a kind of pointer, or the keyboard */
  used(input) {
    this.#inputs.add(input);
  }

  /**
   * A key, a press, a movement, a scroll, or a moment in which something plays.
   *
   * @param {number} stamp
   */
  moved(stamp) {
    this.#active += this.#activeUntil(stamp);
    this.#lastInput = stamp;
  }

  /**
   * Milliseconds since the last input, up to a limit, in which the page was there to be read.
   *
   * @param {number} stamp
   */
  #activeUntil(stamp) {
    const from = this.since(this.#lastInput);
    const isIdle = this.since(stamp) - from > IDLE_MS;
    const most = IDLE_MS + (isIdle ? MS_PER_WORD * this.#wordsInView() : 0);
    const to = Math.min(this.since(stamp), from + most);
    /** @type {Span[]} */
    const gaps = [...this.#hidden, ...this.#paused];
    for (const begun of [this.#hiddenSince, this.#pausedSince])
      if (begun !== null) gaps.push([this.since(begun), to]);
    gaps.sort(([one], [other]) => one - other);
    let at = from;
    let there = 0;
    for (const [start, end] of gaps) {
      there += Math.max(0, Math.min(start, to) - at);
      at = Math.max(at, Math.min(end, to));
    }
    return there + Math.max(0, to - at);
  }

  /**
   * Milliseconds on this screen with the page in view and an input not too long ago.
   *
   * @param {number} stamp
   */
  active(stamp) {
    return round(this.#active + this.#activeUntil(stamp));
  }

  /**
   * A press that came too soon to be a response.
   *
   * @param {number} stamp
   */
  tooEarly = (stamp) => {
    if (this.#early.length < MOST_EARLY) this.#early.push(this.since(stamp));
  };

  /**
   * The rater switched a view on or off.
   *
   * @param {View} view
   * @param {number} stamp
   */
  viewed(view, stamp) {
    if (this.#views.length >= MOST_VIEWS) return;
    this.#views.push({ ...view, at_ms: this.since(stamp), reload: this.#reloads });
  }

  views = () => this.#views;

  /**
   * Milliseconds on this screen so far, without the pauses.
   *
   * @param {number} stamp
   */
  spent(stamp) {
    return round(this.#before + this.since(stamp) - total(this.#paused));
  }

  /**
   * Milliseconds of that in which the page was in view, since it was loaded: see breaks.js.
   *
   * @param {number} stamp
   */
  worked(stamp) {
    return Math.max(0, round(this.since(stamp) - total(this.#paused) - total(this.#hidden)));
  }

  /**
   * @param {number} stamp
   * @param {Device & Pick<Times, "files">} device
   * @returns {Times}
   */
  times(stamp, device) {
    return {
      onset: round(this.#onset),
      spent_ms: this.spent(stamp),
      active_ms: this.active(stamp),
      hidden: this.#hidden.slice(0, MOST_SPANS),
      paused: this.#paused.slice(0, MOST_SPANS),
      blurs: this.#blurs,
      reloads: this.#reloads,
      ...(this.#early.length ? { early: this.#early } : {}),
      ...(this.#views.length ? { views: this.#views } : {}),
      input: [...this.#inputs].sort().join("+") || "none",
      ...device,
    };
  }
}

/**
 * Count the words of an element that are in the window.
 *
 * @param {HTMLElement} root
 */
export function wordsInView(root) {
  const { ownerDocument: document } = root;
  const height = document.documentElement.clientHeight;
  const range = document.createRange();
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (nodes.nextNode()) {
    range.selectNodeContents(nodes.currentNode);
    words += shareInView([...range.getClientRects()], height) * countWords(range.toString());
  }
  return Math.round(words);
}

/**
 * The share of a text's lines that is between the top and the bottom of the window.
 *
 * @param {DOMRect[]} lines
 * @param {number} height
 */
function shareInView(lines, height) {
  /** @param {DOMRect[]} some */
  const length = (some) => some.reduce((sum, { width }) => sum + width, 0);
  const whole = length(lines);
  return whole ? length(lines.filter(({ top, bottom }) => bottom > 0 && top < height)) / whole : 0;
}

/** @type {Intl.Segmenter | undefined} */
let segmenter;

/**
 * Words, also of languages that are written without spaces.
 *
 * @param {string} text
 */
export function countWords(text) {
  if (!Intl.Segmenter) return text.split(/\s+/).filter(Boolean).length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}
