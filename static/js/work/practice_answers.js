// What the authors say about a practice example, next to the answers that the rater gave.

import { part } from "../parts.js";
import { say } from "./notices.js";

/** @import { ComparedAnswer, Feedback, Material, ShownMark, Words } from "./types.js" */

/**
 * Show it until the rater goes on; resolves with whether the rater wants to try again.
 *
 * @param {HTMLElement} stage
 * @param {HTMLTemplateElement} template a section, an output in its list, an answer in its list
 * @param {Feedback} result
 * @param {Material} material
 * @param {Words} words
 * @returns {Promise<boolean>}
 */
export async function showAnswers(stage, template, result, material, words) {
  const [frame, outputFrame, answerFrame] = [...template.content.children];
  const section = copied(frame);
  fill(section, "[data-text]", result.feedback ?? "");
  part(section, "[data-passed]").hidden = result.passed !== true;
  part(section, "[data-not-passed]").hidden = result.passed !== false;
  fill(section, "[data-tries]", triesLeft(result, words));
  for (const answers of byOutput(result.answers ?? [])) {
    const output = copied(outputFrame);
    await fillOutput(part(output, "[data-output]"), answers, material);
    for (const answer of answers) {
      part(output, "dl").append(...answerRow(answerFrame, answer).children);
    }
    part(section, "[data-outputs]").append(output);
  }
  const again = part(section, "[data-again]");
  const goOn = part(section, "[data-go-on]");
  again.hidden = !result.may_try_again;
  goOn.hidden = Boolean(result.must_try_again);
  if (!again.hidden) goOn.classList.remove("primary");
  stage.replaceChildren(section);
  part(section, "h2").focus();
  return new Promise((resolve) => {
    again.addEventListener("click", () => resolve(true), { once: true });
    goOn.addEventListener("click", () => resolve(false), { once: true });
  });
}

/**
 * @param {Feedback} result
 * @param {Words} words
 */
function triesLeft({ may_try_again: mayTry, tries_left: count = 0 }, words) {
  if (!mayTry) return "";
  return count === 1 ? words.one_try_left : say(words, "tries_left", { count });
}

/** @param {ComparedAnswer[]} answers */
function byOutput(answers) {
  /** @type {ComparedAnswer[][]} */
  const groups = [];
  for (const answer of answers) {
    if (groups.at(-1)?.[0].position === answer.position) groups.at(-1)?.push(answer);
    else groups.push([answer]);
  }
  return groups;
}

/**
 * The output as the page showed it; where it is shown with marks below, once is enough.
 *
 * @param {HTMLElement} target
 * @param {ComparedAnswer[]} answers
 * @param {Material} material
 */
async function fillOutput(target, answers, material) {
  const [{ text, position }] = answers;
  const { outputs, outputs_turns: turns } = material.formatted ?? {};
  const tree = position === null ? null : outputs?.[position];
  target.hidden = !text || Boolean(turns) || answers.some(isMarked);
  if (!tree) {
    target.textContent = text;
    return;
  }
  const { fillFormatted } = await import("../blocks/formatted.js");
  target.classList.replace("given", "formatted");
  fillFormatted(target, text, tree, { view: "output source" });
}

/**
 * @param {Element} frame
 * @param {ComparedAnswer} answer
 */
function answerRow(frame, answer) {
  const { question, given, expected, fits, text } = answer;
  const row = copied(frame);
  fill(row, "[data-question]", question);
  fill(row, "[data-given]", given);
  fill(row, "[data-expected] bdi", expected);
  part(row, "[data-fits]").hidden = !expected || !fits;
  part(row, "[data-expected]").hidden = !expected || fits;
  showMarks(part(row, "[data-own-marks]"), isMarked(answer), text, answer.own_marks);
  const isAdded = isMarked(answer) && !fits;
  showMarks(part(row, "[data-expected-marks]"), isAdded, text, answer.expected_marks ?? []);
  return row;
}

/**
 * @param {HTMLElement} holder
 * @param {boolean} isShown
 * @param {string} text
 * @param {ShownMark[]} marks
 */
function showMarks(holder, isShown, text, marks) {
  if (isShown) drawMarks(part(holder, "[data-marked]"), text, marks);
  else holder.remove();
}

/** @param {ComparedAnswer} answer */
const isMarked = ({ own_marks: own, expected_marks: expected }) =>
  own.length + (expected?.length ?? 0) > 0;

/**
 * The text with its marks; those of other texts, or of what is missing, are only named above.
 *
 * @param {HTMLElement} target
 * @param {string} text
 * @param {ShownMark[]} marks in code points
 */
function drawMarks(target, text, marks) {
  const characters = [...text];
  const placed = marks.filter(({ side, start }) => side === "output" && start !== null);
  const ends = placed.flatMap(({ start, end }) => [Number(start), Number(end)]);
  const borders = [...new Set([0, ...ends, characters.length])].sort((one, other) => one - other);
  for (const [index, from] of borders.slice(0, -1).entries()) {
    const to = borders[index + 1];
    const levels = placed
      .filter(({ start, end }) => Number(start) <= from && to <= Number(end))
      .map(({ level }) => level);
    const piece = document.createElement(levels.length ? "mark" : "span");
    if (levels.length) piece.className = `span level-${Math.max(...levels)}`;
    piece.textContent = characters.slice(from, to).join("");
    target.append(piece);
  }
}

/**
 * @param {Element} element
 */
const copied = (element) => /** @type {HTMLElement} */ (element.cloneNode(true));

/**
 * @param {HTMLElement} root
 * @param {string} selector
 * @param {string} text
 */
function fill(root, selector, text) {
  const element = part(root, selector);
  element.textContent = text;
  if (!text) element.hidden = true;
}
