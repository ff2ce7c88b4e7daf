// Times that can be believed: from the painted onset to the event's own time stamp.

/**
 * The onset of what was just put on the page, outside a frame: the frame after the one that
 * painted it. Wait for fonts and pictures before you call this.
 */
export function painted(nextFrame) {
  return new Promise((resolve) => nextFrame(() => nextFrame(resolve)));
}

/** Everything that a screen's pictures and fonts need before its onset can be measured. */
export async function ready(root, fonts) {
  const pictures = [...root.querySelectorAll("img")].map((image) =>
    image.decode().catch(() => undefined),
  );
  await Promise.all([fonts?.ready, ...pictures]);
}

/** Pictures that are decoded when their first screen comes; hold them, or the browser forgets. */
export async function decoded(sources, newImage) {
  const images = sources.map((src) => Object.assign(newImage(), { src }));
  await Promise.all(images.map((image) => image.decode().catch(() => undefined)));
  return images;
}

/** The median interval between frames, in milliseconds. */
export async function frameInterval(nextFrame, frames = 12) {
  const stamps = [];
  for (let frame = 0; frame <= frames; frame += 1) stamps.push(await new Promise(nextFrame));
  const intervals = stamps.slice(1).map((stamp, index) => stamp - stamps[index]);
  return round(intervals.sort((one, other) => one - other)[Math.floor(intervals.length / 2)]);
}

/** The smallest step that the clock was seen to make. */
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

export const round = (milliseconds, digits = 2) => Number(milliseconds.toFixed(digits));

const MOST_EARLY = 20;

/**
 * One screen's times. All stamps are of one clock (performance.now, event.timeStamp, frames);
 * what is reported is relative to the onset. `before` is what an earlier page had counted.
 */
export function createStopwatch({ onset, before = 0, reloads = 0 }) {
  const hidden = [];
  const paused = [];
  let hiddenSince = null;
  let pausedSince = null;
  let blurs = 0;
  const early = [];
  const inputs = new Set();

  const since = (stamp) => round(Math.max(0, stamp - onset));

  const toggle = (list, from, stamp) => list.push([since(from), since(stamp)]);
  const total = (list) => list.reduce((sum, [from, to]) => sum + to - from, 0);

  return {
    since,
    hide(stamp) {
      hiddenSince ??= stamp;
    },
    show(stamp) {
      if (hiddenSince !== null) toggle(hidden, hiddenSince, stamp);
      hiddenSince = null;
    },
    blur() {
      blurs += 1;
    },
    pause(stamp) {
      pausedSince ??= stamp;
    },
    resume(stamp) {
      if (pausedSince !== null) toggle(paused, pausedSince, stamp);
      pausedSince = null;
    },
    used(input) {
      inputs.add(input);
    },
    /** A press that came too soon to be a response. */
    tooEarly(stamp) {
      if (early.length < MOST_EARLY) early.push(since(stamp));
    },
    /** Milliseconds on this screen so far, without the pauses. */
    spent(stamp) {
      return round(before + since(stamp) - total(paused));
    },
    /** Milliseconds of that in which the page was in view, since it was loaded: see breaks.js. */
    worked(stamp) {
      return Math.max(0, round(since(stamp) - total(paused) - total(hidden)));
    },
    times(stamp, device) {
      return {
        onset: round(onset),
        spent_ms: this.spent(stamp),
        hidden,
        paused,
        blurs,
        reloads,
        ...(early.length ? { early } : {}),
        input: [...inputs].sort().join("+") || "none",
        ...device,
      };
    },
  };
}
