// Dialogues: texts that are written as turns with roles, shown one turn below the other.

import { allParts, make, part } from "../parts.js";

/** @import { Formatted, Tree, View, Words } from "../work/types.js" */

/**
 * @typedef {{ role: string, content: string }} Turn
 * @typedef {typeof import("./formatted.js")} Formatting
 */

/**
 * Show the texts of a block as turns. The block says which turn is judged, and whether what is said
 * is in Markdown.
 *
 * @param {HTMLElement} block
 * @param {Words} words
 * @param {Formatted} [trees]
 * @param {Formatting} [formatting] where some block is in Markdown
 */
export function asDialogue(block, words, trees, formatting) {
  const isLastJudged = block.dataset.dialogue === "last";
  allParts(block, "[data-fill=input], [data-fill=output]").forEach((target, place) => {
    const turns = turnsIn(target.textContent ?? "");
    // The server has checked it; a campaign of an older release may have other texts.
    if (!turns) return;
    target.replaceChildren(listOf(turns, words, isLastJudged));
    if (!("markdownTurns" in block.dataset) || !formatting) return;
    const isInput = target.dataset.fill === "input";
    const ofTurns = isInput ? trees?.input_turns : trees?.outputs_turns?.[place];
    const shown = isInput ? { view: "input source" } : { view: "output source", place };
    format({ target, turns, trees: ofTurns ?? [], shown }, formatting);
  });
}

/**
 * What is said in the turns of one dialogue as Markdown, with one button that shows the source.
 *
 * @param {{ target: HTMLElement, turns: Turn[],
 *   trees: Tree[],
 *   shown: Omit<View, "on"> }} dialogue
 * @param {Formatting} formatting
 */
function format({ target, turns, trees, shown }, { fillFormatted, announceView }) {
  const contents = allParts(target, ".turn-content");
  /** @param {boolean} isSource */
  const show = (isSource) =>
    contents.forEach((content, index) => {
      content.classList.add("formatted");
      fillFormatted(content, turns[index].content, isSource ? null : trees[index], shown);
    });
  show(false);
  const button = part(/** @type {HTMLElement} */ (target.parentElement), "[data-source]");
  button.hidden = !trees.some(Boolean);
  button.addEventListener("click", (event) => {
    const isSource = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isSource));
    show(isSource);
    announceView(button, { ...shown, on: isSource }, event.timeStamp);
  });
}

/**
 * @param {string} text
 * @returns {Turn[] | null} null where it is not a dialogue
 */
export function turnsIn(text) {
  try {
    const turns = JSON.parse(text);
    const isDialogue = Array.isArray(turns) && turns.length > 0 && turns.every(isTurn);
    return isDialogue ? turns : null;
  } catch {
    return null;
  }
}

/** @param {Partial<Record<keyof Turn, unknown>> | null} turn */
const isTurn = (turn) => typeof turn?.role === "string" && typeof turn?.content === "string";

/**
 * @param {Turn[]} turns
 * @param {Words} words
 * @param {boolean} isLastJudged
 */
function listOf(turns, words, isLastJudged) {
  const list = document.createElement("ol");
  list.className = "plain dialogue";
  // Without the role, a list that has no numbers is none for some screen readers.
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", words.dialogue);
  turns.forEach(({ role, content }, index) => {
    const isJudged = isLastJudged && index === turns.length - 1;
    const turn = make(list, "li", isJudged ? "turn is-judged" : "turn");
    turn.dataset.role = role;
    const name = words[`role_${role}`] ?? role;
    const said = isJudged ? `${name} · ${words.turn_to_judge}` : name;
    make(turn, "p", "turn-role", said).dir = "auto";
    make(turn, "div", "turn-content", content).dir = "auto";
  });
  return list;
}
