"""The form of a campaign's definition: it changes its shape and loses nothing."""

from django.urls import reverse
from playwright.sync_api import Browser, Page, Route, expect

from rankme.actions.campaign import campaigns
from rankme.models import Campaign
from tests.accounts import make_account
from tests.browser.access import LAPTOP, PHONE, assert_focus_is_never_covered
from tests.browser.organiser import log_in, log_in_by_form
from tests.live import LiveSite, wait_for


class SlowSite:
    """A site that answers the form of this page when the test lets it; its preview, at once."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[Route] = []
        page.route(page.url, self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method == "POST":
            self.asked.append(route)
        else:
            route.continue_()

    def request(self, number: int) -> Route:
        """The request with this number, once it has come."""

        def has_come() -> bool:
            self.page.wait_for_timeout(20)
            return len(self.asked) > number

        wait_for(has_come, "a request")
        return self.asked[number]

    def answer(self, number: int) -> None:
        self.request(number).continue_()


def test_the_form_changes_its_shape_and_keeps_what_was_typed(page: Page):
    make_account()
    log_in(page)
    page.goto(reverse("rankme:campaign-new", args=["e2e-quality"]))
    page.get_by_label("Title", exact=True).first.fill("Half done")
    page.get_by_role("button", name="Add criterion").click()
    question = page.locator("#criteria-2-question")
    expect(question).to_be_focused()
    question.fill("How fluent is it?")
    page.locator("#criteria-2-name").fill("fluency")
    page.locator("#criteria-2-instrument").select_option("likert")
    page.locator("#criteria-2-options-points").fill("5")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("The definition has been saved.")).to_be_visible()
    definition = campaigns.definition_of(Campaign.objects.get())
    assert definition.title == "Half done"
    assert definition.criterion("fluency").options == {"points": 5}
    assert definition.screens[0].ask == ["quality", "coverage", "fluency"]


def test_a_moved_or_removed_row_leaves_the_focus_where_one_goes_on(page: Page):
    make_account()
    log_in(page)
    page.goto(reverse("rankme:campaign-new", args=["sr11-deep"]))
    page.locator("#criteria-2-row > summary").click()

    def press(row: int, name: str) -> None:
        button = page.locator(f"#criteria-{row}-row").get_by_role("button", name=name).last
        button.focus()
        page.keyboard.press("Enter")

    def assert_focus_is_on(row: int, name: str) -> None:
        button = page.locator(f"#criteria-{row}-row").get_by_role("button", name=name).last
        expect(button).to_be_focused()
        expect(button).to_be_in_viewport()

    press(2, "Move up")
    assert_focus_is_on(1, "Move up")
    page.keyboard.press("Enter")
    assert_focus_is_on(0, "Move down")
    expect(page.locator("#criteria-0-name")).to_have_value("meaning_similarity")
    expect(page.locator("#criteria-1-row")).not_to_have_attribute("open", "")
    press(0, "Remove")
    expect(page.locator("#criteria-0-row > summary")).to_be_focused()
    page.keyboard.press("Enter")
    press(0, "Remove")
    expect(page.locator("#criteria-1-row")).to_have_count(0)
    assert_focus_is_on(0, "Remove")  # the only row is open
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Add criterion")).to_be_focused()


def test_the_form_works_without_scripts(browser: Browser, live_site: LiveSite):
    make_account()
    context = browser.new_context(base_url=live_site.url, java_script_enabled=False)
    page = context.new_page()
    log_in_by_form(page)
    page.goto(reverse("rankme:campaign-new", args=["sr11-deep"]))
    page.get_by_role("button", name="Add criterion").click()
    page.locator("#criteria-3-instrument").select_option("count")
    page.locator("#criteria-3-row").get_by_role("button", name="Show the options").click()
    expect(page.locator("#criteria-3-options-most")).to_be_visible()
    page.locator("#criteria-3-row").get_by_role("button", name="Remove").click()
    expect(page.locator("#criteria-3-row")).to_have_count(0)
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("The definition has been saved.")).to_be_visible()
    context.close()


def test_a_problem_leads_to_its_field(page: Page):
    make_account()
    log_in(page)
    page.goto(reverse("rankme:campaign-new", args=["e2e-quality"]))
    minutes = page.locator("#crowd-lease_minutes")
    page.locator("details:has(#crowd-lease_minutes)").evaluate_all(
        "found => found.forEach((one) => { one.open = true })"
    )
    minutes.fill("1")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.locator("[data-findings]")).to_be_focused()
    page.locator("#section-crowd > summary").click()
    expect(minutes).not_to_be_visible()
    page.get_by_role("alert").get_by_role("link").click()
    expect(minutes).to_be_focused()
    expect(minutes).to_be_in_viewport()
    expect(page.locator("#crowd-lease_minutes")).to_have_attribute("aria-invalid", "true")


def test_nothing_is_lost_or_done_twice_while_the_site_makes_the_form_again(page: Page):
    make_account()
    log_in(page)
    page.goto(reverse("rankme:campaign-new", args=["e2e-quality"]))
    title = page.get_by_label("Title", exact=True).first
    title.fill("")
    site = SlowSite(page)
    page.get_by_role("button", name="Add criterion").click()
    title.focus()
    page.keyboard.type("Half")
    site.answer(0)
    site.answer(1)  # asked again, with the word
    expect(page.locator("#criteria-2-question")).to_have_count(1)
    page.keyboard.type(" done")
    expect(title).to_have_value("Half done")
    expect(title).to_be_focused()
    a_double_click_adds_one_row_and_removes_one(page, site)
    where_no_answer_comes_a_button_shows_the_options(page, site)


def a_double_click_adds_one_row_and_removes_one(page: Page, site: SlowSite) -> None:
    page.get_by_role("button", name="Add criterion").dblclick()
    site.answer(2)
    expect(page.locator("#criteria-3-question")).to_be_focused()
    page.locator("#criteria-3-row").get_by_role("button", name="Remove").dblclick()
    site.answer(3)
    expect(page.locator("#criteria-3-question")).to_have_count(0)
    expect(page.locator("#criteria-2-question")).to_have_count(1)
    assert len(site.asked) == 4


def where_no_answer_comes_a_button_shows_the_options(page: Page, site: SlowSite) -> None:
    page.locator("#criteria-0-row > summary").click()
    page.locator("#criteria-0-instrument").select_option("likert")
    again = page.locator(".field:has(> #criteria-0-instrument) [data-switch-button]")
    site.request(4).abort()
    again.click()
    site.answer(5)
    expect(page.locator("#criteria-0-options-points")).to_be_visible()


def test_the_bar_of_buttons_never_covers_what_has_the_focus(page: Page):
    make_account()
    log_in(page)
    page.goto(reverse("rankme:campaign-new", args=["e2e-quality"]))
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        assert_focus_is_never_covered(page, "Tab")
