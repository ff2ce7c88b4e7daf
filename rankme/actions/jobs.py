"""Long work as rows: how a job is queued, who may work on it, and how it is done once.

The row is the record; Celery carries the number of the row to a worker. A worker owns a job in
two ways. A lease, which is a session lock of PostgreSQL, proves that the worker is alive: the
kernel closes the connection of a killed process, and the lock is free at once. The name in
`claimed_by` proves that the job is still this worker's: every further write asks for that name, so
a worker that was taken for dead can no longer write anything.

Messages may get lost, and so may workers: Celery's beat sends every job again that nobody works
on. A message about a job that another worker has is dropped.

`attempts` counts the claims since the last stored part. A claim that ended because the database
went away or because the worker had to stop does not count: only a job that loses one worker
process after another at the same place is given up.
"""

from __future__ import annotations

import logging
import multiprocessing
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import TypeVar

from celery import current_app
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db import Error as DatabaseTrouble
from django.db.models import Case, DateTimeField, F, Func, Q, QuerySet, When
from django.db.models.functions import Greatest, Now
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from rankme.database_errors import BUCKET_TROUBLE, is_outage, is_temporary
from rankme.errors import RankmeError
from rankme.models import (
    AnalysisRun,
    CampaignLaunch,
    LookRequest,
    MaterialImport,
    MetricComputation,
    PlanExtension,
    ReportFiles,
    UploadCheck,
)
from rankme.models.jobs import Job
from rankme.models.leases import SECONDS_BETWEEN_HEARTBEATS, JobLease, leased

log = logging.getLogger(__name__)

SomeJob = TypeVar("SomeJob", bound=Job)
Message = tuple[str, int]  # the name of a task, and the number of the row that it works on

# The task that works on each kind of job, by name: actions do not import the tasks.
TASKS: dict[type[Job], str] = {
    AnalysisRun: "rankme.tasks.execute_run",
    MaterialImport: "rankme.tasks.execute_import",
    ReportFiles: "rankme.tasks.make_report_files",
    CampaignLaunch: "rankme.tasks.execute_launch",
    MetricComputation: "rankme.tasks.compute_metrics",
    PlanExtension: "rankme.tasks.extend_plan",
    LookRequest: "rankme.tasks.take_look",
    UploadCheck: "rankme.tasks.check_upload",
}
# A database in trouble gets this long to recover before anybody tries the job again.
REST_AFTER_TROUBLE_SECONDS = 3.0
MOST_SECONDS_OF_OUTAGE = 300.0
SILENCE = "idle_in_transaction_session_timeout"
MOST_SECONDS_OF_SILENCE = 3600
# A job that has lost so many workers since its last checkpoint is not tried again.
MOST_ATTEMPTS = 5
# How long to wait after a worker was lost, by the number of workers lost at this place so far.
# A machine short of memory needs minutes: five workers lost within seconds say little about a job.
SECONDS_BEFORE_TAKEOVER = {2: 3.0, 3: 20.0, 4: 120.0}
QUEUED, WORKING = Job.State.QUEUED, Job.State.WORKING
APOLOGY = "Something went wrong. The site's log has the details."
# Set when a worker has to stop; its processes are forked from it and share the event.
worker_stops = multiprocessing.Event()


class LostClaim(Exception):
    """The job was cancelled, or another worker has it: stop, and write nothing more."""


class WorkerStops(Exception):
    """This worker has to stop: put the job back into the queue for another one."""


# --- Working on a job ------------------------------------------------------------------------


def perform(
    model: type[SomeJob],
    pk: int,
    work: Callable[[SomeJob], None],
    *,
    worker: str,
    understood: tuple[type[Exception], ...] = (),
) -> bool:
    """Claim a job and do it; False when another worker has it or it is over. `work(row)` must call
    `finish`.

    An error that the organiser can fix (`RankmeError` and those in `understood`) becomes the job's
    message; any other is an apology there and an exception in the log. When the database or the
    bucket goes away, or this worker has to stop, the job goes back into the queue.
    """
    row = claim(model, pk, worker=worker)
    if row is None:
        return False
    fixable: tuple[type[Exception], ...] = (RankmeError, *understood)
    is_queued_again = False
    try:
        _allow_silence()
        work(row)
    except LostClaim:
        log.info("%s %s is no longer ours", model.__name__, pk)
    except WorkerStops:
        log.info("%s %s goes back into the queue: this worker stops", model.__name__, pk)
        is_queued_again = _requeue(row)
    except fixable as error:
        _fail_if_still_ours(row, str(error))
    except (DatabaseTrouble, *BUCKET_TROUBLE) as error:
        is_queued_again = _after_outage(row, error)
    except Exception:
        log.exception("%s %s failed", model.__name__, pk)
        _fail_if_still_ours(row, APOLOGY)
    finally:
        release(row)
    if is_queued_again:  # only now: until the lease is free, nobody can claim it
        send([_message(row)])
    return True


def _allow_silence() -> None:
    """Let a transaction of this job compute for as long as an import of ten million rows may.

    Web servers, whose raters would wait for its locks, keep the short limit of the settings.
    """
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT set_config(%s, %s, false)", [SILENCE, f"{MOST_SECONDS_OF_SILENCE * 1000:.0f}"]
        )


def _after_outage(row: Job, error: Exception) -> bool:
    """An outage is not the job's fault; what the database refuses for another reason is.

    Returns whether the job is in the queue again.
    """
    name = type(row).__name__
    # A connection that its time limit has closed often looks like one that was lost.
    was_silent = time.monotonic() - row.lease.last_heartbeat > MOST_SECONDS_OF_SILENCE
    if is_outage(error) and not was_silent:
        log.exception("%s %s waits until the database or the bucket is back", name, row.pk)
        time.sleep(REST_AFTER_TROUBLE_SECONDS)
        return _requeue(row)
    if is_temporary(error):
        # A deadlock or a time-out may pass: the next claim tries again, and it counts.
        log.exception("%s %s waits for its next worker", name, row.pk)
        time.sleep(REST_AFTER_TROUBLE_SECONDS)
    else:
        log.exception("%s %s failed", name, row.pk)
        _fail_if_still_ours(row, APOLOGY)
    return False


def claim(model: type[SomeJob], pk: int, *, worker: str) -> SomeJob | None:
    """Take a job that is queued, or whose worker is gone. None when it cannot be claimed."""
    if worker_stops.is_set():
        return None
    lease = JobLease(model, pk)
    if not lease.acquire():
        return None
    rows: QuerySet[SomeJob] = model._default_manager.filter(pk=pk)
    free = rows.filter(_is_due() & (Q(state=QUEUED) | lease.abandoned))
    # A worker whose database was restarted may well be alive: its claim is not counted.
    outage = Q(state=WORKING, heartbeat_at__lt=_DatabaseStart())
    claimed = free.filter(Q(attempts__lt=MOST_ATTEMPTS) | outage).update(
        state=WORKING,
        claimed_by=f"{worker}#{secrets.token_hex(4)}",
        heartbeat_at=Now(),
        attempts=Case(When(outage, then=F("attempts")), default=F("attempts") + 1),
        error="",
    )
    if not claimed:
        _give_up(free.filter(attempts__gte=MOST_ATTEMPTS))
        lease.release()
        return None
    row = rows.get()
    row.lease = lease
    return row


def _is_due() -> Q:
    """Select jobs that lost their last worker long enough ago for another try."""
    due = Q(heartbeat_at=None) | ~Q(state=WORKING)
    for lost, seconds in SECONDS_BEFORE_TAKEOVER.items():
        due |= Q(attempts=lost, heartbeat_at__lt=Now() - timedelta(seconds=seconds))
    return due | ~Q(attempts__in=SECONDS_BEFORE_TAKEOVER)


def _give_up(jobs_lost: QuerySet[SomeJob]) -> None:
    for row in jobs_lost:
        message = f"Given up: {row.attempts} worker processes ended unexpectedly at the same place"
        message += f" (“{row.step}”)." if row.step else "."
        jobs_lost.filter(pk=row.pk).update(
            state=Job.State.FAILED,
            error=f"{message} The server may be short of memory; its log says more.",
            finished_at=Now(),
        )
        log.critical("%s %s: %s", type(row).__name__, row.pk, message)


def _requeue(row: Job) -> bool:
    """Put a job back into the queue: this worker is alive, so its claim is not counted.

    Returns False when another worker has the job already.
    """
    uncounted = Greatest(F("attempts") - 1, 0)
    ended = time.monotonic() + MOST_SECONDS_OF_OUTAGE
    while True:
        try:
            if _ours(row).update(state=QUEUED, claimed_by="", attempts=uncounted):
                return True
            # Another worker has taken it over, and has counted us among the lost.
            _rows(row).filter(state=WORKING).update(attempts=uncounted)
            return False
        except DatabaseTrouble as error:
            if not is_outage(error) or time.monotonic() > ended:
                raise
            connections[DEFAULT_DB_ALIAS].close()
            time.sleep(SECONDS_BETWEEN_HEARTBEATS)


class _DatabaseStart(Func):
    """The time at which the database server started."""

    function = "pg_postmaster_start_time"
    output_field = DateTimeField()


def heartbeat(row: Job, *, progress: float | None = None, step: str | None = None) -> None:
    """Report that the work goes on, at most once a second; raise `LostClaim` if it is not ours.

    Uses the lease's own connection, so it may be called while a transaction of the work is open.
    """
    if worker_stops.is_set():
        raise WorkerStops
    if not row.lease.is_due(step):
        return
    share = None if progress is None else min(max(progress, 0.0), 1.0)
    _store_heartbeat(row, share, None if step is None else step[:200])


def heartbeat_while_copying(row: Job, *, progress: float, step: str) -> None:
    """The same during a COPY, which a statement over its own connection would end."""
    if not row.lease.is_borrowed:
        heartbeat(row, progress=progress, step=step)


def checkpoint(row: Job) -> None:
    """Report that a part is stored for good: lost workers are counted from zero again."""
    _store_heartbeat(row, None, None, attempts=1)
    if worker_stops.is_set():
        raise WorkerStops


def _store_heartbeat(
    row: Job, progress: float | None, step: str | None, attempts: int | None = None
) -> None:
    if not row.lease.heartbeat(row.claimed_by, progress, step, attempts):
        raise LostClaim


def confirm(row: Job) -> None:
    """Raise `LostClaim` in a transaction whose writes another worker's must not follow."""
    if not _ours(row).select_for_update().exists():
        raise LostClaim


def keep(row: Job, **fields: object) -> None:
    """Write part of the result, if the job is still ours; raise `LostClaim` when it is not."""
    if not _ours(row).update(**fields):
        raise LostClaim
    for name, value in fields.items():
        setattr(row, name, value)


def finish(row: Job, **fields: object) -> None:
    """End a job well, in the transaction that stores its result: both are there, or neither.

    Raises `LostClaim` when the job is no longer ours; the transaction around it rolls back.
    """
    _end(row, state=Job.State.DONE, progress=1.0, step="", **fields)


def fail(row: Job, message: str, **fields: object) -> None:
    """End a job with a sentence for the person who asked for it."""
    _end(row, state=Job.State.FAILED, error=message, **fields)


def release(row: Job) -> None:
    """Release a job's lease; releasing it twice does no harm."""
    row.lease.release()


def _end(row: Job, **fields: object) -> None:
    if not _ours(row).update(finished_at=Now(), heartbeat_at=Now(), **fields):
        raise LostClaim
    for name, value in fields.items():
        setattr(row, name, value)
    transaction.on_commit(partial(release, row))


def _rows(row: SomeJob) -> QuerySet[SomeJob]:
    return type(row)._default_manager.filter(pk=row.pk)


def _ours(row: SomeJob) -> QuerySet[SomeJob]:
    return _rows(row).filter(state=WORKING, claimed_by=row.claimed_by)


def _fail_if_still_ours(row: Job, message: str) -> None:
    try:
        fail(row, message)
    except LostClaim:
        log.info("%s %s failed, but is no longer ours", type(row).__name__, row.pk)


# --- The queue ---------------------------------------------------------------------------------


def enqueue(row: Job) -> None:
    """Send a job to the workers once it is committed. The page neither waits nor fails for it."""
    transaction.on_commit(partial(_send_in_background, [_message(row)]), robust=True)


def enqueue_again(row: Job, **fields: object) -> None:
    """Put an ended job back into the queue for its next part."""
    fresh = {"state": QUEUED, "progress": 0.0, "step": "", "error": "", "attempts": 0}
    ended = _rows(row).exclude(state__in=[QUEUED, WORKING])
    if not ended.update(**fresh, claimed_by="", finished_at=None, **fields):
        raise RankmeError("This is already under way.")
    row.refresh_from_db()
    enqueue(row)


def cancel(row: Job) -> bool:
    """End a job that is not over; its worker stops at its next heartbeat. False if it was over."""
    open_ones = _rows(row).filter(state__in=[QUEUED, WORKING])
    ended = open_ones.update(state=Job.State.CANCELLED, finished_at=Now(), step="")
    row.refresh_from_db(fields=["state", "finished_at", "step"])
    return bool(ended)


def resend_unclaimed() -> int:
    """Re-send unclaimed jobs; return their number."""
    messages = unclaimed_jobs()
    send(messages)
    return len(messages)


def unclaimed_jobs() -> list[Message]:
    """List unclaimed jobs with the names of their tasks."""
    return [(task, pk) for model, task in TASKS.items() for pk in unclaimed(model)]


def unclaimed(model: type[Job]) -> list[int]:
    """The jobs that are queued, or whose worker has lost its lease; the oldest first."""
    under_way = model._default_manager.filter(state__in=[QUEUED, WORKING])
    rows = under_way.filter(_is_due()).order_by("requested_at")
    found = list(rows.values_list("pk", flat=True))
    held = leased(model) if found else set()
    return [pk for pk in found if pk not in held]


def is_leased(row: Job) -> bool:
    """Whether a living worker has this job."""
    return row.pk in leased(type(row))


def send(messages: Iterable[Message]) -> None:
    """Send messages to the workers. A broker that is away is logged, never raised."""
    try:
        for task, pk in messages:
            current_app.send_task(task, args=[pk], retry=False)
    except (KombuError, RedisError, OSError) as error:
        log.warning("The broker is away; beat will send the jobs again: %s", error)


def _message(row: Job) -> Message:
    return TASKS[type(row)], row.pk


def _send_in_background(messages: list[Message]) -> None:
    # A broker that swallows packets would hold up the page for its connection's time-out.
    threading.Thread(target=send, args=[messages], daemon=True).start()
