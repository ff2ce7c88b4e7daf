// A table of contents that follows: it is open where there is room next to the report, and marks
// the part that is being read.

const wide = matchMedia("(min-width: 75rem)");
/** @type {HTMLDetailsElement | null} */
const contents = document.querySelector("[data-contents]");
if (contents) follow(contents);

/** @param {HTMLDetailsElement} contents */
function follow(contents) {
  /** @type {HTMLAnchorElement[]} */
  const links = [...contents.querySelectorAll("a")];
  const arrange = () => {
    contents.open = wide.matches;
  };
  wide.addEventListener("change", arrange);
  arrange();
  contents.addEventListener("click", (event) => {
    if (!wide.matches && event.target instanceof HTMLAnchorElement) contents.open = false;
  });
  let waiting = false;
  document.addEventListener(
    "scroll",
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark(links);
      });
    },
    { passive: true },
  );
  mark(links);
}

/** @param {HTMLAnchorElement[]} links */
function mark(links) {
  const begun = links.filter((link) => {
    const part = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const shown = part && (part.closest("details:not([open])") ?? part);
    return shown && shown.getBoundingClientRect().top < innerHeight / 3;
  });
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.body.scrollHeight - 2;
  const current = (isAtEnd ? links : begun).at(-1) ?? links[0];
  for (const link of links) {
    if (link === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
