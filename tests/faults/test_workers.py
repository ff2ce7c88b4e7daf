"""Imports and analyses that lose their worker, their broker or their database."""

import time
from pathlib import Path

import psutil
import pytest

from rankme.actions import analysis_runs, campaigns, material_rows, materials, run_options
from rankme.models import AnalysisRun, Campaign, MaterialImport, Output
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.campaigns import slider_definition as slider
from tests.invariants import check_jobs_ended, check_record
from tests.live import LiveSite, wait_for
from tests.sittings import sit

pytestmark = [pytest.mark.slow, pytest.mark.waits]
ROWS = 150_000
ITEMS = 15_000


@pytest.fixture
def owner():
    return make_owner()


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """So many rows that a worker can be killed while it stores them."""
    return write_outputs(tmp_path, ROWS)


@pytest.fixture
def few_outputs(tmp_path: Path) -> Path:
    return write_outputs(tmp_path, ITEMS)


def write_outputs(folder: Path, rows: int) -> Path:
    path = folder / "outputs.tsv"
    with path.open("w") as file:
        file.write("system\titem\toutput\n")
        for row in range(rows):
            system, item = divmod(row, ITEMS)
            file.write(f"s{system}\ti{item}\tThe place number {item} is a pub by the river.\n")
    return path


def is_over(row: MaterialImport | AnalysisRun) -> bool:
    row.refresh_from_db()
    return row.is_over


def start_all(site: LiveSite) -> None:
    site.start_worker()
    site.start_beat()


def preview(owner, path: Path) -> MaterialImport:
    draft = campaigns.create_campaign(owner, slider())
    return materials.start_import(draft, [path], by=owner)


def wait_until_copying(row: MaterialImport) -> None:
    def copies() -> bool:
        row.refresh_from_db()
        return row.state == "working" and row.progress > material_rows.READ_SHARE

    wait_for(copies, "the import to store its rows")


def test_what_works_on_jobs_gives_way_to_what_answers_raters(live_site: LiveSite):
    live_site.start_worker()
    web, worker = (psutil.Process(live_site.processes[name].pid) for name in ("web", "worker"))
    wait_for(lambda: worker.children(), "the worker's processes")
    wait_for(lambda: worker.children()[0].nice() > web.nice(), "the worker to step back")


def test_a_worker_killed_in_an_import_leaves_nothing_half_and_another_finishes(
    live_site: LiveSite, owner, outputs
):
    start_all(live_site)
    row = preview(owner, outputs)
    wait_for(lambda: is_over(row), "the check")
    materials.take_import(row, by=owner)
    wait_until_copying(row)
    live_site.kill_worker()
    assert not Output.objects.exists()
    row.refresh_from_db()
    assert row.state == "working"
    live_site.start_worker()
    wait_for(lambda: is_over(row), "another worker to take over")
    assert (row.state, row.phase, row.attempts) == ("done", "taken", 2)
    assert Output.objects.count() == ROWS
    check_jobs_ended()


def test_a_database_that_goes_away_in_an_import_delays_it_only(live_site: LiveSite, owner, outputs):
    start_all(live_site)
    row = preview(owner, outputs)
    wait_for(lambda: is_over(row), "the check")
    materials.take_import(row, by=owner)
    wait_until_copying(row)
    live_site.restart_postgresql()
    wait_for(lambda: is_over(row), "the import to be done again")
    assert (row.state, Output.objects.count()) == ("done", ROWS)


def test_a_broker_that_is_away_delays_an_import_only(live_site: LiveSite, owner, few_outputs):
    start_all(live_site)
    live_site.kill_valkey()
    began = time.monotonic()
    row = preview(owner, few_outputs)
    assert time.monotonic() - began < 5, "the page waited for the broker"
    assert row.state == "queued"
    live_site.start_valkey()
    wait_for(lambda: is_over(row), "beat to send it again")
    assert (row.state, row.phase) == ("done", "previewed")


def test_a_job_that_the_broker_forgot_is_sent_again(live_site: LiveSite, owner, few_outputs):
    row = preview(owner, few_outputs)
    time.sleep(1)
    live_site.flush_valkey()
    start_all(live_site)
    wait_for(lambda: is_over(row), "beat to send it again")
    assert row.state == "done"


def test_without_beat_a_job_that_the_broker_forgot_would_wait(
    live_site: LiveSite, owner, few_outputs
):
    row = preview(owner, few_outputs)
    time.sleep(1)
    live_site.flush_valkey()
    live_site.start_worker()
    time.sleep(15)
    assert not is_over(row) and row.state == "queued"


def rated_campaign() -> Campaign:
    definition = rankme_definition(raters_per_trial=6)
    campaign = make_campaign(definition, items=12, systems=4)
    for number in range(18):
        sit(make_rater(campaign, f"w{number}"))
    check_record()
    return campaign


def finished_run(campaign: Campaign, owner, seed: int = 5) -> AnalysisRun:
    return analysis_runs.request_run(campaign, quick_options(campaign, seed), by=owner)


def quick_options(campaign: Campaign, seed: int) -> dict:
    return run_options.default_options(campaign) | {"runs": 2_000, "seed": seed}


def test_a_worker_killed_in_an_analysis_changes_no_number(live_site: LiveSite, owner):
    start_all(live_site)
    campaign = rated_campaign()
    undisturbed = finished_run(campaign, owner)
    wait_for(lambda: is_over(undisturbed), "an analysis")
    disturbed = finished_run(campaign, owner)

    def works() -> bool:
        disturbed.refresh_from_db()
        return disturbed.state != "queued"

    wait_for(works, "the analysis to begin")
    for time_of_death in range(3):
        live_site.kill_worker()
        assert time_of_death or not is_over(disturbed), "it was over before anybody was killed"
        live_site.start_worker()
        time.sleep(2)
    wait_for(lambda: is_over(disturbed), "another worker to finish it")
    assert (undisturbed.state, disturbed.state) == ("done", "done")
    assert numbers_of(disturbed) == numbers_of(undisturbed)
    check_jobs_ended()


def numbers_of(run: AnalysisRun) -> tuple:
    return run.data_sha256, run.result


def test_a_lost_broker_loses_no_analysis(live_site: LiveSite, owner):
    start_all(live_site)
    campaign = rated_campaign()
    live_site.kill_valkey()
    run = finished_run(campaign, owner)
    live_site.start_valkey()
    wait_for(lambda: is_over(run), "the analysis")
    assert run.state == "done"
