"""Workers share an analysis, and take it over from each other, without changing its report."""

import time
from functools import partial

import pytest

from analysis.ranking.clusters import Resampling
from analysis.typing import Values
from rankme.actions import jobs
from rankme.actions.runs import analysis_runs, report_parts, run_chunks
from rankme.models import AnalysisRun, RunChunk, leases
from tests.races.threads import errors_in, run_together
from tests.reports import assert_same_report
from tests.runs import asked, executed, rated_campaign

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SECONDS_BETWEEN_NOTICES = 0.2


@pytest.fixture
def campaign():
    return rated_campaign()


def test_one_two_and_four_workers_say_the_same(campaign):
    said = []
    for helpers in (0, 1, 3):
        run = asked(campaign)
        works = [partial(help_with, run.pk)] * helpers
        assert not errors_in(run_together([partial(executed, run, pictures=()), *works]))
        said.append(run.result["report"])
    assert_same_report(said[0], said[1])
    assert_same_report(said[0], said[2])


def help_with(run_id: int) -> None:
    """Like a worker that is notified again and again until the run is over."""
    while AnalysisRun.objects.filter(pk=run_id, state__in=["queued", "working"]).exists():
        run_chunks.compute_chunks(run_id, "helper")
        time.sleep(SECONDS_BETWEEN_NOTICES)


def test_a_run_that_lost_its_worker_goes_on_where_it_was(campaign, monkeypatch):
    whole = executed(asked(campaign), pictures=()).result["report"]
    run = asked(campaign)
    compute, done = run_chunks.compute_one, []

    def die_after_two(*arguments):
        if len(done) == 2:
            raise SystemExit("killed")
        done.append(compute(*arguments))
        return done[-1]

    monkeypatch.setattr(run_chunks, "compute_one", die_after_two)
    with pytest.raises(SystemExit):
        analysis_runs.execute(run.pk, "victim")
    monkeypatch.undo()
    AnalysisRun.objects.filter(pk=run.pk).update(heartbeat_at=None)
    stored = dict(run.chunks.exclude(draws=None).values_list("id", "claimed_at"))
    assert len(stored) == 2
    seen: list[int] = []
    monkeypatch.setattr(
        run_chunks, "compute_one", lambda *arguments: seen.append(1) or compute(*arguments)
    )
    assert_same_report(executed(run, pictures=()).result["report"], whole)
    assert len(seen) == 2 * run_chunks.LEAST_CHUNKS - 2


def test_a_run_cancelled_while_it_works_stops(campaign, monkeypatch):
    run = asked(campaign)
    compute = run_chunks.compute_one

    def compute_and_cancel(*arguments):
        jobs.cancel(AnalysisRun.objects.get(pk=run.pk))
        return compute(*arguments)

    monkeypatch.setattr(run_chunks, "compute_one", compute_and_cancel)
    monkeypatch.setattr(leases, "SECONDS_BETWEEN_HEARTBEATS", 0)
    analysis_runs.execute(run.pk, "worker")
    run.refresh_from_db()
    assert (run.state, run.result) == ("cancelled", None)


def test_two_workers_never_compute_the_same_chunk(campaign, monkeypatch):
    run = asked(campaign)
    row = jobs.claim(AnalysisRun, run.pk, worker="leader")
    analysis_runs.take_snapshot(row)
    drawn: list[tuple[str, int]] = []
    draw = Resampling.draw

    def draw_and_note(resampling: Resampling, first: int, count: int) -> Values:
        drawn.append((resampling.key, first))
        return draw(resampling, first, count)

    # On the class: each worker forgets the resamplings at its end, also those of the others here.
    monkeypatch.setattr(Resampling, "draw", draw_and_note)
    run_together([partial(run_chunks.compute_chunks, run.pk, "helper")] * 4)
    jobs.release(row)
    assert len(drawn) == len(set(drawn)) == RunChunk.objects.count()


class StoresAndDies(report_parts.StoredParts):
    """Loses its worker whenever it has stored two more parts."""

    left = 2

    def _store(self, name: str, content: bytes) -> bytes:
        stored = super()._store(name, content)
        self.left -= 1
        if not self.left:
            raise SystemExit("killed")
        return stored


class ForgetsAndDies(StoresAndDies):
    """The guard taken away: what is computed is not stored."""

    def _store(self, name: str, content: bytes) -> bytes:
        self.left -= 1
        if not self.left:
            raise SystemExit("killed")
        return content


def deaths_until_over(run: AnalysisRun, kind, monkeypatch) -> int:
    monkeypatch.setattr(analysis_runs, "StoredParts", kind)
    monkeypatch.setattr(jobs, "SECONDS_BEFORE_TAKEOVER", {})
    for deaths in range(100):
        try:
            analysis_runs.execute(run.pk, "victim")
        except SystemExit:
            continue
        run.refresh_from_db()
        return deaths
    raise AssertionError("it never ended")


def test_a_report_that_loses_a_worker_every_two_parts_is_finished(campaign, monkeypatch):
    undisturbed = executed(asked(campaign), pictures=())
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ("svg",))  # a PDF is a part, too
    run = asked(campaign)
    deaths = deaths_until_over(run, StoresAndDies, monkeypatch)
    assert deaths > jobs.MOST_ATTEMPTS
    assert run.state == "done", run.error
    looked = {"deviations": undisturbed.result["deviations"]}  # the first run was a look
    assert run.result | looked == undisturbed.result
    assert not run.parts.exists()


def test_without_stored_parts_it_would_start_again_and_be_given_up(campaign, monkeypatch):
    run = asked(campaign)
    deaths = deaths_until_over(run, ForgetsAndDies, monkeypatch)
    assert (run.state, deaths) == ("failed", jobs.MOST_ATTEMPTS)
    assert "ended unexpectedly at the same place (“Writing the report”)" in run.error


def test_the_leader_draws_last(campaign, monkeypatch):
    """Meanwhile helpers draw, so on two processors both are busy."""
    run = asked(campaign)
    compute, parts = run_chunks.compute_one, []

    def noted(*arguments):
        parts.append({name.rpartition("/")[2] for name in run.parts.values_list("name", flat=True)})
        return compute(*arguments)

    monkeypatch.setattr(run_chunks, "compute_one", noted)
    executed(run, pictures=())
    assert {"agreement", "bradley_terry", "robustness"} <= parts[0]
