"""Imports and analyses that lose their worker, their broker or their database."""

import contextlib
import time
from pathlib import Path

import psutil
import pytest
import redis

from rankme.actions.campaign import campaigns
from rankme.actions.material import materials
from rankme.actions.runs import analysis_runs, run_options
from rankme.models import AnalysisRun, Campaign, Item, MaterialImport, Output
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.campaigns import slider_definition as slider
from tests.importing.workbooks import workbook
from tests.invariants import check_jobs_ended
from tests.live import PATIENCE, LiveSite, wait_for
from tests.sittings import sit

pytestmark = pytest.mark.slow
PLAIN, DOOMED = "tests.faults.plain_site", "tests.faults.doomed_site"
ROWS = 9_000
ITEMS = 3_000


@pytest.fixture
def owner():
    return make_owner()


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """Enough rows for heartbeats while they are stored: a worker can halt there."""
    path = tmp_path / "outputs.tsv"
    with path.open("w") as file:
        file.write("system\titem\toutput\n")
        for row in range(ROWS):
            system, item = divmod(row, ITEMS)
            file.write(f"s{system}\ti{item}\tThe place number {item} is a pub by the river.\n")
    return path


def is_over(row: MaterialImport | AnalysisRun) -> bool:
    row.refresh_from_db()
    return row.is_over


def preview(owner, path: Path) -> MaterialImport:
    draft = campaigns.create_campaign(owner, slider())
    return materials.start_import(draft, [path], by=owner)


@pytest.fixture
def half_stored(site_without_web, owner, outputs, tmp_path) -> tuple[MaterialImport, Path]:
    """An import whose worker waits in the middle of its rows, until the file is gone."""
    halt = tmp_path / "halt"
    halt.touch()
    row = preview(owner, outputs)
    site_without_web.start_worker(app=DOOMED, HALT_FILE=str(halt))
    site_without_web.start_beat()
    wait_for(lambda: is_over(row), "the check")
    materials.take_import(row, by=owner)
    wait_for(halt.read_text, "the import to store its rows")
    row.refresh_from_db()
    assert row.state == "working"
    return row, halt


def test_a_file_that_ends_its_reader_ends_no_worker(
    site_without_web: LiveSite, owner, outputs: Path, tmp_path: Path
):
    far_cell = tmp_path / "wide.xlsx"
    far_cell.write_bytes(workbook(("A1", "system"), ("XFD1048576", "x")))
    row = preview(owner, far_cell)
    site_without_web.start_worker()
    site_without_web.start_beat()
    wait_for(lambda: is_over(row), "the check")
    assert (row.state, row.attempts) == ("failed", 1)
    assert "more than 2 GB of memory" in row.problems[0]["message"]
    process = row.claimed_by.partition("#")[0].partition(":")[2]
    assert psutil.pid_exists(int(process))
    assert "SIGABRT" not in site_without_web.log("worker").read_text()


def test_a_worker_killed_in_an_import_leaves_nothing_half_and_another_finishes(
    site_without_web: LiveSite, half_stored
):
    row, _ = half_stored
    site_without_web.kill_worker()
    assert not Item.objects.exists() and not Output.objects.exists()
    row.refresh_from_db()
    assert row.state == "working"
    site_without_web.start_worker()
    wait_for(lambda: is_over(row), "another worker to take over")
    assert (row.state, row.phase, row.attempts) == ("done", "taken", 2)
    assert Output.objects.count() == ROWS
    check_jobs_ended()


def test_a_database_that_goes_away_in_an_import_delays_it_only(
    site_without_web: LiveSite, half_stored
):
    row, halt = half_stored
    site_without_web.restart_postgresql()
    halt.unlink()
    wait_for(lambda: is_over(row), "the import to be done again")
    assert (row.state, Output.objects.count()) == ("done", ROWS)


def test_what_works_on_jobs_gives_way_to_raters_and_waits_for_its_broker(
    live_site: LiveSite, owner, outputs
):
    """One worker: it has a low priority, and beat sends again what the broker forgets or misses."""
    forgotten = preview(owner, outputs)
    wait_for(lambda: messages(live_site) > 0, "the message")
    live_site.flush_valkey()
    live_site.start_worker(app=PLAIN)
    a_worker_has_a_lower_priority_than_the_web_server(live_site)
    without_beat_a_job_that_the_broker_forgot_waits(owner, outputs, forgotten)
    live_site.start_beat()
    wait_for(lambda: is_over(forgotten), "beat to send it again")
    assert forgotten.state == "done"
    a_broker_that_is_away_delays_imports_and_analyses_only(live_site, owner, outputs)


def messages(site: LiveSite) -> int:
    with redis.Redis(unix_socket_path=str(site.servers.valkey.socket)) as client:
        return client.llen("rankme")


def a_worker_has_a_lower_priority_than_the_web_server(site: LiveSite) -> None:
    web, worker = (psutil.Process(site.processes[name].pid) for name in ("web", "worker"))

    def has_stepped_back() -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):  # what an import starts ends soon
            return any(child.nice() > web.nice() for child in worker.children())
        return False

    wait_for(has_stepped_back, "the worker to step back")


def without_beat_a_job_that_the_broker_forgot_waits(owner, outputs, forgotten) -> None:
    later = preview(owner, outputs)
    wait_for(lambda: is_over(later), "a job that was asked for later")
    assert later.state == "done"
    assert not is_over(forgotten) and forgotten.state == "queued"


def a_broker_that_is_away_delays_imports_and_analyses_only(site, owner, outputs) -> None:
    campaign = rated_campaign()
    site.kill_valkey()
    began = time.monotonic()
    row = preview(owner, outputs)
    assert time.monotonic() - began < PATIENCE, "the page waited for the broker"
    options = run_options.default_options(campaign) | {"runs": 40, "agreement_resamples": 20}
    run = analysis_runs.request_run(campaign, options, by=owner)
    assert (row.state, run.state) == ("queued", "queued")
    site.start_valkey()
    wait_for(lambda: is_over(row) and is_over(run), "beat to send them again")
    assert (row.state, row.phase, run.state) == ("done", "previewed", "done")


def rated_campaign() -> Campaign:
    campaign = make_campaign(rankme_definition())
    sit(make_rater(campaign))
    return campaign
