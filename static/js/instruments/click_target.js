// A click on one of the item's pictures; null after a time-out.

import { allParts } from "../parts.js";

/** @import { TimedOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @typedef {HTMLElement} Picture a button with data-place, data-x and data-y */

/** @typedef {{ x: number, y: number }} Place */

/**
 * The answer is the picture's index in the order in which the page shows them.
 *
 * @type {Mount<TimedOptions, { shown: number } | null | undefined>}
 */
export function mount(root, { words, onChange }) {
  const form = /** @type {HTMLFormElement} */ (root.closest("form"));
  /** @type {Picture[]} */
  const pictures = allParts(form, ".picture");
  /** @type {{ shown: number } | null | undefined} */
  let value;

  /** @param {{ shown: number } | null | undefined} answer null after a time-out */
  function show(answer) {
    value = answer;
    for (const picture of pictures) {
      const isChosen = Number(picture.dataset.place) === answer?.shown;
      picture.setAttribute("aria-pressed", String(isChosen));
    }
  }

  /**
   * @param {Picture} picture
   * @param {DOMHighResTimeStamp} time
   */
  function choose(picture, time) {
    show({ shown: Number(picture.dataset.place) });
    onChange(time);
  }

  for (const picture of pictures) {
    picture.addEventListener("click", (event) => choose(picture, event.timeStamp));
  }

  form.addEventListener("keydown", (event) => {
    const at = pictures.indexOf(/** @type {Picture} */ (event.target));
    if (at >= 0 && !event.repeat && (event.key === " " || event.key === "Enter")) {
      // When the key goes down, and not when it is let go, as Space would press a button.
      event.preventDefault();
      choose(pictures[at], event.timeStamp);
    }
    // None has the focus at first, so that none is marked; the first arrow goes to the first one.
    const next = at >= 0 ? neighbour(pictures.map(placeOf), placeOf(pictures[at]), event.key) : 0;
    if (next === null || !(event.key in DIRECTIONS)) return;
    event.preventDefault();
    pictures[next]?.focus();
  });
  return {
    value: () => value,
    isAnswered: () => value !== undefined,
    problem: () => (value === undefined ? words.missing_choice : ""),
    setValue: show,
    settleTime(milliseconds) {
      if (milliseconds === null) show(null);
      return false; // the click itself said when
    },
    focus: () => pictures[0]?.focus(),
  };
}

/**
 * @param {Picture} picture
 * @returns {Place}
 */
const placeOf = (picture) => ({ x: Number(picture.dataset.x), y: Number(picture.dataset.y) });

/** @type {Record<string, [right: number, down: number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * The index of the nearest picture in an arrow's direction; null for other keys, or none there.
 *
 * @param {Place[]} places
 * @param {Place} from
 * @param {string} key
 */
export function neighbour(places, from, key) {
  if (!(key in DIRECTIONS)) return null;
  const [right, down] = DIRECTIONS[key];
  const distances = places.map(({ x, y }) => {
    const ahead = (x - from.x) * right + (y - from.y) * down;
    const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
    return ahead > 0 ? ahead + 2 * aside : Infinity;
  });
  const nearest = Math.min(...distances);
  return Number.isFinite(nearest) ? distances.indexOf(nearest) : null;
}
