"""Whether everybody can use the page that the browser shows."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

# WCAG 2.2, success criteria 1.4.10 (1280 × 1024 enlarged four times), 1.4.12 and 1.4.4.
ENLARGED = {"width": 320, "height": 256}
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}
SPACED = """
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important;
      word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }
"""
TWICE_AS_LARGE = "html { font-size: 200% !important }"
ENLARGE_TEXT = """(style) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
}"""
WIDER_THAN_THE_WINDOW = """(styles) => {
  const wide = styles.flatMap((style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = style ? [sheet] : [];
    const { clientWidth, scrollWidth } = document.documentElement;
    const parts = scrollWidth > clientWidth ? [...document.querySelectorAll("body *")] : [];
    return parts
      .filter((part) => part.getBoundingClientRect().right > clientWidth + 1)
      .map((part) => `${style}: ${part.outerHTML.slice(0, 160)}`);
  });
  document.adoptedStyleSheets = [];
  return wide;
}"""
# Parts with words, three of each kind: of the same styles, with the same around them. To compare
# the colours of all words of a long page took axe nine tenths of its time. Single letters stand for
# no others: axe does not decide about them.
PARTS_OF_EACH_KIND = """() => {
  const SEEN = ["color", "backgroundColor", "backgroundImage", "opacity", "position", "filter",
    "fontSize", "fontWeight", "textShadow", "visibility", "clipPath"];
  const numbers = new Map(), kinds = new Map(), parts = new Map();
  const kindOf = (part) => {
    if (!part) return 0;
    if (!kinds.has(part)) {
      const style = getComputedStyle(part);
      const kind = [kindOf(part.parentElement), ...SEEN.map((name) => style[name])].join();
      if (!numbers.has(kind)) numbers.set(kind, numbers.size + 1);
      kinds.set(part, numbers.get(kind));
    }
    return kinds.get(part);
  };
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim().length > 1;
  for (const part of document.querySelectorAll("body, body *")) {
    const hasWords = part.matches("input, select, textarea") || [...part.childNodes].some(isText);
    const isOut = !part.checkVisibility() || part.closest(":disabled, [aria-disabled=true]");
    if (!hasWords || isOut) continue;
    if (!parts.has(kindOf(part))) parts.set(kindOf(part), []);
    parts.get(kindOf(part)).push(part);
  }
  return [...parts.values()].flatMap((alike) => [
    ...new Set([alike[0], alike[alike.length >> 1], alike.at(-1)])]);
}"""
CONTRAST = "color-contrast"
# Once the page has followed a new size of its window, which takes it until the next frame. The
# violations alone: what axe found in order on a page is long.
RUN = f"""async (rules) => {{
  if (!window.axe) return null;
  for (const _ of "12") await new Promise((resolve) => requestAnimationFrame(resolve));
  const violations = [];
  const run = async (where, options) => violations.push(
    ...(await axe.run(where, {{ resultTypes: ["violations"], ...options }})).violations);
  const others = rules?.filter((rule) => rule !== "{CONTRAST}");
  await run(document, others
    ? {{ runOnly: {{ type: "rule", values: others }} }}
    : {{ rules: {{ "{CONTRAST}": {{ enabled: false }} }} }});
  const include = ({PARTS_OF_EACH_KIND})();
  if (include.length)
    await run({{ include }}, {{ runOnly: {{ type: "rule", values: ["{CONTRAST}"] }} }});
  return {{ violations }};
}}"""
# What can change when nothing but colours does.
ABOUT_COLOURS = [CONTRAST, "link-in-text-block"]


def found_by_axe(page: Page, rules: list[str] | None = None) -> AxeResults:
    """What axe finds by these rules, or by all.

    The half megabyte of axe is compiled once per page, however often it looks.
    """
    while (found := page.evaluate(RUN, rules)) is None:
        page.evaluate(AXE_SCRIPT)
    return AxeResults(found)


def assert_accessible(page: Page, what: str = "", rules: list[str] | None = None) -> None:
    found = found_by_axe(page, rules)
    assert found.violations_count == 0, f"{what}\n{found.generate_report()}"


def assert_accessible_by_day_and_night(page: Page, what: str) -> None:
    """By day all rules, in the dark those about colours: our styles change nothing else for it."""
    page.emulate_media(color_scheme="light")
    assert_accessible(page, f"light {what}")
    page.emulate_media(color_scheme="dark")
    assert_accessible(page, f"dark {what}", ABOUT_COLOURS)


def enlarge_text(page: Page) -> None:
    page.evaluate(ENLARGE_TEXT, TWICE_AS_LARGE)


def assert_never_scrolls_sideways(page: Page) -> None:
    """Enlarged four times, with more space between letters, and with text of twice the size."""
    window = page.viewport_size
    for size, styles in ((PHONE, [TWICE_AS_LARGE]), (ENLARGED, ["", SPACED])):
        if page.viewport_size != size:  # each change of it costs a layout and a picture
            page.set_viewport_size(size)
        wider = page.evaluate(WIDER_THAN_THE_WINDOW, styles)
        assert wider == [], f"{wider} in {size}"
    page.set_viewport_size(window)


def read_out(page: Page, role: str) -> list[tuple[str, str]]:
    """(name, description) of every control with the role, as a screen reader gets them."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [
        (node.get("name", {}).get("value", ""), node.get("description", {}).get("value", ""))
        for node in nodes
        if not node["ignored"] and node["role"]["value"] == role
    ]


def look_at(page: Page) -> None:
    """Everybody can use the page, at both widths."""
    assert_accessible(page)
    assert_never_scrolls_sideways(page)
    page.set_viewport_size(PHONE)
    assert_accessible(page)
    page.set_viewport_size(LAPTOP)


# What has the focus, if something else covers its middle; null outside the page.
COVERED = """() => {
  const held = document.activeElement;
  if (!held || held === document.body) return null;
  const { left, top, width, height } = held.getBoundingClientRect();
  const within = (place, most) => Math.min(Math.max(place, 0), most - 1);
  const hit = document.elementFromPoint(
    within(left + width / 2, innerWidth), within(top + height / 2, innerHeight)
  );
  const parts = [held, ...(held.labels ?? [])];
  const isSeen = width < 3 || hit?.contains(held) || parts.some((each) => each.contains(hit));
  return isSeen ? "" : `${held.name || held.innerText} under ${hit?.outerHTML.slice(0, 80)}`;
}"""


def assert_focus_is_never_covered(page: Page, key: str, *, least: int = 11, most: int = 90) -> None:
    """Tab, or Shift and Tab, never lead below a bar that stays in view (WCAG 2.4.11)."""
    covered = []
    for _ in range(most):
        page.keyboard.press(key)
        found = page.evaluate(COVERED)
        if found is None:
            break
        covered.append(found)
    assert len(covered) >= least
    assert [each for each in covered if each] == []
