"""A newcomer's whole way by form: three Likert questions from a blank start to the report."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from rankme.models import Campaign
from tests.accounts import make_account
from tests.browser.organiser import log_in
from tests.browser.rating import begin, come_in, rate_to_the_end
from tests.live import LiveSite

QUESTIONS = ("How fluent is the text?", "Does it say what it should?", "How good is it overall?")
LABELS = ["very poor", "poor", "fair", "good", "very good"]
TABLE = "system,item,input,output\n" + "".join(
    f"{system},{item},What {item} is,{system} writes about {item}.\n"
    for system in ("Alder", "Birch")
    for item in ("rain", "snow")
)
# Before the blank start and the folded form there were 18 clicks and 20 fields up to the launch.
MOST_CLICKS, MOST_FIELDS = 13, 5


class Hand:
    """Clicks and types, and counts both."""

    def __init__(self) -> None:
        self.clicks = self.fields = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def fill(self, target: Locator, text: str) -> None:
        target.fill(text)
        self.fields += 1


def frame_of(page: Page):
    return page.frame_locator("iframe:not([data-loading])")


def test_three_questions_from_a_blank_start_to_the_report(page: Page, live_site: LiveSite):
    make_account()
    live_site.start_worker()
    page.set_viewport_size({"width": 1366, "height": 768})
    log_in(page)
    hand = Hand()
    define(page, hand)
    launch(page, hand)
    assert hand.clicks <= MOST_CLICKS and hand.fields <= MOST_FIELDS, vars(hand)
    campaign = Campaign.objects.get()
    rate(page, campaign)
    close_and_report(page, campaign)


def define(page: Page, hand: Hand) -> None:
    hand.click(page.get_by_role("link", name="Create your first campaign"))
    hand.click(page.get_by_role("link", name="Start blank"))
    height = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    assert height <= 3, f"the form is {height} screens tall"
    hand.fill(page.get_by_label("Title", exact=True).first, "Three questions")
    for number, question in enumerate(QUESTIONS):
        if number:
            hand.click(page.get_by_role("button", name="Add criterion"))
            expect(page.locator(f"#criteria-{number}-question")).to_be_focused()
        field = page.locator(f"#criteria-{number}-question")
        hand.fill(field, question)
        # It is on the rater's screen at once, with its labels, and the hand is still in the field.
        shown = frame_of(page).get_by_role("radiogroup", name=question)
        expect(shown.locator(".point")).to_have_text(LABELS)
        expect(field).to_be_focused()
    hand.click(page.get_by_role("button", name="Save", exact=True).last)
    expect(page.get_by_text("The definition has been saved.")).to_be_visible()


def launch(page: Page, hand: Hand) -> None:
    hand.click(page.get_by_role("link", name="Upload outputs").first)
    file = {"name": "texts.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    page.get_by_label("Outputs").set_input_files(file)
    hand.fields += 1
    hand.click(page.get_by_role("button", name="Upload and check"))
    hand.click(page.get_by_role("button", name="Import"))
    hand.click(page.get_by_role("link", name="Continue"))
    hand.click(page.get_by_role("link", name="View the plan"))
    hand.click(page.get_by_label("I have checked the screens"))
    hand.click(page.get_by_role("button", name="Launch campaign"))
    page.wait_for_url("**/links/")


def rate(page: Page, campaign: Campaign) -> None:
    """Every question has its own labels; one rater does the whole of it."""
    come_in(page, campaign)
    begin(page)
    for question in QUESTIONS:
        group = page.get_by_role("radiogroup", name=question)
        expect(group.locator(".point")).to_have_text(LABELS)
        expect(page.get_by_text(question, exact=True).first).to_be_visible()
    assert rate_to_the_end(page) == 4


def close_and_report(page: Page, campaign: Campaign) -> None:
    page.goto(f"/campaigns/{campaign.code}/monitor/")
    page.get_by_role("link", name="Close …").click()
    page.get_by_role("button", name="Close campaign").click()
    page.get_by_role("link", name="Go to the analysis").click()
    page.get_by_role("button", name="Analyse").click()
    for name in ("how-fluent-is-the-text", "does-it-say-what-it-should"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
