// Times that can be believed: from the painted onset to the event's own time stamp.

/**
 * The onset of what was just put on the page, outside a frame: the frame after the one that
 * painted it. Wait for fonts and pictures before you call this.
 *
 * @param {import("./types.js").NextFrame} nextFrame
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
 * @param {import("./types.js").NextFrame} nextFrame
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

/**
 * One screen's times. All stamps are of one clock (performance.now, event.timeStamp, frames);
 * what is reported is relative to the onset. `before` is what an earlier page had counted, and
 * `viewsBefore` what it had shown. `wordsInView` is only asked after a long time without input.
 *
 * @param {{ onset: number, before?: number, activeBefore?: number, reloads?: number,
 *   viewsBefore?: import("./types.js").ScreenView[], wordsInView?: () => number }} parts
 */
export function createStopwatch({
  onset,
  before = 0,
  activeBefore = 0,
  reloads = 0,
  viewsBefore = [],
  wordsInView = () => 0,
}) {
  const views = [...viewsBefore];
  /** @type {Span[]} */
  const hidden = [];
  /** @type {Span[]} */
  const paused = [];
  /** @type {number | null} */
  let hiddenSince = null;
  /** @type {number | null} */
  let pausedSince = null;
  let blurs = 0;
  /** @type {number[]} */
  const early = [];
  /** @type {Set<string>} */
  const inputs = new Set();
  let lastInput = onset; // the press that led here
  let active = activeBefore;

  /** @param {number} stamp */
  const since = (stamp) => round(Math.max(0, stamp - onset));

  /**
   * @param {Span[]} list
   * @param {number} from
   * @param {number} stamp
   */
  const toggle = (list, from, stamp) => list.push([since(from), since(stamp)]);
  /** @param {Span[]} list */
  const total = (list) => list.reduce((sum, [from, to]) => sum + to - from, 0);

  /**
   * Milliseconds since the last input, up to a limit, in which the page was there to be read.
   *
   * @param {number} stamp
   */
  function activeUntil(stamp) {
    const from = since(lastInput);
    const isIdle = since(stamp) - from > IDLE_MS;
    const most = IDLE_MS + (isIdle ? MS_PER_WORD * wordsInView() : 0);
    const to = Math.min(since(stamp), from + most);
    /** @type {Span[]} */
    const gaps = [...hidden, ...paused];
    for (const begun of [hiddenSince, pausedSince])
      if (begun !== null) gaps.push([since(begun), to]);
    gaps.sort(([one], [other]) => one - other);
    let at = from;
    let there = 0;
    for (const [start, end] of gaps) {
      there += Math.max(0, Math.min(start, to) - at);
      at = Math.max(at, Math.min(end, to));
    }
    return there + Math.max(0, to - at);
  }

  return {
    since,
    /** @param {number} stamp */
    hide(stamp) {
      hiddenSince ??= stamp;
    },
    /** @param {number} stamp */
    show(stamp) {
      if (hiddenSince !== null) toggle(hidden, hiddenSince, stamp);
      hiddenSince = null;
    },
    blur() {
      blurs += 1;
    },
    /** @param {number} stamp */
    pause(stamp) {
      pausedSince ??= stamp;
    },
    /** @param {number} stamp */
    resume(stamp) {
      if (pausedSince !== null) toggle(paused, pausedSince, stamp);
      pausedSince = null;
    },
    /** @param {string} input a kind of pointer, or the keyboard */
    used(input) {
      inputs.add(input);
    },
    /**
     * A key, a press, a movement, a scroll, or a moment in which something plays.
     *
     * @param {number} stamp
     */
    moved(stamp) {
      active += activeUntil(stamp);
      lastInput = stamp;
    },
    /**
     * Milliseconds on this screen with the page in view and an input not too long ago.
     *
     * @param {number} stamp
     */
    active(stamp) {
      return round(active + activeUntil(stamp));
    },
    /**
     * A press that came too soon to be a response.
     *
     * @param {number} stamp
     */
    tooEarly(stamp) {
      if (early.length < MOST_EARLY) early.push(since(stamp));
    },
    /**
     * The rater switched a view on or off.
     *
     * @param {{ view: string, place?: number, on: boolean }} view
     * @param {number} stamp
     */
    viewed(view, stamp) {
      if (views.length < MOST_VIEWS) views.push({ ...view, at_ms: since(stamp), reload: reloads });
    },
    views: () => views,
    /**
     * Milliseconds on this screen so far, without the pauses.
     *
     * @param {number} stamp
     */
    spent(stamp) {
      return round(before + since(stamp) - total(paused));
    },
    /**
     * Milliseconds of that in which the page was in view, since it was loaded: see breaks.js.
     *
     * @param {number} stamp
     */
    worked(stamp) {
      return Math.max(0, round(since(stamp) - total(paused) - total(hidden)));
    },
    /**
     * @param {number} stamp
     * @param {object} device
     */
    times(stamp, device) {
      return {
        onset: round(onset),
        spent_ms: this.spent(stamp),
        active_ms: this.active(stamp),
        hidden: hidden.slice(0, MOST_SPANS),
        paused: paused.slice(0, MOST_SPANS),
        blurs,
        reloads,
        ...(early.length ? { early } : {}),
        ...(views.length ? { views } : {}),
        input: [...inputs].sort().join("+") || "none",
        ...device,
      };
    },
  };
}
