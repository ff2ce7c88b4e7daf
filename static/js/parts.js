// The parts of templates: that each is there, and what kind of element it is, is checked when a script asks for it.

/**
 * The element at a selector; a template without it is a bug.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type] the element's class, where it is not a plain HTMLElement
 * @returns {T}
 */
export function part(root, selector, type) {
  const found = optionalPart(root, selector, type);
  if (!found) throw new TypeError(`no part ${selector}`);
  return found;
}

/**
 * The element at a selector, or null.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type]
 * @returns {T | null}
 */
export function optionalPart(root, selector, type) {
  const found = root.querySelector(selector);
  if (found && !(found instanceof (type ?? HTMLElement)))
    throw new TypeError(`wrong part ${selector}`);
  return /** @type {T | null} */ (found);
}

/**
 * All elements at a selector, in the order of the page.
 *
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export const allParts = (root, selector) =>
  /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);

/**
 * A copy of the first element of a template.
 *
 * @param {HTMLTemplateElement} template
 * @returns {HTMLElement}
 */
export const copyOf = ({ content }) =>
  /** @type {HTMLElement} */ (content.firstElementChild?.cloneNode(true));

/**
 * A new element at the end of another one.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {ParentNode & Node} parent
 * @param {Name} name
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(parent, name, className = "", text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

let ids = 0;

/**
 * The id of an element that names or describes a control; it gets one if it has none.
 *
 * @param {Element} element
 * @param {string} what
 */
export function identify(element, what) {
  if (!element.id) {
    ids += 1;
    element.id = `${what}-${ids}`;
  }
  return element.id;
}
