// A page of the rater's way that only says something: a break, feedback, the end of the practice.

const CLOCK_MS = 500;

/**
 * Show a message until the rater continues; with `rest` (milliseconds) not before that has passed.
 *
 * @param {HTMLElement} stage
 * @param {HTMLTemplateElement} template
 * @param {{ title: string, text?: string, button?: string, pressSpace?: boolean, rest?: number,
 *   counting?: string, over?: string, onRest?: (left: number) => void }} message
 *   counting: the sentence next to the clock · over: what it says when the rest is over ·
 *   onRest: called with how much is left, twice a second
 * @param {() => number} now a clock that nobody can set
 */
export function showMessage(stage, template, message, now = () => performance.now()) {
  const section = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  const goOn = /** @type {HTMLButtonElement} */ (section.querySelector("[data-go-on]"));
  const title = /** @type {HTMLElement} */ (section.querySelector("[data-title]"));
  title.textContent = message.title;
  const text = /** @type {HTMLElement} */ (section.querySelector("[data-text]"));
  text.textContent = message.text ?? "";
  goOn.textContent = message.button ?? "";
  goOn.hidden = !message.button;
  stage.replaceChildren(section);
  title.focus();
  if (message.pressSpace) title.addEventListener("keydown", (event) => spacePresses(event, goOn));
  const end = now() + (message.rest ?? 0);
  const tick = () => showClock(section, goOn, message, end - now());
  const timer = tick() ? setInterval(() => tick() || clearInterval(timer), CLOCK_MS) : undefined;
  return new Promise((resolve) => goOn.addEventListener("click", resolve, { once: true })).finally(
    () => clearInterval(timer),
  );
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLButtonElement} goOn
 */
function spacePresses(event, goOn) {
  if (event.key !== " " || event.repeat) return;
  event.preventDefault();
  goOn.click();
}

/**
 * Count down next to a button that must not be pressed yet; false when the time is over.
 *
 * @param {HTMLElement} section
 * @param {HTMLButtonElement} goOn
 * @param {{ rest?: number, counting?: string, over?: string, onRest?: (left: number) => void }} message
 * @param {number} left milliseconds
 */
function showClock(section, goOn, { rest, counting, over, onRest }, left) {
  const seconds = Math.max(0, Math.ceil(left / 1_000));
  goOn.disabled = seconds > 0;
  if (!rest || !counting) return false;
  onRest?.(Math.max(0, left));
  const clock = /** @type {HTMLElement} */ (section.querySelector("[data-countdown]"));
  clock.hidden = false;
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  clock.textContent = seconds ? counting.replace("{time}", time) : (over ?? "");
  return seconds > 0;
}
