"""Workers that are killed in the middle of an analysis, again and again."""

import os
import signal
import statistics
import time

import pytest

from rankme.actions import analysis_runs, jobs, run_chunks, run_options
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.invariants import check_jobs_ended
from tests.live import LiveSite, wait_for
from tests.sittings import sit

pytestmark = [pytest.mark.slow, pytest.mark.waits]
KILLS = 6  # forty give the same numbers too, and take minutes
RUNS = 20_000
CHUNKS_PER_KILL = 2
MOST_SECONDS_WITHOUT_A_LEADER = 10


@pytest.fixture
def campaign():
    campaign = make_campaign(rankme_definition(raters_per_trial=6), items=12, systems=4)
    for number in range(18):
        sit(make_rater(campaign, f"w{number}"))
    return campaign


def ask(campaign, **changes) -> AnalysisRun:
    options = run_options.default_options(campaign) | {"runs": RUNS} | changes
    return analysis_runs.request_run(campaign, options, by=make_owner())


def plan_in_small_chunks(run: AnalysisRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the judgements as a worker would, who then leaves many small chunks behind."""
    leader = jobs.claim(AnalysisRun, run.pk, worker="planner")
    chunks = KILLS * CHUNKS_PER_KILL
    monkeypatch.setattr(run_chunks, "LEAST_CHUNKS", chunks)
    analysis_runs.take_snapshot(leader)
    jobs.release(leader)


def leader_of(run: AnalysisRun) -> int:
    """The process that holds the run, or 0."""
    run.refresh_from_db()
    _, _, process = run.claimed_by.partition("#")[0].partition(":")
    return int(process) if process and jobs.is_leased(run) else 0


def computed(run: AnalysisRun) -> int:
    return run.chunks.exclude(draws=None).count()


def test_workers_killed_one_after_another_change_no_number(
    live_site: LiveSite, campaign, monkeypatch
):
    undisturbed, disturbed = (ask(campaign) for _ in range(2))
    assert analysis_runs.execute(undisturbed.pk, "undisturbed")
    plan_in_small_chunks(disturbed, monkeypatch)
    live_site.start_beat()
    live_site.start_worker(WORKER_PROCESSES="3")
    waits = [kill_the_leader(disturbed) for _ in range(KILLS)]
    wait_for(lambda: is_over(disturbed), "the last worker to finish")
    undisturbed.refresh_from_db()
    assert (undisturbed.state, disturbed.state) == ("done", "done")
    assert disturbed.data_sha256 == undisturbed.data_sha256
    assert disturbed.result == undisturbed.result
    check_jobs_ended()
    slowest, usual = max(waits), statistics.median(waits)
    print(f"\ntaken over {len(waits)} times: median {usual:.2f} s, slowest {slowest:.2f} s")
    assert slowest < MOST_SECONDS_WITHOUT_A_LEADER


def is_over(run: AnalysisRun) -> bool:
    run.refresh_from_db()
    return run.is_over


def kill_the_leader(run: AnalysisRun) -> float:
    """Let the leader get one more chunk done, kill it, and see how long nobody leads."""
    wait_for(lambda: leader_of(run), "a leader")
    done, leader = computed(run), leader_of(run)
    wait_for(lambda: computed(run) > done, "one more chunk")
    assert not is_over(run), "it was over before enough were killed"
    os.kill(leader, signal.SIGKILL)
    killed = time.monotonic()
    wait_for(lambda: leader_of(run) not in (0, leader), "another worker to take over")
    return time.monotonic() - killed


def test_a_killed_machine_is_replaced_by_another(live_site: LiveSite, campaign):
    """The whole worker dies, not one of its processes; another worker is running."""
    live_site.start_beat()
    live_site.start_worker("first", WORKER_PROCESSES="1")
    run = ask(campaign, runs=30_000)
    wait_for(lambda: leader_of(run), "a leader")
    leader = leader_of(run)
    live_site.start_worker("second", WORKER_PROCESSES="2")  # one of them may be helping
    wait_for(lambda: "ready." in live_site.log("second").read_text(), "the second worker")
    assert leader_of(run) == leader, "it was over before anybody was killed"
    live_site.kill("first")
    killed = time.monotonic()
    wait_for(lambda: leader_of(run) not in (0, leader) or is_over(run), "the second worker")
    seconds = time.monotonic() - killed
    print(f"\ntaken over after {seconds:.2f} s")
    assert seconds < MOST_SECONDS_WITHOUT_A_LEADER
    wait_for(lambda: is_over(run), "the second worker to finish")
    assert run.state == "done"
    assert str(leader) not in run.claimed_by, "nobody took it over"


def test_every_job_sent_five_times_to_four_workers_is_done_once(live_site: LiveSite, campaign):
    runs = [ask(campaign, runs=200, seed=seed) for seed in range(6)]
    for number in range(4):
        live_site.start_worker(f"worker{number}", WORKER_PROCESSES="1")
    jobs.send([(jobs.TASKS[AnalysisRun], run.pk) for run in runs] * 5)
    for run in runs:
        wait_for(lambda run=run: is_over(run), "the analyses")
    assert {(run.state, run.attempts) for run in runs} == {("done", 1)}
    check_jobs_ended()
