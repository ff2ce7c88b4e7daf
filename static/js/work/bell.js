// A short bell before a timed trial; its visual twin is the fixation mark's ring (CSS).

/** @import { Bell } from "./types.js" */

const SECONDS = 0.25;

/**
 * `wanted()` says whether the rater wants sound; nothing sounds before a first key or click.
 *
 * @param {typeof globalThis.AudioContext | undefined} AudioContext
 * @param {() => boolean} wanted
 * @returns {Bell}
 */
export function createBell(AudioContext, wanted) {
  /** @type {AudioContext | null} */
  let context = null;
  return {
    /** Browsers give sound only to a page that was touched: call this from a click or key. */
    allow() {
      if (!AudioContext || !wanted()) return;
      try {
        context ??= new AudioContext();
      } catch {
        // A device without sound: the ring around the mark says the same.
      }
    },
    ring() {
      if (!context || !wanted()) return;
      const tone = context.createOscillator();
      const volume = context.createGain();
      tone.frequency.value = 880;
      volume.gain.setValueAtTime(0.2, context.currentTime);
      volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + SECONDS);
      tone.connect(volume).connect(context.destination);
      tone.start();
      tone.stop(context.currentTime + SECONDS);
    },
  };
}
