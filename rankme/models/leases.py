"""A worker's lease on a job: a lock of its database session, which ends with the worker."""

from __future__ import annotations

import contextlib
import time
from datetime import timedelta

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db import Error as DatabaseTrouble
from django.db.models import Q
from django.db.models.functions import Now

SECONDS_BETWEEN_HEARTBEATS = 1.0
# Only for a lock that proves nothing (two claims in one session); a dead process frees its lock.
HEARTBEAT_EXPIRES_AFTER = timedelta(seconds=2)


class JobLease:
    """The session lock on a job's row, and the connection that holds it.

    The kernel closes the connection of a killed process, and PostgreSQL then frees the lock.
    """

    def __init__(self, model: type[models.Model], pk: int) -> None:
        self.key = (model._meta.db_table, pk)
        usual = connections[DEFAULT_DB_ALIAS]
        # In a transaction the job may be visible to that connection alone.
        self.is_borrowed = usual.in_atomic_block
        self.connection = (
            usual if self.is_borrowed else connections.create_connection(DEFAULT_DB_ALIAS)
        )
        self.last_heartbeat = time.monotonic()
        self.last_step: str | None = None
        self.is_held = False

    @property
    def abandoned(self) -> Q:
        """The jobs under way that a worker can claim once it holds their lease."""
        if not self.is_borrowed:
            return Q(state="working")
        expired = Q(heartbeat_at=None) | Q(heartbeat_at__lt=Now() - HEARTBEAT_EXPIRES_AFTER)
        return Q(state="working") & expired

    def acquire(self) -> bool:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", self.key)
            self.is_held = cursor.fetchone()[0]
        if not self.is_held:
            self._close()
        return self.is_held

    def is_due(self, step: str | None) -> bool:
        """Whether it is time for a heartbeat: after a second, or when a new step begins."""
        now = time.monotonic()
        is_new = step is not None and step != self.last_step
        if not is_new and now - self.last_heartbeat < SECONDS_BETWEEN_HEARTBEATS:
            return False
        self.last_heartbeat, self.last_step = now, step or self.last_step
        return True

    def heartbeat(
        self, claimed_by: str, progress: float | None, step: str | None, attempts: int | None = None
    ) -> bool:
        """Store a heartbeat; False when the job is no longer claimed under this name."""
        table, pk = self.key
        with self.connection.cursor() as cursor:
            cursor.execute(
                f'UPDATE "{table}" SET heartbeat_at = clock_timestamp(),'
                " progress = COALESCE(%s, progress), step = COALESCE(%s, step),"
                " attempts = COALESCE(%s, attempts)"
                " WHERE id = %s AND state = 'working' AND claimed_by = %s",
                [progress, step, attempts, pk, claimed_by],
            )
            return bool(cursor.rowcount)

    def release(self) -> None:
        """Free the lock; releasing it twice does no harm."""
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


def leased(model: type[models.Model]) -> set[int]:
    """The numbers of the jobs on which a living worker holds a lease."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = (hashtext(%s)::bigint & 4294967295)::oid",
            [model._meta.db_table],
        )
        return {row[0] for row in cursor.fetchall()}
