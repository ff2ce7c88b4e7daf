"""The way from judgements to a public report, with real workers and a real browser."""

import os
import signal

import psutil
import pytest
from playwright.sync_api import expect

from rankme.actions.runs import analysis_runs, publishing
from rankme.models import AnalysisRun
from rankme.queries.judgement_table import factor_column
from tests.browser.access import (
    LAPTOP,
    PHONE,
    assert_accessible,
    assert_focus_is_never_covered,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.live import wait_for
from tests.reports import assert_same_report
from tests.runs import asked, executed, rate, rated_campaign

pytestmark = pytest.mark.django_db(transaction=True)
SHOWN = ("svg",)  # the pictures of a page; the others can only be downloaded
OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
OPEN_FEW = "document.querySelectorAll('details').forEach((part, n) => { part.open = n < 9; })"
SHOWN_ON_PAPER = "(part) => part.checkVisibility()"


def test_an_analysis_is_asked_for_watched_read_and_published(page, live_site):
    campaign = rated_campaign()
    live_site.start_worker()
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/analysis/")
    page.fill("[name=runs]", "40")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_text("Standard table").first.wait_for()
    run = AnalysisRun.objects.get()
    expect(page.get_by_text(run.data_sha256)).to_have_count(1)
    page.wait_for_function(
        "() => [...document.images].every(image => !image.complete || image.naturalWidth > 0)"
    )
    expect(page.locator(".plots img").first).to_be_attached()
    with page.expect_download() as downloaded:  # opened as a page, a plot would lose its style
        page.get_by_role("link", name="SVG").first.click()
    assert downloaded.value.suggested_filename.endswith(".svg")
    assert_opens_with_the_answer(page)
    page.get_by_role("link", name="Publish").click()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_role("heading", name=campaign.title, level=1, exact=True)).to_be_visible()
    page.set_viewport_size(PHONE)
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    page.evaluate(OPEN_ALL)
    page.locator("[data-contents]").evaluate("(contents) => { contents.open = false; }")
    assert_focus_is_never_covered(page, "Shift+Tab")


def assert_opens_with_the_answer(page) -> None:
    """A phone shows it without scrolling; contents follow on a laptop; paper shows everything."""
    answer, contents = page.locator(".answer").first, page.locator("[data-contents]")
    folded = page.locator("#quality-raters .table-scroll").first
    page.set_viewport_size(PHONE)
    page.evaluate("scrollTo(0, 0)")
    expect(contents).not_to_have_attribute("open", "")
    place = answer.locator("strong").bounding_box()
    assert place["y"] + place["height"] < 844
    assert not folded.evaluate(SHOWN_ON_PAPER)
    page.emulate_media(media="print")
    assert folded.evaluate(SHOWN_ON_PAPER)
    page.emulate_media(media="screen")
    page.set_viewport_size(LAPTOP)
    expect(contents).to_have_attribute("open", "")
    current = contents.locator("[aria-current]")
    expect(current).to_have_text("Quality")
    contents.get_by_role("link", name="All pairs").click()
    expect(page.get_by_role("group", name="The answer, pair by pair")).to_be_in_viewport()
    contents.get_by_role("link", name="Files and signature").click()
    expect(current).to_have_text("Files and signature")


def test_on_a_laptop_no_table_of_a_report_is_cut_off(page):
    """On a phone it scrolls, and the name of the row stays."""
    names = ["clarity", "readability", "meaning"]
    definition = slider_definition(
        criteria=[
            {"name": name, "question": f"How is its {name}?", "instrument": "slider",
             "low": "bad", "high": "good"}
            for name in names
        ],
        screens=[{"name": "rate", "show": ["input", "outputs"], "ask": names}],
    )  # fmt: skip
    campaign = rated_campaign(definition, systems=4)
    options = {"model": "interaction", "factors": [factor_column("domain")]}
    options |= {"agreement_resamples": 10}
    run = executed(asked(campaign, **options), pictures=SHOWN)
    log_in(page)
    page.set_viewport_size(LAPTOP)
    page.goto(f"/campaigns/{campaign.code}/analysis/{run.pk}/")
    page.evaluate(OPEN_ALL)
    widths = page.locator(".table-scroll").evaluate_all(
        "(all) => all.map((one) => [one.ariaLabel, one.scrollWidth - one.clientWidth])"
    )
    assert sum(caption == "Analysis of variance" for caption, _ in widths) == 3
    assert [caption for caption, missing in widths if missing > 0] == []
    page.set_viewport_size(PHONE)
    scrolled = page.get_by_role("group", name="Analysis of variance").first
    scrolled.evaluate("(part) => { part.scrollLeft = 10_000; }")
    assert scrolled.evaluate("(part) => part.scrollLeft") > 0
    heading = scrolled.locator("tbody th").first
    assert heading.bounding_box()["x"] >= scrolled.bounding_box()["x"]


@pytest.mark.slow
def test_no_page_of_an_analysis_has_a_fault_that_axe_finds_or_is_too_wide(page):
    """By day on a laptop, in the dark on a phone; more systems only make more rows."""
    campaign = rated_campaign(items=6, systems=4)
    options = {"runs": 20, "agreement_resamples": 10}
    run = executed(asked(campaign, **options), pictures=SHOWN)
    waiting = analysis_runs.request_run(campaign, options, by=make_owner())
    report = publishing.publish_report(run, by=make_owner())
    log_in(page)
    home = f"/campaigns/{campaign.code}/"
    turn(page, "dark", PHONE)
    repeating = (f"/reports/{report.code}/", "/api/v1/docs/")
    for address in (
        *(f"{home}analysis/{part}" for part in ("", f"{run.pk}/", f"{waiting.pk}/")),
        *(f"{home}analysis/{run.pk}/{part}/" for part in ("publish", "withdraw")),
        f"{home}judgements/",
        *repeating,
    ):
        page.goto(address)
        page.evaluate(OPEN_ALL)
        assert_fits(page, address)
        turn(page, "light", LAPTOP)
        assert_fits(page, address)
        if address in repeating:  # the report of the page before, or operations all of one make
            page.evaluate(OPEN_FEW)
        assert_accessible(page, f"light {address}")
        turn(page, "dark", PHONE)
        assert_accessible(page, f"dark {address}")


def test_a_report_of_raters_with_one_system_each_fits_a_phone_with_text_of_twice_the_size(page):
    """All of its parts are open, and sentences name its pairs and models."""
    rows = [f"{number},item-{item},Sys{number % 2}" for number in range(8) for item in range(4)]
    plan = {"kind": "own_plan", "options": {"table": "\n".join(["batch,item,system", *rows])}}
    definition = slider_definition(design=plan, raters_per_trial=4, crowd={"batches_per_rater": 1})
    campaign = rate(make_campaign(definition, items=4, systems=2), raters=8)
    run = executed(asked(campaign, agreement_resamples=10), pictures=SHOWN)
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/analysis/{run.pk}/")
    page.evaluate(OPEN_ALL)
    assert_never_scrolls_sideways(page)


def turn(page, scheme: str, size: dict[str, int]) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)


def assert_fits(page, address: str) -> None:
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"], f"{address} is {width} px wide"


@pytest.mark.slow
def test_neither_a_lost_broker_nor_a_killed_worker_changes_anything(live_site, tmp_path):
    campaign = rated_campaign()
    live_site.kill_valkey()
    options = {"runs": 40, "agreement_resamples": 10}
    delayed = analysis_runs.request_run(campaign, options, by=make_owner())
    live_site.start_valkey()
    halt = tmp_path / "halt"
    live_site.start_worker(app="tests.faults.doomed_site", HALT_FILE=str(halt))
    live_site.start_beat()
    live_site.flush_valkey()
    wait_for(lambda: fresh(delayed).is_over, "the reconciler's news")
    assert fresh(delayed).state == "done"
    assert fresh(delayed).attempts == 1
    assert psutil.pid_exists(live_site.processes["worker"].pid)
    halt.touch()
    run = analysis_runs.request_run(campaign, options, by=make_owner())
    wait_for(halt.read_text, "a worker to store a part")
    before = fresh(run).claimed_by
    os.kill(int(before.partition("#")[0].rpartition(":")[2]), signal.SIGKILL)
    halt.unlink()
    wait_for(lambda: fresh(run).claimed_by != before, "another worker")
    wait_for(lambda: fresh(run).is_over, "the end")
    assert fresh(run).state == "done"
    assert_same_report(fresh(run).result["report"], fresh(delayed).result["report"])


def fresh(run: AnalysisRun) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=run.pk)
