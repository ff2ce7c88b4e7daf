// What the authors say about a practice example, next to the answers that the rater gave.

/** @typedef {import("./types.js").TemplateElement} TemplateElement */

/**
 * Show it until the rater goes on; resolves with whether the rater wants to try again.
 *
 * @param {HTMLElement} stage
 * @param {HTMLTemplateElement} template a section, an output in its list, an answer in its list
 * @param {import("./types.js").Feedback} result
 * @returns {Promise<boolean>}
 */
export function showAnswers(stage, template, result) {
  const [frame, outputFrame, answerFrame] = [...template.content.children];
  const section = copyOf(frame);
  fill(section, "[data-text]", result.feedback ?? "");
  section.querySelector("[data-passed]").hidden = result.passed !== true;
  section.querySelector("[data-not-passed]").hidden = result.passed !== false;
  let shown = "";
  /** @type {TemplateElement} */
  let answers = null;
  for (const answer of result.answers ?? []) {
    if (!answers || answer.text !== shown) {
      const output = copyOf(outputFrame);
      fill(output, "[data-output]", answer.text);
      section.querySelector("[data-outputs]").append(output);
      answers = output.querySelector("dl");
      shown = answer.text;
    }
    answers.append(...answerRow(answerFrame, answer).children);
  }
  const again = section.querySelector("[data-again]");
  const goOn = section.querySelector("[data-go-on]");
  again.hidden = !result.may_try_again;
  goOn.hidden = result.must_try_again;
  if (!again.hidden) goOn.classList.remove("primary");
  stage.replaceChildren(section);
  section.querySelector("h2").focus();
  return new Promise((resolve) => {
    again.addEventListener("click", () => resolve(true), { once: true });
    goOn.addEventListener("click", () => resolve(false), { once: true });
  });
}

/**
 * @param {Element} frame
 * @param {import("./types.js").ComparedAnswer} answer
 */
function answerRow(frame, { question, given, expected, fits }) {
  const row = copyOf(frame);
  fill(row, "[data-question]", question);
  fill(row, "[data-given]", given);
  fill(row, "[data-expected] bdi", expected);
  row.querySelector("[data-fits]").hidden = !expected || !fits;
  row.querySelector("[data-expected]").hidden = !expected || fits;
  return row;
}

/**
 * @param {Element} element
 * @returns {TemplateElement}
 */
const copyOf = (element) => element.cloneNode(true);

/**
 * @param {TemplateElement} root
 * @param {string} selector
 * @param {string} text
 */
function fill(root, selector, text) {
  const element = root.querySelector(selector);
  element.textContent = text;
  if (!text) element.hidden = true;
}
