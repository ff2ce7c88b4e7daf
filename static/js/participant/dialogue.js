// Dialogues: texts that are written as turns with roles, shown one turn below the other.

/**
 * @typedef {import("./types.js").TemplateElement} TemplateElement
 * @typedef {import("./types.js").Words} Words
 * @typedef {{ role: string, content: string }} Turn
 */

/**
 * Show the texts of a block as turns. The block says which turn is judged.
 *
 * @param {TemplateElement} block
 * @param {Words} words
 */
export function asDialogue(block, words) {
  const isLastJudged = block.dataset.dialogue === "last";
  for (const target of block.querySelectorAll("[data-fill=input], [data-fill=output]")) {
    const turns = turnsIn(target.textContent);
    // The server has checked it; a campaign of an older release may have other texts.
    if (turns) target.replaceChildren(listOf(turns, words, isLastJudged));
  }
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

/** @param {any} turn */
const isTurn = (turn) => typeof turn?.role === "string" && typeof turn?.content === "string";

/**
 * @param {Turn[]} turns
 * @param {Words} words
 * @param {boolean} isLastJudged
 */
function listOf(turns, words, isLastJudged) {
  const list = document.createElement("ol");
  list.className = "dialogue";
  // Without the role, a list that has no numbers is none for some screen readers.
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", words.dialogue);
  turns.forEach(({ role, content }, index) => {
    const turn = document.createElement("li");
    const isJudged = isLastJudged && index === turns.length - 1;
    turn.className = "turn";
    turn.dataset.role = role;
    turn.classList.toggle("is-judged", isJudged);
    const name = words[`role_${role}`] ?? role;
    turn.append(
      textElement("p", "turn-role", isJudged ? `${name} · ${words.turn_to_judge}` : name),
      textElement("div", "turn-content", content),
    );
    list.append(turn);
  });
  return list;
}

/**
 * @param {string} name
 * @param {string} className
 * @param {string} text
 */
function textElement(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.dir = "auto";
  element.textContent = text;
  return element;
}
