"""Workers that are alive but get no messages: their broker connection is cut or silent."""

import time
from collections.abc import Iterator

import pytest

from rankme.actions import analysis_runs
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.faults.proxy import BrokerLine, broker_line
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, wait_for
from tests.sittings import sit

pytestmark = pytest.mark.slow


@pytest.fixture
def line(live_site: LiveSite) -> Iterator[BrokerLine]:
    with broker_line(live_site.servers.valkey.socket) as line:
        yield line
        live_site.kill_worker()  # it would wait long for a broker that says nothing


def start_worker_behind(line: BrokerLine, site: LiveSite, **settings: str) -> None:
    """Start a worker on this connection, and wait until it has received something."""
    heard = heard_by(site)
    site.start_beat()
    site.start_worker(REDIS_URL=line.url, **settings)
    wait_for(lambda: heard_by(site) > heard, "the worker to hear the beat")


def heard_by(site: LiveSite) -> int:
    log = site.log("worker")
    return log.read_text().count("Task rankme.tasks.reconcile") if log.exists() else 0


def ask_for_analysis() -> AnalysisRun:
    campaign = make_campaign(rankme_definition(), items=4, systems=4)
    sit(make_rater(campaign))
    options = analysis_runs.default_options(campaign) | {"runs": 40}
    return analysis_runs.request_run(campaign, options, by=make_owner())


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


def test_a_worker_whose_broker_fell_silent_works_all_the_same(live_site, line):
    start_worker_behind(line, live_site)
    line.is_silent = True
    run = ask_for_analysis()
    wait_for(lambda: is_over(run), "the deaf worker to find the analysis", seconds=120)
    assert (run.state, run.attempts) == ("done", 1)
    check_jobs_ended()


def test_without_looking_for_itself_a_deaf_worker_would_do_nothing(live_site, line):
    """The reconciler alone does not help: its messages do not reach the worker either."""
    start_worker_behind(line, live_site, WORKER_LOOKS_EVERY_SECONDS="0")
    line.is_silent = True
    run = ask_for_analysis()
    time.sleep(15)
    assert not is_over(run) and run.state == "queued"


def test_three_resets_in_two_seconds_stop_no_worker(live_site, line):
    start_worker_behind(line, live_site)
    cut = []
    for _ in range(3):
        cut.append(line.reset_all())
        time.sleep(0.7)
    assert cut[0] > 0, "nothing was connected"
    run = ask_for_analysis()
    wait_for(lambda: is_over(run), "the analysis", seconds=120)
    assert run.state == "done"
    heard = heard_by(live_site)
    wait_for(lambda: heard_by(live_site) > heard, "the worker to hear the beat again")
    check_jobs_ended()


def test_a_worker_that_never_reached_a_broker_works(live_site, line):
    line.is_silent = True
    live_site.start_worker(REDIS_URL=line.url)
    run = ask_for_analysis()
    wait_for(lambda: is_over(run), "the worker to find the analysis", seconds=120)
    assert run.state == "done"
