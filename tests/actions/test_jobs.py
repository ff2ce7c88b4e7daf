"""Jobs are done once, by one worker, and taken over when it dies."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from rankme.actions import jobs
from rankme.errors import RefusedAction
from rankme.models import MaterialImport
from tests.campaigns import make_campaign
from tests.live import PATIENCE, start_python, wait_for
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def job() -> MaterialImport:
    return MaterialImport.objects.create(campaign=make_campaign(launch=False))


def test_a_job_is_claimed_once(job):
    row = jobs.claim(MaterialImport, job.pk, worker="a")
    assert (row.state, row.attempts) == ("working", 1)
    assert jobs.claim(MaterialImport, job.pk, worker="b") is None
    jobs.finish(row, phase="taken")
    job.refresh_from_db()
    assert (job.state, job.phase, job.progress) == ("done", "taken", 1.0)
    assert jobs.claim(MaterialImport, job.pk, worker="b") is None


def test_twenty_workers_that_get_one_job_do_it_once(job):
    assert len(done_by_twenty(job)) == 1


def test_without_the_lease_several_would_do_it(job, monkeypatch):
    """Without its guard: every worker believes that it holds the lock."""
    monkeypatch.setattr(jobs.JobLease, "acquire", lambda lease: True)
    assert len(done_by_twenty(job)) > 1


def done_by_twenty(job) -> list[str]:
    """Send a job to twenty workers at the same time; returns those that began to work on it."""
    done: list[str] = []

    def work(row) -> None:
        done.append(row.claimed_by)
        time.sleep(0.2)
        jobs.finish(row)

    run_together([lambda: jobs.perform(MaterialImport, job.pk, work, worker="w")] * 20)
    return done


def test_a_worker_whose_job_was_cancelled_stops_and_writes_nothing(job):
    row = jobs.claim(MaterialImport, job.pk, worker="a")
    assert jobs.cancel(job)
    with pytest.raises(jobs.LostClaim):
        jobs.heartbeat(row, step="counting")
    with pytest.raises(jobs.LostClaim), transaction.atomic():
        jobs.finish(row, format="csv")
    job.refresh_from_db()
    assert (job.state, job.format) == ("cancelled", "")
    assert not jobs.cancel(job)
    jobs.release(row)


def test_a_worker_that_was_taken_for_dead_writes_nothing(job):
    slow = jobs.claim(MaterialImport, job.pk, worker="slow")
    jobs.release(slow)  # as if its connection had broken
    MaterialImport.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=1))
    successor = jobs.claim(MaterialImport, job.pk, worker="successor")
    with pytest.raises(jobs.LostClaim):
        jobs.finish(slow)
    jobs.finish(successor)


def test_progress_is_visible_while_the_work_is_in_a_transaction(job):
    row = jobs.claim(MaterialImport, job.pk, worker="a")
    seen = []
    with transaction.atomic():
        job.campaign.items.all().delete()
        jobs.heartbeat(row, progress=0.5, step="taking in")
        look = threading.Thread(target=lambda: (seen.append(_state(job)), connection.close()))
        look.start()
        look.join()
    assert seen == [(0.5, "taking in")]
    jobs.finish(row)


def _state(job):
    return MaterialImport.objects.values_list("progress", "step").get(pk=job.pk)


def test_heartbeats_are_throttled_until_a_new_step_begins(job):
    row = jobs.claim(MaterialImport, job.pk, worker="a")
    jobs.heartbeat(row, progress=0.1, step="reading")
    jobs.heartbeat(row, progress=0.2, step="reading")
    assert _state(job) == (0.1, "reading")
    jobs.heartbeat(row, progress=0.3, step="writing")
    assert _state(job) == (0.3, "writing")
    jobs.release(row)


def test_errors_that_the_organiser_can_fix_are_shown_and_the_rest_is_logged(job, caplog):
    def refuse(row) -> None:
        raise RefusedAction("The file is empty.")

    def stumble(row) -> None:
        raise KeyError("inner workings")

    jobs.perform(MaterialImport, job.pk, refuse, worker="a")
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "The file is empty.")
    jobs.enqueue_again(job)
    jobs.perform(MaterialImport, job.pk, stumble, worker="a")
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", jobs.APOLOGY)
    assert "inner workings" in caplog.text


def test_a_job_that_kills_its_workers_is_given_up(job):
    for _ in range(jobs.MOST_ATTEMPTS):
        jobs.release(jobs.claim(MaterialImport, job.pk, worker="a"))
        MaterialImport.objects.update(heartbeat_at=None)
    assert jobs.claim(MaterialImport, job.pk, worker="a") is None
    job.refresh_from_db()
    assert job.state == "failed"
    assert "5 worker processes ended unexpectedly at the same place" in job.error


def test_a_checkpoint_resets_the_count_of_lost_workers(job):
    for _ in range(3 * jobs.MOST_ATTEMPTS):
        row = jobs.claim(MaterialImport, job.pk, worker="a")
        jobs.checkpoint(row)
        jobs.release(row)
        MaterialImport.objects.update(heartbeat_at=None)
    job.refresh_from_db()
    assert job.state == "working"


HOLD_A_JOB = """
import sys, time, django
django.setup()
from rankme.actions import jobs
from rankme.models import MaterialImport
assert jobs.claim(MaterialImport, int(sys.argv[1]), worker="victim")
print("held", flush=True)
time.sleep(60)
"""


def test_a_killed_worker_is_replaced_within_seconds(job, site_without_web, tmp_path):
    log = tmp_path / "victim.log"
    victim = start_python(["-c", HOLD_A_JOB, str(job.pk)], site_without_web.environment, log)
    wait_for(lambda: "held" in log.read_text(), "the worker to hold the job")
    time.sleep(2.5)  # longer than a heartbeat lasts: only the lock shows it is alive
    assert jobs.claim(MaterialImport, job.pk, worker="successor") is None
    assert jobs.unclaimed(MaterialImport) == []
    victim.kill()
    victim.wait(PATIENCE)
    taken = []
    wait_for(
        lambda: taken.append(jobs.claim(MaterialImport, job.pk, worker="successor")) or taken[-1],
        "somebody to take the job over",
    )
    assert taken[-1].attempts == 2
    jobs.finish(taken[-1])


def test_a_message_for_a_broker_that_is_away_is_logged_and_harms_nothing(job, servers, caplog):
    servers.valkey.kill()
    try:
        jobs.send([("rankme.tasks.execute_import", job.pk)])
    finally:
        servers.valkey.start()
    assert "The broker is away" in caplog.text
    assert jobs.unclaimed(MaterialImport) == [job.pk]


def test_a_page_does_not_wait_for_a_broker_that_swallows_packets(job, monkeypatch):
    page_has_answered, sent = threading.Event(), threading.Event()

    def deliver(messages) -> None:
        assert page_has_answered.wait(PATIENCE), "the page waited for the broker"
        sent.set()

    monkeypatch.setattr(jobs, "send", deliver)
    jobs.enqueue(job)
    page_has_answered.set()
    assert sent.wait(PATIENCE)


def test_workers_that_are_lost_at_the_same_place_are_replaced_after_growing_pauses(job):
    waited = []
    for _ in range(jobs.MOST_ATTEMPTS - 1):
        MaterialImport.objects.update(heartbeat_at=None)
        jobs.release(jobs.claim(MaterialImport, job.pk, worker="a"))
        waited.append(seconds_until_claimable(job))
    assert waited == [0, 5, 30, 150]


def seconds_until_claimable(job) -> float:
    """By moving the last sign of life into the past, so that nobody waits."""
    for seconds in (0, 1, 5, 10, 30, 100, 150):
        heartbeat = timezone.now() - timedelta(seconds=seconds)
        MaterialImport.objects.update(heartbeat_at=heartbeat)
        if jobs.unclaimed(MaterialImport) == [job.pk]:
            return seconds
    raise AssertionError("nobody may ever take it over")


def test_a_restarted_database_does_not_lose_the_worker(job, monkeypatch):
    monkeypatch.setattr(jobs, "REST_AFTER_TROUBLE_SECONDS", 0)
    monkeypatch.setattr(jobs, "SECONDS_BETWEEN_HEARTBEATS", 0)

    def lose_the_database(row) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    for _ in range(3 * jobs.MOST_ATTEMPTS):
        assert jobs.perform(MaterialImport, job.pk, lose_the_database, worker="a")
        job.refresh_from_db()
        assert (job.state, job.attempts) == ("queued", 0)


def silent_work(row) -> None:
    with transaction.atomic():
        jobs.confirm(row)
        time.sleep(0.5)
        jobs.finish(row)


def test_a_job_may_compute_in_a_transaction_for_longer_than_a_page(job, monkeypatch):
    short_limit = "SET idle_in_transaction_session_timeout = '100ms'"
    with connection.cursor() as cursor:
        cursor.execute(short_limit)
    jobs.perform(MaterialImport, job.pk, silent_work, worker="a")
    job.refresh_from_db()
    assert job.state == "done"


def test_an_attempt_that_was_silent_for_too_long_counts(job, monkeypatch):
    """Otherwise an import that is always too slow would go round for ever."""
    monkeypatch.setattr(jobs, "MOST_SECONDS_OF_SILENCE", 0.1)
    monkeypatch.setattr(jobs, "REST_AFTER_TROUBLE_SECONDS", 0)
    jobs.perform(MaterialImport, job.pk, silent_work, worker="a")
    connection.close()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("working", 1)


def test_a_database_that_refuses_the_work_itself_counts(job, monkeypatch):
    """A time limit or a deadlock may come from the work; it must not be tried for ever."""
    monkeypatch.setattr(jobs, "REST_AFTER_TROUBLE_SECONDS", 0)
    monkeypatch.setattr(jobs, "SECONDS_BEFORE_TAKEOVER", {})

    def take_too_long(row) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 10")
            cursor.execute("SELECT pg_sleep(5)")

    for _ in range(jobs.MOST_ATTEMPTS):
        assert jobs.perform(MaterialImport, job.pk, take_too_long, worker="a")
    assert not jobs.perform(MaterialImport, job.pk, take_too_long, worker="a")
    job.refresh_from_db()
    assert job.state == "failed"


def test_a_claim_from_before_the_database_started_is_not_counted(job):
    jobs.release(jobs.claim(MaterialImport, job.pk, worker="a"))
    MaterialImport.objects.update(heartbeat_at=timezone.now() - timedelta(days=1))
    successor = jobs.claim(MaterialImport, job.pk, worker="b")
    assert successor.attempts == 1
    jobs.release(successor)


def test_a_worker_that_is_told_to_stop_puts_its_job_back(job):
    def work(row) -> None:
        jobs.worker_stops.set()
        jobs.heartbeat(row)
        raise AssertionError("it went on")

    try:
        assert jobs.perform(MaterialImport, job.pk, work, worker="a")
        assert not jobs.perform(MaterialImport, job.pk, work, worker="a"), "it took the job again"
    finally:
        jobs.worker_stops.clear()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 0)


def test_a_job_that_goes_back_into_the_queue_is_sent_again_once_it_is_free(job, monkeypatch):
    claimed_by_the_next: list[MaterialImport | None] = []

    def deliver(messages) -> None:
        jobs.worker_stops.clear()  # the next worker is another one
        assert messages == [("rankme.tasks.execute_import", job.pk)]
        claimed_by_the_next.append(jobs.claim(MaterialImport, job.pk, worker="b"))

    def stop(row) -> None:
        jobs.worker_stops.set()
        jobs.heartbeat(row)

    monkeypatch.setattr(jobs, "send", deliver)
    try:
        assert jobs.perform(MaterialImport, job.pk, stop, worker="a")
    finally:
        jobs.worker_stops.clear()
    (row,) = claimed_by_the_next
    assert row is not None and row.attempts == 1
    jobs.release(row)
