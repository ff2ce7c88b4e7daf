"""Long work as rows: who may work on a job, how it is done once, and who tells the workers.

The row is the record; Celery only announces that there is one. A worker holds a job in two
ways. A session lock of PostgreSQL shows that the worker is alive: the kernel closes the socket of
a killed process, and the lock is free at once. The name in `claimed_by` shows that the job is
still this worker's: every further write asks for that name, so a worker that was taken for dead
can no longer write anything.

`attempts` counts the claims since the last stored part. A claim that ended because the database
went away or because the worker was told to stop does not count: only a job that loses one worker
process after another at the same place is given up.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from celery import current_app
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db import Error as DatabaseTrouble
from django.db.models import Case, DateTimeField, F, Func, Q, When
from django.db.models.functions import Greatest, Now
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from rankme.database_errors import is_outage, is_temporary
from rankme.errors import RankmeError
from rankme.models import AnalysisRun, CampaignLaunch, MaterialImport, ReportFiles
from rankme.models.jobs import Job

log = logging.getLogger(__name__)

# The task that works on each kind of job, by name: actions do not know the room of the tasks.
TASKS: dict[type[Job], str] = {
    AnalysisRun: "rankme.tasks.execute_run",
    MaterialImport: "rankme.tasks.execute_import",
    ReportFiles: "rankme.tasks.make_report_files",
    CampaignLaunch: "rankme.tasks.execute_launch",
}
SECONDS_BETWEEN_BEATS = 1.0
# Only for a lock that says nothing (two claims in one session); a dead process frees its lock.
HEART_STOPS_AFTER = timedelta(seconds=2)
# A database in trouble gets this long to recover before anybody tries the job again.
REST_AFTER_TROUBLE_SECONDS = 3.0
MOST_SECONDS_OF_OUTAGE = 300.0
# A job that has lost so many workers since its last checkpoint is not tried again.
MOST_ATTEMPTS = 5
# How long to wait after a worker was lost, by the number of workers lost at this place so far.
SECONDS_BEFORE_TAKEOVER = {2: 1.0, 3: 3.0, 4: 7.0}
NEWS_EXPIRE_SECONDS = 60
QUEUED, WORKING = Job.State.QUEUED, Job.State.WORKING
APOLOGY = "Something went wrong. The site's log has the details."
# Set when a worker has to stop; its processes are forked from it and share the event.
worker_stops = multiprocessing.Event()


class LostClaim(Exception):
    """The job was cancelled, or another worker has it: stop, and write nothing more."""


class WorkerStops(Exception):
    """This worker was told to stop: put the job back in the queue for another one."""


# --- Working on a job ------------------------------------------------------------------------


def perform(
    model: type[Job],
    pk: int,
    work: Callable[[Any], None],
    *,
    worker: str,
    understood: tuple[type[Exception], ...] = (),
) -> bool:
    """Claim a job and do it; False when it was not to be had. `work(row)` must call `finish`.

    An error that the organiser can fix (`RankmeError` and those in `understood`) becomes the job's
    message; any other is an apology there and an exception in the log. When the database goes away
    or this worker has to stop, the job goes back into the queue.
    """
    row = claim(model, pk, worker=worker)
    if row is None:
        return False
    try:
        work(row)
    except LostClaim:
        log.info("%s %s is no longer ours", model.__name__, pk)
    except WorkerStops:
        log.info("%s %s goes back into the queue: this worker stops", model.__name__, pk)
        _hand_back(row)
    except (RankmeError, *understood) as error:
        _fail_if_still_ours(row, str(error))
    except DatabaseTrouble as error:
        _after_database_error(row, error)
    except Exception:
        log.exception("%s %s failed", model.__name__, pk)
        _fail_if_still_ours(row, APOLOGY)
    finally:
        release(row)
    return True


def _after_database_error(row: Any, error: Exception) -> None:
    """An outage is not the job's fault; what the database refuses for another reason is."""
    name = type(row).__name__
    if is_outage(error):
        log.exception("%s %s waits until the database is back", name, row.pk)
        time.sleep(REST_AFTER_TROUBLE_SECONDS)
        _hand_back(row)
    elif is_temporary(error):
        # A deadlock or a time-out may pass: the next claim tries again, and it counts.
        log.exception("%s %s waits for its next worker", name, row.pk)
        time.sleep(REST_AFTER_TROUBLE_SECONDS)
    else:
        log.exception("%s %s failed", name, row.pk)
        _fail_if_still_ours(row, APOLOGY)


def claim(model: type[Job], pk: int, *, worker: str) -> Any | None:
    """Take a job that is queued, or whose worker is gone. None when it is not to be had."""
    if worker_stops.is_set():
        return None
    hold = _Hold(model, pk)
    if not hold.lock():
        return None
    name = f"{worker}#{secrets.token_hex(4)}"
    free = model.objects.filter(_is_due() & (Q(state=QUEUED) | hold.abandoned), pk=pk)
    # A worker whose database was restarted may well be alive: its claim is not counted.
    outage = Q(state=WORKING, heartbeat_at__lt=_DatabaseStart())
    claimed = free.filter(Q(attempts__lt=MOST_ATTEMPTS) | outage).update(
        state=WORKING,
        claimed_by=name,
        heartbeat_at=Now(),
        attempts=Case(When(outage, then=F("attempts")), default=F("attempts") + 1),
        error="",
    )
    if not claimed:
        _give_up(free.filter(attempts__gte=MOST_ATTEMPTS))
        hold.let_go()
        return None
    row = model.objects.get(pk=pk)
    row.hold = hold
    return row


def _is_due() -> Q:
    """Jobs whose last worker was lost so long ago that it is worth trying again."""
    due = Q(heartbeat_at=None) | ~Q(state=WORKING)
    for lost, seconds in SECONDS_BEFORE_TAKEOVER.items():
        due |= Q(attempts=lost, heartbeat_at__lt=Now() - timedelta(seconds=seconds))
    return due | ~Q(attempts__in=SECONDS_BEFORE_TAKEOVER)


def _give_up(jobs_lost: Any) -> None:
    for row in jobs_lost:
        message = f"Given up: {row.attempts} worker processes ended unexpectedly at the same place"
        message += f" (“{row.step}”)." if row.step else "."
        jobs_lost.filter(pk=row.pk).update(
            state=Job.State.FAILED,
            error=f"{message} The server may be short of memory; its log says more.",
            finished_at=Now(),
        )


def _hand_back(row: Any) -> None:
    """Put a job back in the queue: this worker is alive, so its claim is not counted."""
    uncounted = Greatest(F("attempts") - 1, 0)
    ended = time.monotonic() + MOST_SECONDS_OF_OUTAGE
    while True:
        try:
            if not _ours(row).update(state=QUEUED, claimed_by="", attempts=uncounted):
                # Another worker has taken it over, and has counted us among the lost.
                type(row).objects.filter(pk=row.pk, state=WORKING).update(attempts=uncounted)
            return
        except DatabaseTrouble as error:
            if not is_outage(error) or time.monotonic() > ended:
                raise
            connections[DEFAULT_DB_ALIAS].close()
            time.sleep(SECONDS_BETWEEN_BEATS)


class _DatabaseStart(Func):
    """When the database server was started."""

    function = "pg_postmaster_start_time"
    output_field = DateTimeField()


def beat(row: Any, *, progress: float | None = None, step: str | None = None) -> None:
    """Say that the work goes on, at most once a second; raise `LostClaim` when it is not ours.

    Goes over the hold's own connection, so it may be called while a COPY or a transaction of the
    work is under way.
    """
    if worker_stops.is_set():
        raise WorkerStops
    if not row.hold.is_due(step):
        return
    share = None if progress is None else min(max(progress, 0.0), 1.0)
    row.hold.beat(row.claimed_by, share, None if step is None else step[:200])


def checkpoint(row: Any) -> None:
    """Say that a part is stored for good: lost workers are counted from zero again."""
    row.hold.beat(row.claimed_by, None, None, attempts=1)
    if worker_stops.is_set():
        raise WorkerStops


def confirm(row: Any) -> None:
    """Raise `LostClaim` in a transaction whose writes another worker's must not follow."""
    if not _ours(row).select_for_update().exists():
        raise LostClaim


def keep(row: Any, **fields: Any) -> None:
    """Write part of the result, if the job is still ours; raise `LostClaim` when it is not."""
    if not _ours(row).update(**fields):
        raise LostClaim
    for name, value in fields.items():
        setattr(row, name, value)


def finish(row: Any, **fields: Any) -> None:
    """End a job well, in the transaction that stores its result: both are there, or neither.

    Raises `LostClaim` when the job is no longer ours; the transaction around it rolls back.
    """
    _end(row, state=Job.State.DONE, progress=1.0, step="", **fields)


def fail(row: Any, message: str, **fields: Any) -> None:
    """End a job with a sentence for the person who asked for it."""
    _end(row, state=Job.State.FAILED, error=message, **fields)


def release(row: Any) -> None:
    """Release a job's lock; it does no harm to do so twice."""
    row.hold.let_go()


def _end(row: Any, **fields: Any) -> None:
    if not _ours(row).update(finished_at=Now(), heartbeat_at=Now(), **fields):
        raise LostClaim
    for name, value in fields.items():
        setattr(row, name, value)
    transaction.on_commit(partial(release, row))


def _ours(row: Any) -> Any:
    return type(row).objects.filter(pk=row.pk, state=WORKING, claimed_by=row.claimed_by)


def _fail_if_still_ours(row: Any, message: str) -> None:
    try:
        fail(row, message)
    except LostClaim:
        log.info("%s %s failed, but is no longer ours", type(row).__name__, row.pk)


# --- Asking for work ---------------------------------------------------------------------------


def queue_again(row: Any, **fields: Any) -> None:
    """Put an ended job back in the queue for its next part, and tell the workers on commit."""
    fresh = {"state": QUEUED, "progress": 0.0, "step": "", "error": "", "attempts": 0}
    ended = type(row).objects.filter(pk=row.pk).exclude(state__in=[QUEUED, WORKING])
    if not ended.update(**fresh, claimed_by="", finished_at=None, **fields):
        raise RankmeError("This is already under way.")
    row.refresh_from_db()
    nudge(row)


def cancel(row: Any) -> bool:
    """End a job that is not over; its worker stops at its next beat. False when it was over."""
    open_ones = type(row).objects.filter(pk=row.pk, state__in=[QUEUED, WORKING])
    ended = open_ones.update(state=Job.State.CANCELLED, finished_at=Now(), step="")
    row.refresh_from_db(fields=["state", "finished_at", "step"])
    return bool(ended)


def nudge(row: Any) -> None:
    """Tell the workers of a job once it is committed. The page neither waits nor fails for it."""
    transaction.on_commit(partial(_tell_aside, [(TASKS[type(row)], row.pk)]), robust=True)


def nudge_waiting() -> int:
    """Tell the workers of every job that nobody works on; returns how many there are."""
    news = all_waiting()
    tell(news)
    return len(news)


def all_waiting() -> list[tuple[str, int]]:
    """Every job that nobody works on, with the name of the task that does."""
    return [(task, pk) for model, task in TASKS.items() for pk in waiting(model)]


def waiting(model: type[Job]) -> list[int]:
    """The jobs that are queued, or whose worker holds no lock any more; the oldest first."""
    under_way = model.objects.filter(state__in=[QUEUED, WORKING])
    rows = under_way.filter(_is_due()).order_by("requested_at")
    found = list(rows.values_list("pk", flat=True))
    held = _held(model) if found else set()
    return [pk for pk in found if pk not in held]


def is_led(row: Job) -> bool:
    """Whether a living worker holds this job."""
    return row.pk in _held(type(row))


def tell(news: Iterable[tuple[str, int]]) -> None:
    """Send task names with a row's number. A broker that is away is logged, never raised."""
    try:
        for task, pk in news:
            current_app.send_task(task, args=[pk], expires=NEWS_EXPIRE_SECONDS, retry=False)
    except (KombuError, RedisError, OSError) as error:
        log.warning("The broker is away, the reconciler will tell again: %s", error)


def _tell_aside(news: list[tuple[str, int]]) -> None:
    # A broker that swallows packets would hold up the page for its connection's time-out.
    threading.Thread(target=tell, args=[news], daemon=True).start()


# --- The hold ----------------------------------------------------------------------------------


class _Hold:
    """A worker's session lock on a job, and the connection that holds it."""

    def __init__(self, model: type[Job], pk: int) -> None:
        self.key = (model._meta.db_table, pk)
        usual = connections[DEFAULT_DB_ALIAS]
        # In a transaction the job may be visible to that connection alone.
        self.is_borrowed = usual.in_atomic_block
        self.connection = (
            usual if self.is_borrowed else connections.create_connection(DEFAULT_DB_ALIAS)
        )
        self.last_beat = time.monotonic()
        self.last_step: str | None = None
        self.is_held = False

    @property
    def abandoned(self) -> Q:
        """The jobs under way that a worker can claim once it has locked them."""
        if not self.is_borrowed:
            return Q(state=WORKING)
        stopped = Q(heartbeat_at=None) | Q(heartbeat_at__lt=Now() - HEART_STOPS_AFTER)
        return Q(state=WORKING) & stopped

    def lock(self) -> bool:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", self.key)
            self.is_held = cursor.fetchone()[0]
        if not self.is_held:
            self._close()
        return self.is_held

    def is_due(self, step: str | None) -> bool:
        now = time.monotonic()
        is_news = step is not None and step != self.last_step
        if not is_news and now - self.last_beat < SECONDS_BETWEEN_BEATS:
            return False
        self.last_beat, self.last_step = now, step or self.last_step
        return True

    def beat(
        self, claimed_by: str, progress: float | None, step: str | None, attempts: int | None = None
    ) -> None:
        table, pk = self.key
        with self.connection.cursor() as cursor:
            cursor.execute(
                f'UPDATE "{table}" SET heartbeat_at = clock_timestamp(),'
                " progress = COALESCE(%s, progress), step = COALESCE(%s, step),"
                " attempts = COALESCE(%s, attempts)"
                " WHERE id = %s AND state = 'working' AND claimed_by = %s",
                [progress, step, attempts, pk, claimed_by],
            )
            if not cursor.rowcount:
                raise LostClaim

    def let_go(self) -> None:
        if not self.is_held:
            return
        self.is_held = False
        # Unlock first, so that the lock is free at once. A lost connection has freed it already.
        with (
            contextlib.suppress(DatabaseTrouble),
            self.connection.cursor() as cursor,
        ):
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", self.key)
        self._close()

    def _close(self) -> None:
        if not self.is_borrowed:
            self.connection.close()


def _held(model: type[Job]) -> set[int]:
    """The numbers of the jobs on which somebody holds a lock."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = (hashtext(%s)::bigint & 4294967295)::oid",
            [model._meta.db_table],
        )
        return {row[0] for row in cursor.fetchall()}
