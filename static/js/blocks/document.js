// A whole document on the page: its segments in order, and the questions in the place of one.

import { copyOf, make, part } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { Material, PageDocument } from "../work/types.js" */

/**
 * @typedef {Pick<typeof import("./fill.js"), "fillInput" | "given">} Fillers given and not
 *   imported: the module that has them loads this one
 */

/**
 * Put the segments around the questions: those of the segment, or of the whole after the last.
 *
 * @param {HTMLElement} block
 * @param {Material} material
 * @param {PageDocument} page
 * @param {Fillers} fillers
 */
export function fillDocument(block, material, page, { fillInput, given }) {
  const list = part(block, "[data-document]");
  const template = part(block, "template[data-segment]", HTMLTemplateElement);
  const here = part(block, "[data-here]");
  const isWhole = block.classList.contains("is-whole");
  const segments = segmentsOf(material, page);
  segments.forEach((segment, index) => {
    const entry = copyOf(template);
    const isHere = segment === material && !isWhole;
    part(entry, "[data-segment-name]").textContent = say(page.words, "segment_number", {
      number: index + 1,
      count: segments.length,
    });
    fillInput(part(entry, "[data-segment-input]"), segment.input, page);
    const outputs = part(entry, "[data-segment-outputs]");
    if (isHere) outputs.replaceChildren(here);
    else fillOutputs(outputs, segment.outputs ?? [], page, given);
    if (isHere) markPlace(entry);
    list.append(entry);
  });
  if (isWhole) closeWith(here, page);
}

/**
 * All segments of the document; a practice example is a document of its own.
 *
 * @param {Material} material
 * @param {PageDocument} page
 */
function segmentsOf(material, page) {
  if (!material.document) return [material];
  const { first, segments } = material.document;
  return page.trials.slice(first, first + segments);
}

/**
 * The outputs as texts, in the order in which the questions have them.
 *
 * @param {HTMLElement} parent
 * @param {string[]} outputs
 * @param {PageDocument} page
 * @param {Fillers["given"]} given
 */
function fillOutputs(parent, outputs, page, given) {
  outputs.forEach((text, index) => {
    const paragraph = make(parent, "p");
    if (outputs.length > 1) {
      const name = say(page.words, "text_number", { number: index + 1 });
      make(paragraph, "span", "output-name", `${name} `);
    }
    given(paragraph, text);
  });
}

/**
 * Where the page scrolls to, and what is read out first.
 *
 * @param {HTMLElement} entry
 */
function markPlace(entry) {
  entry.classList.add("is-here");
  entry.setAttribute("aria-current", "step");
  const heading = part(entry, "[data-segment-name]");
  heading.tabIndex = -1;
  heading.dataset.place = "";
}

/**
 * @param {HTMLElement} here
 * @param {PageDocument} page
 */
function closeWith(here, page) {
  const heading = document.createElement("h3");
  heading.className = "segment-name";
  heading.textContent = page.words.about_document;
  heading.tabIndex = -1;
  heading.dataset.place = "";
  here.prepend(heading);
}
