// The line above the work: where the rater is, and how long the rest will take.

import { say } from "./notices.js";
import { minutesLeft } from "./session.js";

/** @import { Material, PageDocument, PageView, Route, Step } from "./types.js" */

/**
 * @param {{ page: PageDocument, view: PageView, route: Route }} parts
 */
export function createHeader({ page, view, route }) {
  const { words } = page;

  /** @param {Step} step */
  function placeText(step) {
    const ofWork = step.material.document ? "document" : "progress";
    const name = step.practice ? "practice" : ofWork;
    return say(words, name, { number: step.number, count: step.count });
  }

  /**
   * @param {Step} step
   * @param {NonNullable<Material["document"]>} place
   */
  function placeInDocument(step, { segment, segments }) {
    if (page.screens[step.screen].closes_document) return words.whole_document;
    return say(words, "segment", { number: segment, count: segments });
  }

  /** @param {Step} step */
  function progressText(step) {
    const text = placeText(step);
    const { document } = step.material;
    if (document) return `${text} · ${placeInDocument(step, document)}`;
    if (step.screens === 1) return text;
    return `${text} · ${say(words, "page_of", { number: step.screen + 1, count: step.screens })}`;
  }

  return {
    placeText,
    /**
     * How long this rater took for a screen: the pace that the forecast uses.
     *
     * @param {number} milliseconds
     */
    took: (milliseconds) => void route.pace.push(milliseconds / 1_000),
    /**
     * @param {Step} step
     * @param {{ mayGoBack?: boolean }} [options]
     */
    show(step, { mayGoBack = false } = {}) {
      const left = route.left();
      const minutes = minutesLeft(left, route.pace, page.seconds_per_screen);
      const time = minutes === 1 ? words.minute_left : say(words, "minutes_left", { minutes });
      view.progress.textContent = `${progressText(step)} · ${time}`;
      view.bar.max = route.whole;
      view.bar.value = route.whole - left;
      view.undo.disabled = !mayGoBack;
    },
  };
}
