"""The organiser's main job in a real browser: by keyboard, and on a phone."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.campaign import campaigns
from rankme.actions.imports import import_jobs
from rankme.actions.material import metric_jobs
from rankme.actions.sitting import assignments
from rankme.management.commands.demo import FOLDER
from rankme.models import Campaign, MaterialImport, MetricComputation, Output
from tests.accounts import PASSWORD, make_account
from tests.browser.access import PHONE, assert_accessible
from tests.browser.organiser import log_in, press_with_keys, tab_to, type_with_keys, work_off
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.chromium import wait_for_path
from tests.live import LiveSite
from tests.sittings import answer


def test_from_the_login_to_the_raters_link_by_keyboard(page: Page):
    make_account()
    page.goto("/")
    press_with_keys(page, "Log in as an organiser")
    wait_for_path(page, "*/login/*")
    type_with_keys(page, "Username", "olga")
    type_with_keys(page, "Password", PASSWORD)
    page.keyboard.press("Enter")
    wait_for_path(page, "*/campaigns/")
    press_with_keys(page, "Create your first campaign")
    wait_for_path(page, "*/campaigns/new/")
    press_with_keys(page, "Published experiments")
    press_with_keys(page, "Use this template: E2E quality")
    wait_for_path(page, "*/e2e-quality/")
    tab_to(page, "Title")
    page.keyboard.press("Control+A")
    page.keyboard.type("Restaurants by keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The definition has been saved.")).to_be_visible()
    press_with_keys(page, "Upload outputs")
    wait_for_path(page, "*/material/")
    # The window in which files are chosen is the system's own: from here on it is simulated.
    tab_to(page, "Outputs")
    page.locator(":focus").set_input_files(FOLDER / "restaurants" / "outputs.csv")
    tab_to(page, "Items (optional)")
    page.locator(":focus").set_input_files(FOLDER / "restaurants" / "items.csv")
    press_with_keys(page, "Upload and check")
    work_off(MaterialImport, import_jobs.execute_import)
    expect(page.get_by_role("button", name="Import")).to_be_visible()
    press_with_keys(page, "Import")
    work_off(MaterialImport, import_jobs.execute_import)
    expect(page.get_by_text("Import complete.")).to_be_visible()
    press_with_keys(page, "Continue")
    expect(page.get_by_text("Check the plan, then launch")).to_be_visible()
    press_with_keys(page, "View the plan")
    wait_for_path(page, "*/launch/")
    press_with_keys(page, "I have checked the screens", "Space")
    press_with_keys(page, "Launch campaign")
    wait_for_path(page, "*/links/")
    campaign = Campaign.objects.get()
    assert campaign.is_running and campaign.title == "Restaurants by keyboard"
    expect(page.get_by_text(f"/r/{campaign.code}/", exact=False).first).to_be_visible()
    page.goto(reverse("rankme:enter", args=[campaign.code]))
    expect(page.get_by_text("In this study you read utterances")).to_be_visible()


def test_columns_with_unknown_names_are_described_by_keyboard(page: Page):
    draft = campaigns.create_campaign(make_account(), slider_definition())
    log_in(page)
    page.set_viewport_size(PHONE)
    page.goto(reverse("rankme:campaign-material", args=[draft.code]))
    rows = [("A", "1", "Because."), ("A", "2", "Thus."), ("B", "1", "So."), ("B", "2", "Well.")]
    text = "\n".join(map(",".join, [("alpha", "beta", "gamma"), *rows]))
    unknown = {"name": "outputs.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label("Outputs").set_input_files(unknown)
    press_with_keys(page, "Upload and check")
    work_off(MaterialImport, import_jobs.execute_import)
    expect(page.get_by_text("Choose a meaning for each column")).to_be_visible()
    tab_to(page, "alpha")
    for column, first_letter in (("alpha", "S"), ("beta", "I"), ("gamma", "O")):
        expect(page.get_by_label(column, exact=True)).to_be_focused()
        expect(page.locator(":focus")).to_be_in_viewport()
        page.keyboard.type(first_letter)
        page.keyboard.press("Tab")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert_accessible(page)
    press_with_keys(page, "Check again")
    work_off(MaterialImport, import_jobs.execute_import)
    expect(page.get_by_text("2 systems × 2 items")).to_be_visible()
    press_with_keys(page, "Import")
    work_off(MaterialImport, import_jobs.execute_import)
    expect(page.get_by_text("Import complete.")).to_be_visible()
    found = Output.objects.values_list("system__name", "item__key", "text")
    assert set(found) == set(rows)


def test_the_monitor_updates_without_moving_the_focus(page: Page):
    olga = make_account()
    campaign = make_campaign(slider_definition(), owner=olga)
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    page.clock.install()
    log_in(page)
    page.goto(reverse("rankme:campaign-monitor", args=[campaign.code]))
    expect(page.get_by_text("of 16 screens (0 %)")).to_be_visible()
    free = page.get_by_role("button", name="Release batch")
    free.focus()
    answer(held, 0, value=50)
    page.clock.run_for(16_000)
    expect(page.get_by_text("of 16 screens (6 %)")).to_be_visible()
    expect(free).to_be_focused()


def test_a_page_whose_job_is_over_leaves_a_form_that_is_being_filled_in(page: Page):
    olga = make_account()
    campaign = make_campaign(owner=olga, launch=False)
    metric_jobs.request_metrics(campaign, ["lengths"], by=olga)
    log_in(page)
    page.goto(reverse("rankme:campaign-metrics", args=[campaign.code]))
    scores = page.locator("form [type=file]")
    scores.set_input_files({"name": "comet.csv", "mimeType": "text/csv", "buffer": b"item,system"})
    work_off(MetricComputation, metric_jobs.execute)
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.wait_for_timeout(2_500)  # it would have loaded itself again
    assert scores.evaluate("field => field.files.length") == 1
    scores.set_input_files([])
    expect(page.get_by_role("button", name="Compute", exact=True)).to_be_visible()


def test_a_link_is_copied(page: Page, live_site: LiveSite):
    campaign = make_campaign(owner=make_account())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    log_in(page)
    page.goto(reverse("rankme:campaign-links", args=[campaign.code]))
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == live_site.url + reverse("rankme:enter", args=[campaign.code])
