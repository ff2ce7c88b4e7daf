// A page of the rater's way that only says something: a break, feedback, the end of the practice.

const CLOCK_MS = 500;

/** Show a message until the rater goes on; with `until` (a Date.now()) not before that. */
export function showMessage(stage, template, { title, text = "", button, until = 0, counting, over }) {
  const section = template.content.firstElementChild.cloneNode(true);
  section.querySelector("[data-title]").textContent = title;
  section.querySelector("[data-text]").textContent = text;
  const goOn = section.querySelector("[data-go-on]");
  goOn.textContent = button ?? "";
  goOn.hidden = !button;
  stage.replaceChildren(section);
  section.querySelector("[data-title]").focus();
  const tick = () => showClock(section, goOn, { until, counting, over });
  const timer = tick() ? setInterval(() => tick() || clearInterval(timer), CLOCK_MS) : null;
  return new Promise((resolve) => goOn.addEventListener("click", resolve, { once: true })).finally(
    () => clearInterval(timer),
  );
}

/** Count down beside a button that is not to be pressed yet; false when the time is over. */
function showClock(section, goOn, { until, counting, over }) {
  const left = Math.ceil((until - Date.now()) / 1_000);
  const running = left > 0;
  goOn.disabled = running;
  if (!until || !counting) return false;
  const clock = section.querySelector("[data-countdown]");
  clock.hidden = false;
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  clock.textContent = running ? counting.replace("{time}", time) : over;
  return running;
}
