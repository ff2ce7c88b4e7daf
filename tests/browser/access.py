"""Whether everybody can use the page that the browser shows."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

# WCAG 2.2, success criteria 1.4.10 (1280 × 1024 enlarged four times), 1.4.12 and 1.4.4.
ENLARGED = {"width": 320, "height": 256}
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1366, "height": 768}
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
# Once the page has followed a new size of its window, which takes it until the next frame. The
# violations alone: what axe found in order on a page is long.
RUN = """async (rules) => {
  if (!window.axe) return null;
  for (const _ of "12") await new Promise((resolve) => requestAnimationFrame(resolve));
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations } = await axe.run({ resultTypes: ["violations"], ...only });
  return { violations };
}"""
# What can change when nothing but colours does.
ABOUT_COLOURS = ["color-contrast", "link-in-text-block"]


def found_by_axe(page: Page, rules: list[str] | None = None) -> AxeResults:
    """The half megabyte of axe is compiled once per page, however often it looks."""
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
    page.set_viewport_size(DESK)
