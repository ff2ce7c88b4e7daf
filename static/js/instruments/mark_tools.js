// The buttons with which raters mark a text.

/**
 * @typedef {import("./contract.js").TemplateElement} TemplateElement
 * @typedef {import("./contract.js").InstrumentTools} InstrumentTools
 */

/**
 * The buttons above the list: a severity each, what is missing, and the place of a moved mark.
 *
 * @param {TemplateElement} holder
 * @param {InstrumentTools} tools
 * @param {{ severities: [name: string, label: string][], levelOf: (severity: string) => number,
 *  mark: (severity: string, time: DOMHighResTimeStamp) => void,
 *  addMissing: (time: DOMHighResTimeStamp) => void,
 *  finishMoving: (time: DOMHighResTimeStamp) => void }} actions
 * @returns {HTMLButtonElement} the last one, which is hidden
 */
export function mountTools(
  holder,
  { options, words },
  { severities, levelOf, mark, addMissing, finishMoving },
) {
  /**
   * @param {string} label
   * @param {(event: Event) => void} onClick
   * @param {{ key?: string, level?: number | null }} [more]
   */
  const add = (label, onClick, { key = "", level = null } = {}) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `button span-tool ${level === null ? "" : `level-${Math.min(level, 3)}`}`;
    made.dataset.control = "";
    made.textContent = label;
    if (key) {
      made.setAttribute("aria-keyshortcuts", key);
      const shown = document.createElement("kbd");
      shown.textContent = key;
      shown.setAttribute("aria-hidden", "true");
      made.prepend(shown, " ");
    }
    // The text keeps the focus, and with it what is selected.
    made.addEventListener("mousedown", (event) => event.preventDefault());
    made.addEventListener("click", onClick);
    holder.append(made);
    return made;
  };
  severities.forEach(([name, label], index) => {
    const key = options.severities.length ? String(index + 1) : "";
    add(label || name, (event) => mark(name, event.timeStamp), { key, level: levelOf(name) });
  });
  if (options.missing) add(words.add_missing, (event) => addMissing(event.timeStamp));
  const place = add(words.place_here, (event) => finishMoving(event.timeStamp));
  place.hidden = true;
  return place;
}
