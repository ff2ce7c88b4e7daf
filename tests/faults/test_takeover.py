"""Workers that are killed in the middle of an analysis, again and again."""

from pathlib import Path

import pytest

from rankme.actions import jobs
from rankme.actions.runs import analysis_runs, run_chunks, run_options
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, wait_for
from tests.runs import executed
from tests.sittings import sit

pytestmark = pytest.mark.slow
PLAIN, DOOMED = "tests.faults.plain_site", "tests.faults.doomed_site"
DEATHS = jobs.MOST_ATTEMPTS + 1  # in each phase: more than a job may lose at one place
RUNS = 240
CHUNKS = 120  # for all leaders that die, and for their helpers


@pytest.fixture
def campaign():
    campaign = make_campaign(rankme_definition(raters_per_trial=2), items=6, systems=4)
    for number in range(4):
        sit(make_rater(campaign, f"w{number}"))
    return campaign


def ask(campaign, **changes) -> AnalysisRun:
    options = {"runs": RUNS, "agreement_resamples": 20} | changes
    options = run_options.default_options(campaign) | options
    return analysis_runs.request_run(campaign, options, by=make_owner())


def plan_in_small_chunks(run: AnalysisRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the judgements as a worker would, who then leaves many small chunks behind."""
    leader = jobs.claim(AnalysisRun, run.pk, worker="planner")
    monkeypatch.setattr(run_chunks, "LEAST_CHUNKS", CHUNKS)
    analysis_runs.take_snapshot(leader)
    jobs.release(leader)


def leader_of(run: AnalysisRun) -> int:
    """The process that holds the run, or 0."""
    run.refresh_from_db()
    _, _, process = run.claimed_by.partition("#")[0].partition(":")
    return int(process) if process and jobs.is_leased(run) else 0


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


@pytest.fixture
def undisturbed(site_without_web: LiveSite, campaign) -> AnalysisRun:
    """An analysis that lost nobody."""
    return executed(ask(campaign), pictures=())


def check_numbers(run: AnalysisRun, undisturbed: AnalysisRun) -> None:
    assert run.state == "done", run.error
    assert run.data_sha256 == undisturbed.data_sha256
    # The first analysis is itself a look that the second one reports.
    assert run.result | {"deviations": undisturbed.result["deviations"]} == undisturbed.result
    assert not run.chunks.exists() and not run.parts.exists()
    check_jobs_ended()


def test_processes_killed_one_after_another_change_no_number(
    site_without_web: LiveSite, campaign, undisturbed, monkeypatch, tmp_path
):
    """In each phase more are lost than a job may lose, but each has stored a part before."""
    lives = tmp_path / "lives"
    lives.touch()
    disturbed = ask(campaign)
    plan_in_small_chunks(disturbed, monkeypatch)
    site_without_web.start_beat()
    settings = {"DEATHS_IN_EACH_PHASE": str(DEATHS), "LIVES_FILE": str(lives)}
    site_without_web.start_worker(app=DOOMED, WORKER_PROCESSES="3", **settings)
    wait_for(lambda: is_over(disturbed), "the last worker to finish")
    check_numbers(disturbed, undisturbed)
    for phase in ("drawing", "writing"):
        assert lives.read_text().count(f"died-{phase}") == DEATHS, lives.read_text()


def test_a_killed_machine_is_replaced_by_its_restart_or_another(
    site_without_web: LiveSite, campaign, undisturbed, tmp_path
):
    """The whole worker dies, not one of its processes; it starts again, or another is running."""
    site, halt = site_without_web, tmp_path / "halt"
    site.start_beat()
    run = ask(campaign)
    leader = leader_that_halts(site, run, halt)
    site.kill("first")
    another = leader_that_halts(site, run, halt)
    assert another != leader
    site.start_worker("second", PLAIN, WORKER_PROCESSES="2")  # one of them may be helping
    wait_for(lambda: "ready." in site.log("second").read_text(), "the second worker")
    assert leader_of(run) == another
    site.kill("first")
    wait_for(lambda: leader_of(run) not in (0, another) or is_over(run), "the second worker")
    wait_for(lambda: is_over(run), "the second worker to finish")
    assert str(another) not in run.claimed_by, "nobody took it over"
    check_numbers(run, undisturbed)


def leader_that_halts(site: LiveSite, run: AnalysisRun, halt: Path) -> int:
    """Start the first worker, which waits as soon as it has stored a part of the analysis."""
    halt.write_text("")
    site.start_worker("first", DOOMED, WORKER_PROCESSES="1", HALT_FILE=str(halt))
    wait_for(halt.read_text, "the first worker to store a part")
    leader = leader_of(run)
    assert leader and run.state == "working"
    return leader


def test_every_job_sent_five_times_to_four_workers_is_done_once(site_without_web, campaign):
    runs = [ask(campaign, runs=40, seed=seed) for seed in range(2)]
    for number in range(4):
        site_without_web.start_worker(f"worker{number}", PLAIN, WORKER_PROCESSES="1")
    jobs.send([(jobs.TASKS[AnalysisRun], run.pk) for run in runs] * 5)
    for run in runs:
        wait_for(lambda run=run: is_over(run), "the analyses")
    assert {(run.state, run.attempts) for run in runs} == {("done", 1)}
    check_jobs_ended()
