// A meaning representation as pictures: where the place lies on a map, and icons for the rest.

import { make, optionalPart, part } from "../parts.js";

const ON_THE_MAP = ["name", "area", "near"];
// Attributes by the name that their icon has; the E2E data and other sets differ here.
/** @type {Record<string, string>} */
const ICONS = { rating: "customer rating" };

/**
 * Fill the figure of a pictorial block (templates/participant/blocks/_pictures.html).
 *
 * @param {HTMLElement} target
 * @param {[string, string][]} pairs
 */
export function fillPictorial(target, pairs) {
  const values = Object.fromEntries(pairs);
  const figure = part(target, "[data-pictorial-figure]");
  figure.hidden = false;
  // Screen readers read the facts.
  figure.setAttribute("aria-label", pairs.map((pair) => pair.join(": ")).join("; "));
  placePins(figure, values);
  const icons = part(figure, "[data-icons]");
  for (const [name, value] of pairs.filter(([name]) => !ON_THE_MAP.includes(name))) {
    const entry = make(icons, "li");
    const selector = `template[data-icon="${CSS.escape(ICONS[name] ?? name)}"]`;
    const icon = optionalPart(target, selector, HTMLTemplateElement);
    if (icon) entry.append(icon.content.cloneNode(true));
    make(entry, "bdi", "", icon ? inSigns(name, value) : `${name}: ${value}`);
  }
}

/**
 * @param {HTMLElement} figure
 * @param {{ name?: string, area?: string, near?: string }} values
 */
function placePins(figure, { name = "", area = "", near = "" }) {
  const known = `[data-spot="${CSS.escape(area)}"]`;
  const spot =
    optionalPart(figure, known, SVGElement) ?? part(figure, '[data-spot=""]', SVGElement);
  spot.removeAttribute("hidden");
  const [x, y] = (spot.getAttribute("transform")?.match(/[\d.]+/g) ?? []).map(Number);
  const venue = part(figure, "[data-venue-name]", SVGElement);
  venue.textContent = name;
  venue.setAttribute("x", String(x));
  venue.setAttribute("y", String(y - 42));
  if (!near) return;
  const neighbour = part(figure, "[data-neighbour]", SVGElement);
  neighbour.removeAttribute("hidden");
  neighbour.setAttribute("transform", `translate(${x > 100 ? x - 70 : x + 70} ${y})`);
  part(neighbour, "[data-neighbour-name]", SVGElement).textContent = near;
}

/** @type {Record<string, number>} */
const LEVELS = { low: 1, cheap: 1, average: 3, moderate: 3, high: 5 };

/**
 * The value in signs where there are any: stars, pound signs, a tick or a cross.
 *
 * @param {string} name
 * @param {string} value
 */
export function inSigns(name, value) {
  if (name === "familyFriendly") return { yes: "✓", no: "✗" }[value] ?? value;
  const level = LEVELS[value] ?? Number(/^([1-5]) out of 5$/.exec(value)?.[1]);
  if (!level) return value;
  if ((ICONS[name] ?? name) === "customer rating") return "★".repeat(level) + "☆".repeat(5 - level);
  return name === "priceRange" ? "£".repeat(Math.ceil(level / 2)) : value;
}
