// A click on one of the item's pictures; the answer is the picture's place, null after a time-out.

export function mount(root, { words, onChange }) {
  const pictures = [...root.closest("form").querySelectorAll(".picture")];
  let value;

  function choose(place) {
    value = place;
    for (const picture of pictures) {
      picture.setAttribute("aria-pressed", String(Number(picture.dataset.place) === place));
    }
  }

  for (const picture of pictures) {
    picture.addEventListener("click", (event) => {
      choose(Number(picture.dataset.place));
      onChange(event.timeStamp);
    });
    picture.addEventListener("keydown", (event) => {
      const next = neighbour(pictures.map(placeOf), placeOf(picture), event.key);
      if (next === null) return;
      event.preventDefault();
      pictures[next].focus();
    });
  }
  return {
    value: () => value,
    isAnswered: () => value !== undefined,
    problem: () => (value === undefined ? words.missing_choice : ""),
    setValue: choose,
    focus: () => pictures[0]?.focus(),
  };
}

const placeOf = (picture) => ({ x: Number(picture.dataset.x), y: Number(picture.dataset.y) });

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The index of the nearest picture in an arrow's direction; null for other keys, or none there. */
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
