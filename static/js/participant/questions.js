// Questions that depend on others: each is shown as soon as the answer that asks for it is given.

/** @typedef {{ card: HTMLElement, after: string, answers: string[] }} Condition */

const form = /** @type {HTMLFormElement} */ (document.querySelector("form:has([data-after])"));
const conditions = conditionsOf(form);
form.addEventListener("input", refresh);
// A browser may put answers back without telling anybody.
addEventListener("pageshow", refresh);
refresh();

/**
 * In the order of the page, so that a hidden question hides what depends on it.
 *
 * @param {HTMLFormElement} form
 * @returns {Condition[]}
 */
function conditionsOf(form) {
  const found = new Map();
  for (const input of /** @type {NodeListOf<HTMLElement>} */ (
    form.querySelectorAll("[data-after]")
  )) {
    const card = input.closest(".card");
    const { after, answers } = input.dataset;
    if (!found.has(card)) found.set(card, { card, after, answers: JSON.parse(answers ?? "[]") });
  }
  return [...found.values()];
}

function refresh() {
  for (const { card, after, answers } of conditions) {
    card.hidden = !answers.includes(answerTo(after));
  }
}

/**
 * The answer to a question that is shown.
 *
 * @param {string} name
 */
function answerTo(name) {
  const field = form.elements.namedItem(name);
  const [input] = field instanceof RadioNodeList ? field : [field];
  const isHidden = /** @type {HTMLElement} */ (input).closest(".card[hidden]");
  return isHidden ? "" : /** @type {HTMLInputElement} */ (field).value;
}
