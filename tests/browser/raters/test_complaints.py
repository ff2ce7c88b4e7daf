"""Reporting a problem from the work page, also without a connection."""

from playwright.sync_api import Page, expect

from rankme.models import Complaint
from tests.browser.access import assert_accessible
from tests.browser.rating import next_screen, open_work, shot
from tests.campaigns import make_campaign, slider_definition


def test_a_report_goes_out_with_the_answers(page: Page):
    campaign = make_campaign(slider_definition(problem_button=True), items=2, systems=2)
    open_work(page, campaign)
    page.get_by_role("slider").press("End")
    page.context.set_offline(True)
    page.get_by_role("button", name="Report a problem").press("Enter")
    dialog = page.get_by_role("dialog", name="Report a problem")
    expect(dialog).to_be_visible()
    dialog.get_by_role("textbox").fill("The text is cut off.")
    shot(page, "complaint")
    assert_accessible(page)
    dialog.get_by_role("button", name="Send the report").press("Enter")
    expect(page.get_by_text("Your report goes to the organisers.")).to_be_visible()
    expect(dialog).to_be_hidden()
    next_screen(page)
    expect(page.get_by_text("2 answers are waiting to be sent.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#unsent")).to_be_hidden()
    sitting = campaign.assignments.get()
    found = Complaint.objects.get()
    assert found.text == "The text is cut off." and sitting.submissions.count() == 1
    assert found.trial_id == sitting.presentation[0][0]
