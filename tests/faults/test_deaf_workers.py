"""Workers that are alive but get no messages: their broker connection is cut or silent."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankme.actions import analysis_runs, run_options
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.faults.proxy import BrokerLine, broker_line
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, wait_for
from tests.sittings import sit

pytestmark = [pytest.mark.slow, pytest.mark.waits]
MOST_SECONDS_DEAF = 60
DEAF = "tests.faults.deaf_site"
REPLACED = "its supervisor starts a new one"  # what the watchdog writes to the log


@pytest.fixture
def line(live_site: LiveSite) -> Iterator[BrokerLine]:
    with broker_line(live_site.servers.valkey.socket) as line:
        yield line
        live_site.kill_worker()  # it would wait long for a broker that says nothing


def start_worker_behind(
    line: BrokerLine, site: LiveSite, app: str = "evalsite", **settings: str
) -> None:
    """Start a worker on this connection, and wait until it has received something."""
    site.log("worker").unlink(missing_ok=True)
    site.start_beat()
    site.start_worker(app=app, REDIS_URL=line.url, **settings)
    wait_for(lambda: received_by(site), "the worker to receive a message")


def received_by(site: LiveSite) -> int:
    log = site.log("worker")
    return log.read_text().count("Task rankme.tasks.reconcile") if log.exists() else 0


def ask_for_analysis() -> AnalysisRun:
    campaign = make_campaign(rankme_definition(), items=4, systems=4)
    sit(make_rater(campaign))
    options = run_options.default_options(campaign) | {"runs": 40}
    return analysis_runs.request_run(campaign, options, by=make_owner())


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


def seconds_until_begun(run: AnalysisRun) -> float:
    def has_begun() -> bool:
        run.refresh_from_db()
        return run.state != "queued"

    asked = time.monotonic()
    wait_for(has_begun, "a worker to begin the analysis", seconds=MOST_SECONDS_DEAF)
    return time.monotonic() - asked


def test_a_worker_whose_broker_fell_silent_connects_again(live_site, line):
    start_worker_behind(line, live_site, WORKER_DEAF_AFTER_SECONDS="0")
    worker = live_site.processes["worker"]
    assert line.mute_open_calls() > 0, "nothing was connected"
    run = ask_for_analysis()
    print(f"\ndeaf for {seconds_until_begun(run):.1f} s")
    wait_for(lambda: is_over(run), "the analysis")
    assert (run.state, run.attempts) == ("done", 1)
    assert worker.poll() is None
    said = live_site.log("worker").read_text()
    assert "Couldn't ack" not in said, "the worker believes that one of its processes is busy"
    check_jobs_ended()


def test_without_the_repair_a_worker_would_stay_deaf(live_site, line):
    """Beat alone does not help: its messages do not reach the worker either."""
    start_worker_behind(line, live_site, app=DEAF, WORKER_DEAF_AFTER_SECONDS="0")
    line.mute_open_calls()
    run = ask_for_analysis()
    time.sleep(30)
    assert not is_over(run) and run.state == "queued"


@contextlib.contextmanager
def supervised_worker(
    line: BrokerLine, site: LiveSite, app: str = "evalsite", **settings: str
) -> Iterator[Path]:
    """A worker below the supervisor of `make run`, which has received a message; return its log."""
    log = site.log("worker")
    log.unlink(missing_ok=True)
    site.start_beat()
    module = ("-m", "tests.faults.supervised_worker")
    site.start("worker", *module, app, REDIS_URL=line.url, **settings)
    try:
        wait_for(lambda: received_by(site), "the worker to receive a message")
        yield log
    finally:
        site.stop("worker")


def test_a_worker_that_stays_deaf_is_replaced(live_site, line):
    with supervised_worker(line, live_site, app=DEAF) as log:
        line.mute_open_calls()
        run = ask_for_analysis()
        print(f"\ndeaf for {seconds_until_begun(run):.1f} s")
        wait_for(lambda: is_over(run), "the analysis")
        assert REPLACED in log.read_text()
    assert (run.state, run.attempts) == ("done", 1)
    check_jobs_ended()


def test_a_broker_that_is_away_for_a_while_ends_no_worker(live_site, line):
    """A new worker would not get its messages either."""
    with supervised_worker(line, live_site, WORKER_DEAF_AFTER_SECONDS="3") as log:
        line.is_silent = True
        run = ask_for_analysis()
        time.sleep(20)
        assert REPLACED not in log.read_text()
        line.is_silent = False
        print(f"\nbegun {seconds_until_begun(run):.1f} s after the broker was back")
        wait_for(lambda: is_over(run), "the analysis")
    assert run.state == "done"


def test_three_resets_in_two_seconds_stop_no_worker(live_site, line):
    start_worker_behind(line, live_site)
    cut = []
    for _ in range(3):
        cut.append(line.reset_all())
        time.sleep(0.7)
    assert cut[0] > 0, "nothing was connected"
    run = ask_for_analysis()
    wait_for(lambda: is_over(run), "the analysis")
    assert run.state == "done"
    received = received_by(live_site)
    wait_for(lambda: received_by(live_site) > received, "the worker to receive a message again")
    check_jobs_ended()


def test_a_worker_that_starts_before_its_broker_answers_begins_once_it_does(live_site, line):
    line.is_silent = True
    live_site.start_beat()
    live_site.start_worker(REDIS_URL=line.url)
    run = ask_for_analysis()
    time.sleep(15)
    assert run.state == "queued"
    line.is_silent = False
    print(f"\nbegun {seconds_until_begun(run):.1f} s after the broker was there")
    wait_for(lambda: is_over(run), "the analysis")
    assert run.state == "done"


def test_a_beat_whose_broker_fell_silent_sends_again(live_site, line):
    live_site.log("worker").unlink(missing_ok=True)
    live_site.start_beat(REDIS_URL=line.url)
    live_site.start_worker()
    wait_for(lambda: received_by(live_site), "the first message of beat")
    assert line.mute_open_calls() > 0, "nothing was connected"
    received = received_by(live_site)
    wait_for(lambda: received_by(live_site) > received, "a message after that")
