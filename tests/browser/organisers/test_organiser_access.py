"""Every page of the organiser is accessible, and fits on a phone."""

from __future__ import annotations

from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments
from rankme.models import Campaign
from rankme.pages.urls import organiser_urls
from tests.accounts import make_account
from tests.browser.access import (
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
    enlarge_text,
)
from tests.browser.organiser import log_in
from tests.browser.widths import MAKE_OF_THE_PAGE
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer

# A table scrolls where it is too wide, and a button at the end of its rows would be out of sight.
OUT_OF_SIGHT = """() => [...document.querySelectorAll("td button")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
  .map((each) => each.outerHTML)"""
# Pages that an organiser looks at; the others answer a button or send a file.
LOOKED_AT = (
    "campaigns",
    "campaign-start",
    "campaign-load",
    "campaign",
    "campaign-edit",
    "campaign-file-edit",
    "campaign-duplicate",
    "campaign-change",
    "campaign-change-file",
    "campaign-extend",
    "campaign-delete",
    "campaign-material",
    "campaign-items",
    "campaign-launch",
    "campaign-links",
    "campaign-monitor",
    "campaign-close",
    "campaign-raters",
    "campaign-members",
    "campaign-webhooks",
    "campaign-history",
)


def addresses(owner) -> list[str]:
    """Every page that is looked at, of a draft and of a campaign at work."""
    draft = make_campaign(owner=owner, launch=False)
    launched = make_campaign(owner=owner)
    rater = make_rater(launched)
    answer(assignments.claim_batch(rater), 0, value=50)
    pages = []
    for name in LOOKED_AT:
        pattern = next(found for found in organiser_urls if found.name == name)
        needs_code = "code" in pattern.pattern.converters
        for campaign in (draft, launched) if needs_code else (None,):
            pages.append(reverse(f"rankme:{name}", args=[campaign.code] if campaign else []))
    pages += [reverse(name) for name in ("account_change_password", "usersessions_list")]
    pages.append(reverse("rankme:campaign-new", args=["tuna08-identification"]))
    pages.append(reverse("rankme:campaign-rater", args=[launched.code, rater.label]))
    judged = rater.assignments.get().submissions.get().trial.item
    pages.append(reverse("rankme:campaign-item", args=[launched.code, judged.position + 1]))
    return pages + uploads_with_problems(draft)


def uploads_with_problems(draft: Campaign) -> list[str]:
    """An upload that was refused and one that surprises, both of files with long names."""
    name = "outputs_of_all_systems_on_the_test_set_" * 3 + ".csv"
    problem = {"file": name, "line": 12_345, "column": "output" * 12, "message": "x" * 300}
    refused = draft.material_imports.create(
        state="failed", labels={"0": name}, error="There are problems.", problems=[problem] * 3
    )
    files = [{"label": name, "rows": 10**6, "bytes": 10**9, "sha256": "f" * 64}]
    system = {"name": "s" * 200, "outputs": 10**6, "missing": 1, "missing_items": ["i" * 300]}
    system |= {"empty": 0, "mean_length": 12.5}
    preview = {"systems": [system], "n_items": 10**6, "n_outputs": 10**6, "files": files}
    preview |= {"notes": ["n" * 300], "missing": 1, "empty": 0}
    previewed = draft.material_imports.create(
        state="done", phase="previewed", labels={"0": name}, preview=preview
    )
    return [
        reverse("rankme:campaign-import", args=[draft.code, upload.pk])
        for upload in (refused, previewed)
    ]


def test_no_page_has_a_fault_that_axe_finds_or_scrolls_sideways(page: Page):
    """On a laptop, by day and in the dark; on a phone, enlarged, and with more space.

    An address that leads on to a page which was looked at already shows nothing new.
    """
    owner = make_account()
    log_in(page)
    laptop = page.viewport_size
    seen = set()
    for address in addresses(owner):
        page.goto(address)
        make = page.evaluate(MAKE_OF_THE_PAGE)
        if make in seen:
            continue
        seen.add(make)
        assert_accessible_by_day_and_night(page, address)
        page.set_viewport_size(PHONE)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], f"{address} is {width} px wide"
        assert page.evaluate(OUT_OF_SIGHT) == [], address
        assert_never_scrolls_sideways(page)
        page.set_viewport_size(laptop)


IS_DRAWN = "one => one.checkVisibility()"
CUT_OFF = """pane => {
  const stage = pane.querySelector("[data-preview-stage]");
  return [pane.scrollWidth > pane.clientWidth, stage.clientHeight < 200];
}"""


def test_the_preview_of_a_draft_fits_on_a_phone_with_text_of_twice_the_size(page: Page):
    """Before it is asked for it is not there, also where the window was a laptop's until now."""
    draft = make_campaign(owner=make_account(), launch=False)
    log_in(page)
    page.add_init_script("MediaQueryList.prototype.addEventListener = () => {}")  # not yet told
    page.goto(reverse("rankme:campaign-edit", args=[draft.code]))
    pane = page.locator("[data-preview-pane]")
    expect(pane).to_be_visible()
    page.set_viewport_size(PHONE)
    assert not pane.evaluate(IS_DRAWN)
    pane.evaluate("pane => pane.close()")
    enlarge_text(page)
    page.locator("[data-open-preview]").first.click()
    assert pane.evaluate(IS_DRAWN)
    assert pane.evaluate(CUT_OFF) == [False, False]


def test_the_tab_of_this_page_is_marked_without_colours(page: Page):
    campaign = make_campaign(slider_definition(), owner=make_account())
    log_in(page)
    page.emulate_media(forced_colors="active")
    page.goto(reverse("rankme:campaign-monitor", args=[campaign.code]))
    tabs = page.locator(".phases a").all()
    line = "tab => getComputedStyle(tab).borderBottomColor"
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    marked = [tab.inner_text() for tab in tabs if tab.evaluate(line) != paper]
    assert marked == ["Monitor"]


def test_on_a_phone_the_header_is_one_line_whose_menus_open_by_keyboard(page: Page):
    campaign = make_campaign(slider_definition(), owner=make_account())
    log_in(page)
    page.set_viewport_size(PHONE)
    page.goto(reverse("rankme:campaign-raters", args=[campaign.code]))
    heights = (
        "[...document.querySelectorAll('.site-header, .campaign-head')].map(e => e.offsetHeight)"
    )
    header, head = page.evaluate(heights)
    assert header < 60 and head < 90
    menu = page.get_by_role("navigation", name="Campaign", exact=True)
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Pages: Raters").press("Enter")
    expect(menu.get_by_role("list", name="Rating").get_by_role("link")).to_have_count(4)
    expect(menu.locator("[aria-current=step]")).to_have_text("Rating")
    expect(menu.locator("[aria-current=page]")).to_have_text("Raters")
    assert_accessible_by_day_and_night(page, "the open menu")
    page.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Overview")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_long_file_names_do_not_push_the_problem_off_the_screen(page: Page):
    draft = make_campaign(owner=make_account(), launch=False)
    log_in(page)
    page.goto(uploads_with_problems(draft)[0])
    for width in (PHONE["width"], 1366):
        page.set_viewport_size(PHONE | {"width": width})
        rights = page.locator(".problems td.given").evaluate_all(
            "cells => cells.map((cell) => cell.getBoundingClientRect().right)"
        )
        assert rights and max(rights) <= width


def test_a_draft_that_somebody_else_saved_fits_on_a_phone_with_both_versions(page: Page):
    draft = make_campaign(owner=make_account(), launch=False)
    log_in(page)
    page.set_viewport_size(PHONE)
    page.goto(reverse("rankme:campaign-edit", args=[draft.code]))
    campaigns.change_definition(draft, slider_definition(title="Theirs"), by=draft.owner)
    page.locator("#title").fill("Mine")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("while you were editing it")).to_be_visible()
    expect(page.locator("#title")).to_have_value("Mine")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
