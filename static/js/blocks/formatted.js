// A text in Markdown: the tree that the server made of it, built node by node. No markup is parsed
// here, and what the lists below do not name is left out (rankme/markdown/cleaning.py has its own).

import { optionalPart } from "../parts.js";

/** @import { FormattedNode, Stamp, Tree, View } from "../work/types.js" */

const MATHML = "http://www.w3.org/1998/Math/MathML";
const TEXT = new Set(
  "p br hr h3 h4 h5 h6 blockquote pre code em strong s ul ol li table thead tbody tr th td span div".split(
    " ",
  ),
);
const FORMULAS = new Set(
  (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover " +
    "munderover mmultiscripts mprescripts mtable mtr mtd mpadded mphantom mstyle menclose"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "class start display mathvariant accent accentunder fence form largeop lspace rspace maxsize " +
    "minsize movablelimits separator stretchy symmetric width linethickness displaystyle " +
    "scriptlevel notation"
  ).split(" "),
);
const PLAIN = /^[\w.+% -]{0,100}$/;
const OWN_DIRECTION = new Set("p h3 h4 h5 h6 blockquote ul ol li th td".split(" "));
const SCROLLED = "pre, .md-table, .md-block";

/**
 * Show a text as Markdown, with the button that shows its source instead. A text without a tree is
 * too long for that: its source is all there is.
 *
 * @param {HTMLElement} target
 * @param {string} source
 * @param {Tree} tree
 * @param {Omit<View, "on">} shown what the record calls it
 */
export function fillFormatted(target, source, tree, shown) {
  const around = /** @type {HTMLElement} */ (target.parentElement);
  const button = optionalPart(around, "[data-source]");
  target.dir = "auto";
  let isSource = !tree;
  const show = () => {
    target.classList.toggle("is-source", isSource);
    if (isSource) target.textContent = source;
    else target.replaceChildren(...(tree ?? []).map((node) => built(node)));
    button?.setAttribute("aria-pressed", String(isSource));
    scrolled ??= new ResizeObserver(reachScrolled);
    for (const part of target.querySelectorAll(SCROLLED)) scrolled.observe(part);
  };
  show();
  if (!button) return;
  button.hidden = !tree;
  button.addEventListener("click", (event) => {
    isSource = !isSource;
    show();
    announceView(button, { ...shown, on: isSource }, event.timeStamp);
  });
}

/**
 * Tell the screen what the rater looks at now; its times are stored with the answers.
 *
 * @param {HTMLElement} element
 * @param {View} view
 * @param {Stamp} stamp
 */
export function announceView(element, view, stamp) {
  element.dispatchEvent(new CustomEvent("view", { bubbles: true, detail: { view, stamp } }));
}

/** @type {ResizeObserver | undefined} */
let scrolled;

/**
 * What scrolls must be reachable without a mouse.
 *
 * @param {ResizeObserverEntry[]} entries
 */
function reachScrolled(entries) {
  for (const { target } of entries) {
    const element = /** @type {HTMLElement} */ (target);
    if (element.scrollWidth > element.clientWidth + 1) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
}

/**
 * @param {FormattedNode | Record<string, string>} node
 * @returns {Node}
 */
function built(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [name, ...rest] = Array.isArray(node) ? node : [];
  const isFormula = FORMULAS.has(String(name));
  if (typeof name !== "string" || !(isFormula || TEXT.has(name))) return new Text("");
  const element = isFormula ? document.createElementNS(MATHML, name) : document.createElement(name);
  const attributes = isAttributes(rest[0]) ? rest[0] : {};
  for (const [attribute, value] of Object.entries(attributes)) {
    if (ATTRIBUTES.has(attribute) && PLAIN.test(value)) element.setAttribute(attribute, value);
  }
  if (OWN_DIRECTION.has(name)) element.setAttribute("dir", "auto");
  element.append(...rest.filter((child) => !isAttributes(child)).map(built));
  return name === "table" ? framed(element) : element;
}

/** @type {(part: FormattedNode | Record<string, string>) => part is Record<string, string>} */
const isAttributes = (part) => typeof part === "object" && !Array.isArray(part);

/** @param {Element} table */
function framed(table) {
  const frame = table.ownerDocument.createElement("div");
  frame.className = "md-table";
  frame.append(table);
  return frame;
}
