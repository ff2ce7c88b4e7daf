// Back to the panel automatically: time on the last page counts as working time there.

const link = document.getElementById("back-to-panel");
const notice = document.getElementById("back-soon");

if (link instanceof HTMLAnchorElement && notice) {
  const seconds = Number(link.dataset.seconds);
  const timer = setTimeout(() => location.assign(link.href), 1000 * seconds);
  notice.hidden = false;
  // A rater who wants to write a comment or copy the code stays.
  const stay = () => {
    clearTimeout(timer);
    notice.hidden = true;
  };
  document.addEventListener("pointerdown", stay, { once: true });
  document.addEventListener("keydown", stay, { once: true });
}
