"""Screens in a contrast theme, which takes colours away, and enlarged four times."""

from playwright.sync_api import Page, expect

from tests.browser.rating import await_screen, campaign_of, go_on, go_to_work, mark_a_word, shot

FOUR_TIMES = {"width": 342, "height": 192}  # what is left of 1366 × 768


def show(page: Page, name: str, **changes) -> None:
    """The first screen of a preset."""
    go_to_work(page, campaign_of(name, practice=[], **changes))


def looks(page: Page, part: str, *properties: str) -> tuple[str, ...]:
    computed = "(part, names) => names.map((name) => getComputedStyle(part)[name])"
    return tuple(page.locator(part).first.evaluate(computed, properties))


def test_severities_differ_without_colours(page: Page):
    page.emulate_media(forced_colors="active")
    show(page, "mqm")
    await_screen(page)
    line = ("borderBottomStyle", "borderBottomWidth")
    assert len({looks(page, f".span-tool.level-{level}", *line) for level in range(3)}) == 3
    mark_a_word(page, 0)
    shot(page, "contrast-spans")
    assert looks(page, ".span-entry.is-current", "outlineStyle") == ("solid",)


def test_highlighted_differences_are_seen_to_be_on_without_colours(page: Page):
    page.emulate_media(forced_colors="active")
    show(page, "chat-arena", items=1)
    await_screen(page)
    button = page.locator("[data-difference]")
    off = looks(page, "[data-difference]", "backgroundColor")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    shot(page, "contrast-differences")
    assert looks(page, "[data-difference]", "backgroundColor") != off


def test_segments_are_told_apart_without_colours(page: Page):
    page.emulate_media(forced_colors="active")
    show(page, "document-esa")
    await_screen(page)
    shot(page, "contrast-document")
    style = ("borderTopStyle", "borderTopWidth")
    assert looks(page, ".segment + .segment", *style) == ("solid", "1px")


def test_a_timed_trial_can_be_seen_when_it_is_enlarged_four_times(page: Page):
    page.set_viewport_size(FOUR_TIMES)
    page.emulate_media(forced_colors="active")
    show(page, "tuna08-identification", items=1)
    go_on(page)
    await_screen(page)
    shot(page, "zoom-description")
    expect(page.locator(".output-text")).to_be_in_viewport(ratio=1)
    next_button = page.locator("[data-next]")
    text = page.locator(".output-text").bounding_box()
    assert next_button.bounding_box()["y"] >= text["y"] + text["height"]
    next_button.click()
    await_screen(page)
    shot(page, "zoom-pictures")
    heights = [picture.bounding_box()["height"] for picture in page.locator(".picture img").all()]
    assert min(heights) >= 32
    frame = page.locator(".picture").first.evaluate("part => getComputedStyle(part).borderColor")
    assert frame == page.evaluate("getComputedStyle(document.body).color")
