"""Workers that are alive but get no messages: their broker connection is cut or silent."""

import contextlib
import time
from collections.abc import Iterator

import psutil
import pytest

from rankme.actions.runs import analysis_runs, run_options
from rankme.models import AnalysisRun, Campaign
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.faults.proxy import BrokerLine, broker_line
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, celery_worker, wait_for
from tests.sittings import sit

pytestmark = pytest.mark.slow
LOOKS_IN_VAIN = 5
LONGER_THAN_THE_REPAIR = 12  # seconds; it takes two intervals of five at most
PLAIN, DEAF = "tests.faults.plain_site", "tests.faults.deaf_site"
HALTED = "tests.faults.halted_site"
REPLACED = "its supervisor starts a new one"  # what the watchdog writes to the log


@pytest.fixture
def line(site_without_web: LiveSite) -> Iterator[BrokerLine]:
    with broker_line(site_without_web.servers.valkey.socket) as line:
        yield line
        site_without_web.kill_worker()  # it would wait long for a broker that says nothing


@pytest.fixture
def beats_line(site_without_web: LiveSite) -> Iterator[BrokerLine]:
    with broker_line(site_without_web.servers.valkey.socket) as line:
        yield line
        site_without_web.kill_beat()


@pytest.fixture
def site(site_without_web: LiveSite) -> LiveSite:
    """The site, whose worker's log is empty."""
    site_without_web.log("worker").unlink(missing_ok=True)
    return site_without_web


@pytest.fixture
def campaign(site: LiveSite) -> Campaign:
    campaign = make_campaign(rankme_definition(), items=4, systems=4)
    sit(make_rater(campaign))
    return campaign


def log_of_the_worker(site: LiveSite) -> str:
    log = site.log("worker")
    return log.read_text() if log.exists() else ""


def received_by(site: LiveSite) -> int:
    return log_of_the_worker(site).count("Task rankme.tasks.reconcile")


def wait_for_a_message(site: LiveSite) -> None:
    received = received_by(site)
    wait_for(lambda: received_by(site) > received, "the worker to receive a message")


def ask_for_analysis(campaign: Campaign) -> AnalysisRun:
    options = run_options.default_options(campaign) | {"runs": 40, "agreement_resamples": 20}
    return analysis_runs.request_run(campaign, options, by=make_owner())


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


def wait_until_done(run: AnalysisRun) -> None:
    wait_for(lambda: is_over(run), "the analysis")
    assert (run.state, run.attempts) == ("done", 1)


def test_neither_worker_nor_beat_is_lost_with_its_connection(site, campaign, line, beats_line):
    """One after another: the broker answers late, hangs up, and falls silent to beat and worker."""
    line.is_silent = True
    site.start_beat(REDIS_URL=beats_line.url)
    site.start_worker(app=PLAIN, REDIS_URL=line.url, WORKER_DEAF_AFTER_SECONDS="0")
    worker = site.processes["worker"]
    the_worker_begins_once_its_broker_answers(site, campaign, line)
    three_resets_in_two_seconds_do_no_harm(site, campaign, line)
    beat_sends_again_when_its_broker_fell_silent(site, beats_line)
    the_worker_connects_again_when_its_broker_fell_silent(site, campaign, line)
    assert worker.poll() is None
    check_jobs_ended()


def the_worker_begins_once_its_broker_answers(site, campaign, line) -> None:
    run = ask_for_analysis(campaign)
    wait_for(lambda: "Trying again" in log_of_the_worker(site), "a connection in vain")
    assert not is_over(run) and run.state == "queued"
    line.is_silent = False
    wait_until_done(run)


def three_resets_in_two_seconds_do_no_harm(site, campaign, line) -> None:
    cut = []
    for _ in range(3):
        cut.append(line.reset_all())
        time.sleep(0.7)
    assert cut[0] > 0, "nothing was connected"
    wait_until_done(ask_for_analysis(campaign))
    wait_for_a_message(site)


def beat_sends_again_when_its_broker_fell_silent(site, beats_line) -> None:
    assert beats_line.mute_open_calls() > 0, "nothing was connected"
    wait_for_a_message(site)
    wait_for_a_message(site)  # the first one may have been on its way


def the_worker_connects_again_when_its_broker_fell_silent(site, campaign, line) -> None:
    before = len(log_of_the_worker(site))
    assert line.mute_open_calls() > 0, "nothing was connected"
    wait_until_done(ask_for_analysis(campaign))
    said = log_of_the_worker(site)[before:]
    assert "Couldn't ack" not in said, "the worker believes that one of its processes is busy"


@contextlib.contextmanager
def supervised_worker(
    line: BrokerLine, site: LiveSite, app: str, deaf_after: int, **settings: str
) -> Iterator[psutil.Process]:
    """A worker below the supervisor of `make run`, which has received a message."""
    settings |= {"REDIS_URL": line.url, "WORKER_DEAF_AFTER_SECONDS": str(deaf_after)}
    worker = ("tests.faults.supervised_worker", *celery_worker("worker", app))
    site.start("worker", *worker, **settings)
    try:
        wait_for_a_message(site)
        yield psutil.Process(site.processes["worker"].pid)
    finally:
        site.stop("worker")


def test_without_the_repair_a_worker_stays_deaf_until_it_is_replaced(site, campaign, line):
    """Beat alone does not help: its messages do not reach the worker either."""
    site.start_beat()
    with supervised_worker(line, site, DEAF, deaf_after=LONGER_THAN_THE_REPAIR) as supervisor:
        deaf = {process.pid for process in supervisor.children(recursive=True)}
        line.mute_open_calls()
        run = ask_for_analysis(campaign)
        wait_until_done(run)
        assert REPLACED in log_of_the_worker(site)
    assert process_of(run) not in deaf, "the worker was not deaf"
    check_jobs_ended()


def test_a_worker_whose_main_process_halts_is_replaced(site, campaign, line, tmp_path):
    """It has a job in hand, whose end it never learns of, so no process of it seems to be free."""
    site.start_beat()
    settings = {"HALTED_ONCE": str(tmp_path / "halted"), "WORKER_PROCESSES": "1"}
    with supervised_worker(line, site, HALTED, deaf_after=3, **settings):
        wait_until_done(ask_for_analysis(campaign))
        wait_for(lambda: REPLACED in log_of_the_worker(site), "the end of the worker")
        wait_until_done(ask_for_analysis(campaign))
    check_jobs_ended()


def process_of(run: AnalysisRun) -> int:
    _, _, process = run.claimed_by.partition("#")[0].partition(":")
    return int(process)


def test_a_broker_that_is_away_for_a_while_ends_no_worker(site, campaign, line):
    """A new worker would not get its messages either.

    When the broker is back, a watchdog that waits for three seconds only may be quicker than the
    worker's own repair. So there is a supervisor.
    """
    site.start_beat()
    with supervised_worker(line, site, PLAIN, deaf_after=3) as supervisor:
        workers = supervisor.children()
        line.is_silent = True
        run = ask_for_analysis(campaign)
        taken = line.taken
        # The watchdog looks at the queue over a new connection each time.
        wait_for(lambda: line.taken >= taken + LOOKS_IN_VAIN, "some looks at the queue")
        assert REPLACED not in log_of_the_worker(site)
        assert workers and supervisor.children() == workers and not is_over(run)
        line.is_silent = False
        wait_until_done(run)
