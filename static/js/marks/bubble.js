// The bar with the buttons flies to the chosen words where the window has room. Elsewhere it stays at
// the window's lower edge, which the style sheet does.

/** @import { Field, Fields } from "./fields.js" */
/** @import { Place } from "./markable.js" */

/** @typedef {{ field: Field, place: Place }} Chosen */

const ROOM = "(min-width: 52.01rem) and (min-height: 24rem)"; // as in spans.css
const GAP_PX = 6;

/**
 * @param {HTMLElement} bar
 * @param {Fields} fields
 */
export function createBubble(bar, fields) {
  const place = /** @type {HTMLElement} */ (bar.parentElement);
  const texts = Object.values(fields).map(({ element }) => element);
  const room = matchMedia(ROOM);
  /** @type {Chosen | null} */
  let chosen = null;
  let isSelecting = false;

  function settle() {
    const isUsed = [bar, ...texts].some((part) => part.contains(document.activeElement));
    const box = chosen && isUsed && room.matches && !isSelecting ? boxIn(chosen) : null;
    if (!box) return land();
    if (!bar.classList.contains("is-flying")) takeOff();
    return put(bar, box);
  }

  function takeOff() {
    bar.classList.add("is-flying");
    keepPlace(bar, place);
    addEventListener("scroll", settle, { capture: true, passive: true });
    addEventListener("resize", settle);
  }

  function land() {
    bar.classList.remove("is-flying");
    place.style.height = "";
    removeEventListener("scroll", settle, { capture: true });
    removeEventListener("resize", settle);
  }

  // While a mouse selects words, nothing covers those that come next.
  for (const text of texts) {
    text.addEventListener("pointerdown", ({ pointerType }) => {
      isSelecting = pointerType === "mouse";
      settle();
      const selected = () => {
        isSelecting = false;
        settle();
      };
      addEventListener("pointerup", selected, { once: true });
    });
  }
  const form = /** @type {HTMLFormElement} */ (bar.closest("form"));
  new ResizeObserver(() => tellHeight(bar, place)).observe(bar);
  for (const name of ["focusin", "focusout"]) {
    form.addEventListener(name, () => requestAnimationFrame(settle));
  }

  return {
    /**
     * @param {Field} field
     * @param {Place | null} place
     */
    goTo(field, place) {
      chosen = place && { field, place };
      settle();
    },
  };
}

/**
 * Keep free the room that a flying bar needs when it lands. It lands when a press on what follows
 * takes the focus away: if that moved, the button would come up over something else, and the
 * browser would report no click.
 *
 * @param {HTMLElement} bar
 * @param {HTMLElement} place
 */
function keepPlace(bar, place) {
  if (!bar.classList.contains("is-flying")) return;
  bar.classList.remove("is-flying");
  place.style.height = "";
  const { height } = bar.getBoundingClientRect();
  bar.classList.add("is-flying");
  place.style.height = `${height}px`;
}

/**
 * Keep the place of a bar that flies, and tell the style sheet how much of the window's lower edge
 * one that does not takes.
 *
 * @param {HTMLElement} bar
 * @param {HTMLElement} place
 */
function tellHeight(bar, place) {
  keepPlace(bar, place);
  const height = bar.classList.contains("is-flying") ? 0 : bar.offsetHeight;
  document.documentElement.style.setProperty("--bar", `${height}px`);
}

/** @typedef {{ first: DOMRect, last: DOMRect, text: DOMRect, isRightToLeft: boolean }} Box */

/**
 * Where the chosen words are; null when none of them is in the window.
 *
 * @param {Chosen} chosen
 * @returns {Box | null}
 */
function boxIn({ field, place }) {
  const lines = [...field.rangeOf(place).getClientRects()];
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last || last.bottom < 0 || first.top > innerHeight) return null;
  const text = field.element.getBoundingClientRect();
  return { first, last, text, isRightToLeft: getComputedStyle(field.element).direction === "rtl" };
}

/**
 * Above the words, where it covers what has been read; below them in the first lines.
 *
 * @param {HTMLElement} bar
 * @param {Box} box
 */
function put(bar, { first, last, text, isRightToLeft }) {
  const { offsetWidth: width, offsetHeight: height } = bar;
  const above = first.top - height - GAP_PX;
  const x = isRightToLeft ? first.right - width : first.left;
  const y = above < Math.max(0, text.top) ? last.bottom + GAP_PX : above;
  /** @type {(place: number, most: number) => string} */
  const within = (place, most) => `${Math.max(GAP_PX, Math.min(place, most - GAP_PX))}px`;
  bar.style.setProperty("--x", within(x, document.documentElement.clientWidth - width));
  bar.style.setProperty("--y", within(y, innerHeight - height));
}
