// A whole document on the page: its segments in order, and the questions in the place of one.

import { say } from "../work/notices.js";

/**
 * @typedef {import("../work/types.js").TemplateElement} TemplateElement
 * @typedef {import("../work/types.js").PageDocument} PageDocument
 * @typedef {import("../work/types.js").Material} Material
 * @typedef {Pick<typeof import("./fill.js"), "fillInput" | "given">} Fillers given and not
 *   imported: the module that has them loads this one
 */

/**
 * Put the segments around the questions: those of the segment, or of the whole after the last.
 *
 * @param {TemplateElement} block
 * @param {Material} material
 * @param {PageDocument} page
 * @param {Fillers} fillers
 */
export function fillDocument(block, material, page, { fillInput, given }) {
  const list = block.querySelector("[data-document]");
  const template = block.querySelector("template[data-segment]");
  const here = block.querySelector("[data-here]");
  const isWhole = block.classList.contains("is-whole");
  const segments = segmentsOf(material, page);
  segments.forEach((segment, index) => {
    const entry = template.content.firstElementChild.cloneNode(true);
    const isHere = segment === material && !isWhole;
    entry.querySelector("[data-segment-name]").textContent = say(page.words, "segment_number", {
      number: index + 1,
      count: segments.length,
    });
    fillInput(entry.querySelector("[data-segment-input]"), segment.input, page);
    const outputs = entry.querySelector("[data-segment-outputs]");
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
 * @param {TemplateElement} parent
 * @param {string[]} outputs
 * @param {PageDocument} page
 * @param {Fillers["given"]} given
 */
function fillOutputs(parent, outputs, page, given) {
  outputs.forEach((text, index) => {
    const paragraph = document.createElement("p");
    if (outputs.length > 1) {
      const label = document.createElement("span");
      label.className = "output-name";
      label.textContent = `${say(page.words, "text_number", { number: index + 1 })} `;
      paragraph.append(label);
    }
    given(paragraph, text);
    parent.append(paragraph);
  });
}

/**
 * Where the page scrolls to, and what is read out first.
 *
 * @param {TemplateElement} entry
 */
function markPlace(entry) {
  entry.classList.add("is-here");
  entry.setAttribute("aria-current", "step");
  const heading = entry.querySelector("[data-segment-name]");
  heading.tabIndex = -1;
  heading.dataset.place = "";
}

/**
 * @param {TemplateElement} here
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
