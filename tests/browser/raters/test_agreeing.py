"""The consent page: its answer takes its place, so that nothing on its way is lost."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Request, Route, expect

from rankme.models import Campaign, Participant
from tests.browser.rating import agree, await_screen, begin, campaign_of
from tests.live import wait_for


def open_consent(page: Page, campaign: Campaign) -> None:
    page.goto(reverse("rankme:enter", args=[campaign.code]) + "?id=w1")
    page.evaluate("window.stayed = true")


@pytest.fixture
def lost(page: Page) -> Iterator[list[str]]:
    """Addresses of files whose loading the browser gave up."""
    lost: list[str] = []

    def note(request: Request) -> None:
        lost.append(request.url)

    page.on("requestfailed", note)
    yield lost
    page.remove_listener("requestfailed", note)


def test_files_on_their_way_survive_the_consent(page: Page, lost: list[str]):
    """The script of the work page, asked for by the consent page, comes after the consent."""
    held: list[Route] = []
    page.route("**/js/work/work*.js", lambda route: held.append(route), times=1)
    campaign = campaign_of("likert-criteria", items=1)
    open_consent(page, campaign)
    wait_for(lambda: page.wait_for_timeout(20) or held, "the file that the consent page fetches")
    agree(page)
    expect(page.get_by_role("heading", name="Instructions")).to_be_focused()
    assert page.evaluate("window.stayed")
    held[0].continue_()
    page.wait_for_load_state("networkidle")
    assert lost == []
    begin(page)
    await_screen(page)


def test_the_page_that_takes_the_place_is_that_page(page: Page):
    """Address, title, language and direction; loading it again sends no form."""
    campaign = campaign_of("likert-criteria", items=1)
    open_consent(page, campaign)
    agree(page)
    instructions = reverse("rankme:instructions", args=[campaign.code])
    whole = "[document.title, document.documentElement.lang, document.body.innerText.trim()]"
    assert page.evaluate("location.pathname") == instructions
    shown = page.evaluate(whole)
    page.reload()
    assert page.evaluate(whole) == shown
    assert page.url.endswith(instructions)
    assert Participant.objects.count() == 1


def test_a_form_of_entry_questions_takes_the_place_too(page: Page):
    campaign = campaign_of("e2e-quality", items=1)
    open_consent(page, campaign)
    agree(page)
    expect(page.get_by_role("heading", name="Before you begin")).to_be_focused()
    assert page.evaluate("window.stayed")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_lost_connection_sends_the_form_in_the_usual_way(page: Page):
    campaign = campaign_of("likert-criteria", items=1)
    open_consent(page, campaign)
    is_script = lambda route: route.request.resource_type == "xhr"  # noqa: E731
    page.route("**/r/*/", lambda route: route.abort() if is_script(route) else route.continue_())
    agree(page)
    expect(page.get_by_role("heading", name="Instructions")).to_be_visible()
    assert page.evaluate("window.stayed") is None
    assert Participant.objects.get().consented_at


def test_declining_leaves_the_page(page: Page):
    campaign = campaign_of("likert-criteria", items=1)
    open_consent(page, campaign)
    page.get_by_role("button", name="I do not want").click()
    page.get_by_role("button", name="I agree").wait_for(state="detached")
    assert page.evaluate("window.stayed") is None
    assert not Participant.objects.exists()
