"""Worker processes killed again and again while they write one report."""

import os
import signal

import pytest

from rankme.actions import analysis_runs, jobs, run_chunks, run_options
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, wait_for
from tests.sittings import sit

pytestmark = [pytest.mark.slow, pytest.mark.waits]
RUNS = 20_000
KILLS = jobs.MOST_ATTEMPTS + 3


@pytest.fixture
def campaign():
    campaign = make_campaign(rankme_definition(raters_per_trial=2), items=12, systems=4)
    for number in range(6):
        sit(make_rater(campaign, f"w{number}"))
    return campaign


def ask(campaign) -> AnalysisRun:
    options = run_options.default_options(campaign) | {"runs": RUNS}
    return analysis_runs.request_run(campaign, options, by=make_owner())


def draw_all_runs(run: AnalysisRun) -> None:
    """Do all of the run but its report, and then be gone."""
    leader = jobs.claim(AnalysisRun, run.pk, worker="first")
    analysis_runs.take_snapshot(leader)
    run_chunks.compute_all(leader)
    jobs.release(leader)


def leader_of(run: AnalysisRun) -> int:
    """The process that holds the run, or 0."""
    run.refresh_from_db()
    _, _, process = run.claimed_by.partition("#")[0].partition(":")
    return int(process) if process and jobs.is_leased(run) else 0


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


def kill_after_one_more_part(run: AnalysisRun) -> None:
    stored = run.parts.count()
    wait_for(lambda: run.parts.count() > stored and leader_of(run), "one more part")
    os.kill(leader_of(run), signal.SIGKILL)
    assert not is_over(run), "it was over before enough processes were killed"


def test_a_report_survives_more_killed_processes_than_a_job_may_lose(live_site: LiveSite, campaign):
    undisturbed, disturbed = ask(campaign), ask(campaign)
    for run in (undisturbed, disturbed):
        draw_all_runs(run)
    assert analysis_runs.execute(undisturbed.pk, "undisturbed")
    live_site.start_beat()
    live_site.start_worker()
    for _ in range(KILLS):
        kill_after_one_more_part(disturbed)
    wait_for(lambda: is_over(disturbed), "the last process to finish the report")
    undisturbed.refresh_from_db()
    assert (undisturbed.state, disturbed.state) == ("done", "done"), disturbed.error
    assert disturbed.result == undisturbed.result
    assert not disturbed.parts.exists()
    check_jobs_ended()
