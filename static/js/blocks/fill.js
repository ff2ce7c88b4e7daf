// Putting a trial's material into a screen: text as text, whatever it holds.

import { allParts, make } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { ImagesInput, Input, Material, MeaningInput, PageDocument, PlacedPicture, TablesInput, TextInput, Tree, View, Words } from "../work/types.js" */

// Each is loaded only where a screen has such a block.
/** @type {typeof import("./pictorial.js").fillPictorial} */
let fillPictorial;
/** @type {typeof import("./document.js").fillDocument} */
let fillDocument;
/** @type {typeof import("./dialogue.js").asDialogue} */
let asDialogue;
/** @type {typeof import("./files.js").mountFiles} */
let mountFiles;
/** @type {typeof import("./formatted.js")} */
let formatting;
/** @type {((form: HTMLElement, words: Words) => void)[]} what else the blocks of these screens do */
let ties = [];

/**
 * Load what the blocks of these screens need beyond this module.
 *
 * @param {HTMLTemplateElement[]} templates
 */
export async function prepareBlocks(templates) {
  /** @param {string} selector */
  const has = (selector) =>
    templates.some(({ content }) =>
      [content, ...[...content.querySelectorAll("template")].map((inner) => inner.content)].some(
        (part) => part.querySelector(selector),
      ),
    );
  if (has("[data-pictorial]")) ({ fillPictorial } = await import("./pictorial.js"));
  if (has("[data-document]")) ({ fillDocument } = await import("./document.js"));
  if (has("[data-markdown], [data-markdown-turns]")) formatting = await import("./formatted.js");
  if (has("[data-dialogue]")) ({ asDialogue } = await import("./dialogue.js"));
  if (has("[data-files]")) ({ mountFiles } = await import("./files.js"));
  ties = [];
  if (has("[data-difference]")) ties.push((await import("./difference.js")).tieDifference);
  if (has("[data-lookup]")) ties.push((await import("./lookup.js")).tieLookup);
  if (has(".side-by-side")) ties.push((await import("./columns.js")).fitColumns);
}

/**
 * The pictures, sounds and films of a screen; null where it has none.
 *
 * @param {HTMLElement} form
 * @param {HTMLElement[]} rows
 * @param {Material} material
 * @param {Words} words
 */
export function filesOf(form, rows, material, words) {
  return form.querySelector("[data-files]") ? mountFiles(form, rows, material, words) : null;
}

/**
 * A text of somebody else's: its own direction, shut off from its neighbours, and never translated
 * by a browser.
 *
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {"bdi" | "span"} [name]
 */
export function given(parent, text, name = "bdi") {
  const element = make(parent, name, "given", text);
  return Object.assign(element, { dir: "auto", translate: false });
}

/**
 * Fill every `data-fill` of a screen.
 *
 * @param {HTMLElement} root
 * @param {Material} material
 * @param {PageDocument} page
 */
export function fillScreen(root, material, page) {
  /** @type {Record<string, (target: HTMLElement) => void>} */
  const fillers = {
    input: (target) => {
      if (!isMarkdown(target)) return fillInput(target, material.input, page);
      const { text = "" } = /** @type {TextInput} */ (material.input);
      return formatting.fillFormatted(target, text, formatted?.input, { view: "input source" });
    },
    standard_input: (target) => fillInput(target, page.standard_input, page),
    images: (target) => fillInput(target, material.input, page),
    reference: (target) =>
      fillText(target, material.reference ?? "", formatted?.reference, {
        view: "reference source",
      }),
    context: (target) => fillContext(target, material, "outputs"),
    reference_context: (target) => fillContext(target, material, "reference"),
  };
  const { formatted } = material;
  for (const target of allParts(root, "[data-fill]")) {
    fillers[target.dataset.fill ?? ""]?.(target);
  }
  for (const block of allParts(root, "[data-block=document]")) {
    fillDocument(block, material, page, { fillInput, given });
  }
  for (const block of allParts(root, "[data-dialogue]")) {
    asDialogue(block, page.words, formatted, formatting);
  }
  for (const tie of ties) tie(root, page.words);
}

/** @param {HTMLElement} target */
const isMarkdown = (target) => "markdown" in target.dataset;

/**
 * A text as it is, or as Markdown where the block says so.
 *
 * @param {HTMLElement} target
 * @param {string} text
 * @param {Tree} tree
 * @param {Omit<View, "on">} shown what the record calls its source
 */
export function fillText(target, text, tree, shown) {
  if (isMarkdown(target)) formatting.fillFormatted(target, text, tree, shown);
  else target.textContent = text;
}

/**
 * The judged sentence in its place: an output or the reference.
 *
 * @param {HTMLElement} target
 * @param {Material} material
 * @param {"outputs" | "reference"} of
 */
function fillContext(target, material, of) {
  const [before, after] = material.context ?? ["", ""];
  const sentence = (of === "outputs" ? material.outputs?.[0] : material.reference) ?? "";
  if (isMarkdown(target)) {
    const { context = [], outputs = [], reference } = material.formatted ?? {};
    const trees = [context[0], of === "outputs" ? outputs[0] : reference, context[1]];
    /** @type {Tree} */
    const tree = trees.every(Boolean)
      ? trees.map((nodes, index) => {
          const judged = index === 1 ? [{ class: "md-judged" }] : [];
          return ["div", ...judged, ...(nodes ?? [])];
        })
      : null;
    return formatting.fillFormatted(target, before + sentence + after, tree, {
      view: "context source",
    });
  }
  given(target, before, "span");
  const mark = make(target, "mark", "judged");
  given(mark, sentence);
  given(target, after, "span");
  return undefined;
}

/**
 * @param {HTMLElement} target
 * @param {Input | null | undefined} input
 * @param {PageDocument} page
 */
export function fillInput(target, input, page) {
  if (!input) return;
  if (input.kind === "mr") fillMeaning(target, input);
  else if (input.kind === "tables") fillTables(target, input);
  else if (input.kind === "images") fillImages(target, input, page);
  else given(make(target, "p"), input.text);
}

/**
 * In the order of the input, or in this rater's own where the block says so.
 *
 * @param {HTMLElement} target
 * @param {MeaningInput} input
 */
function fillMeaning(target, { pairs, order, in_words: inWords }) {
  if ("pictorial" in target.dataset && !inWords) return fillPictorial(target, pairs);
  const list = make(target, "dl", "meaning");
  const shown = order && "shuffle" in target.dataset ? order.map((index) => pairs[index]) : pairs;
  for (const [name, value] of shown) {
    const pair = make(list, "div");
    given(make(pair, "dt"), name);
    given(make(pair, "dd"), value);
  }
  return undefined;
}

/**
 * @param {HTMLElement} target
 * @param {TablesInput} input
 */
function fillTables(target, { tables }) {
  for (const table of tables) {
    const scroll = make(target, "div", "table-scroll");
    const element = make(scroll, "table");
    if (table.title) {
      given(make(element, "caption"), table.title);
      scroll.setAttribute("aria-label", table.title);
    }
    // A table that is wider than the page is scrolled with the arrow keys once it has the focus.
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    const numeric = table.columns.map((_, index) =>
      table.rows.every((row) => NUMBER.test(row[index] ?? "")),
    );
    fillRow(make(make(element, "thead"), "tr"), table.columns, numeric, () => "col");
    const body = make(element, "tbody");
    for (const row of table.rows) {
      fillRow(make(body, "tr"), row, numeric, (index) => (index ? "" : "row"));
    }
  }
}

const NUMBER = /^([-+]?[\d.,]+%?|N\/A|)$/;

/**
 * One row; scopeOf(index) says what a cell is the head of, "" for plain cells.
 *
 * @param {HTMLElement} row
 * @param {string[]} cells
 * @param {boolean[]} numeric
 * @param {(index: number) => string} scopeOf
 */
function fillRow(row, cells, numeric, scopeOf) {
  cells.forEach((text, index) => {
    const scope = scopeOf(index);
    const cell = make(row, scope ? "th" : "td", numeric[index] ? "number" : "");
    if (scope) cell.setAttribute("scope", scope);
    given(cell, text);
  });
}

/**
 * Pictures in their places: on the domain's own grid, or as close together as they come.
 *
 * @param {HTMLElement} target
 * @param {ImagesInput} input
 * @param {PageDocument} page
 */
function fillImages(target, { images, columns, rows }, page) {
  const across = columns ? null : sortedPlaces(images.map((image) => image.x));
  const isClicked = Boolean(target.closest("form")?.querySelector("[data-clicks-pictures]"));
  const down = rows ? null : sortedPlaces(images.map((image) => image.y));
  target.style.setProperty("--columns", String(across?.length ?? columns));
  target.style.setProperty("--rows", String(down?.length ?? rows));
  if (rows) target.style.gridTemplateRows = `repeat(${rows}, minmax(4rem, 1fr))`;
  images.forEach((image, index) => {
    const frame = isClicked
      ? makeTarget(target, index, image)
      : make(target, "div", "shown-picture");
    frame.style.gridColumn = String(across ? across.indexOf(image.x) + 1 : image.x);
    frame.style.gridRow = String(down ? down.indexOf(image.y) + 1 : image.y);
    const picture = make(frame, "img");
    picture.alt = say(page.words, "picture", { number: index + 1 });
    picture.src = page.pictures[image.picture];
    picture.draggable = false;
  });
}

/**
 * @param {HTMLElement} parent
 * @param {number} place
 * @param {PlacedPicture} image
 */
function makeTarget(parent, place, { x, y }) {
  const button = make(parent, "button", "picture");
  button.type = "button";
  Object.assign(button.dataset, { place, x, y });
  return button;
}

/** @param {number[]} numbers */
const sortedPlaces = (numbers) => [...new Set(numbers)].sort((one, other) => one - other);
