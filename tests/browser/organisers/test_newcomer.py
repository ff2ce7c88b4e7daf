"""A newcomer's whole way by form: three Likert questions from a blank start to the report."""

from playwright.sync_api import Locator, Page, expect

from rankme.actions.imports import import_jobs
from rankme.models import AnalysisRun, Campaign, MaterialImport
from tests.accounts import make_account
from tests.browser.access import LAPTOP
from tests.browser.organiser import log_in, work_off
from tests.browser.rating import begin, come_in, rate_to_the_end
from tests.chromium import wait_for_path
from tests.live import wait_for
from tests.runs import executed

QUESTIONS = ("How fluent is the text?", "Does it say what it should?", "How good is it overall?")
LABELS = ["very poor", "poor", "fair", "good", "very good"]
TABLE = "system,item,input,output\n" + "".join(
    f"{system},{item},What {item} is,{system} writes about {item}.\n"
    for system in ("Alder", "Birch")
    for item in ("rain", "snow")
)
# Before the blank start and the folded form there were 18 clicks and 20 fields up to the launch.
MOST_CLICKS, MOST_FIELDS = 13, 5
# After the launch: a corrected text, one more rater, the end, and the report.
MOST_CLICKS_AFTER, MOST_FIELDS_AFTER = 13, 4
CORRECTED = "Read each text twice, then answer the three questions."


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


def test_three_questions_from_a_blank_start_to_the_report(page: Page):
    make_account()
    page.set_viewport_size(LAPTOP)
    log_in(page)
    page.goto("/campaigns/")
    hand = Hand()
    define(page, hand)
    launch(page, hand)
    assert hand.clicks <= MOST_CLICKS and hand.fields <= MOST_FIELDS, vars(hand)
    campaign = Campaign.objects.get()
    rate(page, campaign)
    after = Hand()
    page.goto(f"/campaigns/{campaign.code}/monitor/")
    correct(page, after)
    extend(page, after)
    close_and_report(page, after)
    assert after.clicks <= MOST_CLICKS_AFTER and after.fields <= MOST_FIELDS_AFTER, vars(after)
    campaign.refresh_from_db()
    changes = campaign.versions.order_by("number").values_list("change", flat=True)
    assert list(changes) == ["launch", "definition", "extension"]
    assert campaign.slots.count() == 4 * campaign.batches.count()


def define(page: Page, hand: Hand) -> None:
    hand.click(page.get_by_role("link", name="Create your first campaign"))
    hand.click(page.get_by_role("link", name="Start blank"))
    expect(page.get_by_label("Title", exact=True).first).to_be_visible()
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
    work_off(MaterialImport, import_jobs.execute_import)
    hand.click(page.get_by_role("button", name="Import"))
    work_off(MaterialImport, import_jobs.execute_import)
    hand.click(page.get_by_role("link", name="Continue"))
    hand.click(page.get_by_role("link", name="View the plan"))
    hand.click(page.get_by_label("I have checked the screens"))
    hand.click(page.get_by_role("button", name="Launch campaign"))
    wait_for_path(page, "*/links/")


def rate(page: Page, campaign: Campaign) -> None:
    """Every question has its own labels; one rater does the whole of it."""
    come_in(page, campaign)
    begin(page)
    for question in QUESTIONS:
        group = page.get_by_role("radiogroup", name=question)
        expect(group.locator(".point")).to_have_text(LABELS)
        expect(page.get_by_text(question, exact=True).first).to_be_visible()
    assert rate_to_the_end(page) == 4


def correct(page: Page, hand: Hand) -> None:
    """The instructions were wrong: the form asks for what can change, and a reason is stored."""
    hand.click(page.get_by_role("link", name="Definition", exact=True))
    hand.click(page.get_by_role("link", name="Change this campaign"))
    hand.click(page.get_by_role("heading", name="Consent and instructions"))
    expect(page.get_by_label("Seed")).to_have_count(0)
    hand.fill(page.get_by_label("Instructions", exact=True), CORRECTED)
    hand.click(page.get_by_role("button", name="Review the change").last)
    hand.fill(page.get_by_label("Reason"), "They said nothing about reading.")
    hand.click(page.get_by_role("button", name="Save as version 2"))
    expect(page.get_by_text("Version 2 is in force.")).to_be_visible()


def extend(page: Page, hand: Hand) -> None:
    hand.click(page.get_by_role("link", name="Extend the plan"))
    hand.fill(page.get_by_label("Raters per trial"), "4")
    hand.click(page.get_by_role("button", name="Show the extension"))
    expect(page.get_by_text("Balance before and after")).to_be_visible()
    hand.fill(page.get_by_label("Reason"), "A reviewer asked for it.")
    hand.click(page.get_by_role("button", name="Extend the plan"))
    expect(page.get_by_text("The plan is extended:")).to_be_visible()


def close_and_report(page: Page, hand: Hand) -> None:
    hand.click(page.get_by_role("link", name="Monitor"))
    hand.click(page.get_by_role("link", name="Close …"))
    hand.click(page.get_by_role("button", name="Close campaign"))
    hand.click(page.get_by_role("link", name="Go to the analysis"))
    hand.click(page.get_by_role("button", name="Analyse"))
    wait_for(AnalysisRun.objects.filter(state="queued").exists, "what the page asks for")
    executed(AnalysisRun.objects.get(), pictures=("svg",))  # those of the page
    for name in ("how-fluent-is-the-text", "does-it-say-what-it-should"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_text("They said nothing about reading.").first).to_be_visible()
