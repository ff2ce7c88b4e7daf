// Ids for the elements that name and describe a control.

let ids = 0;

/** The id of an element; it gets one of its own when it has none. */
export function identify(element, what) {
  if (!element.id) {
    ids += 1;
    element.id = `${what}-${ids}`;
  }
  return element.id;
}
