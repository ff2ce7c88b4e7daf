"""Many raters at one moment: threads behind a barrier, on the real PostgreSQL."""

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.backends.utils import CursorWrapper

from rankme.queries import sql
from tests.live import PATIENCE

LOCKING = re.compile(r'\bFOR (NO KEY )?UPDATE\b( OF [\w"]+)?( SKIP LOCKED)?')


def run_together(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Start all works at the same moment; return what each returned or raised."""
    barrier = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(index: int) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(PATIENCE)
            results[index] = works[index]()
        except Exception as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[index]) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return results


def errors_in(results: Sequence[Any]) -> list[Exception]:
    return [result for result in results if isinstance(result, Exception)]


def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the guard away: rows are read, and nobody waits or steps aside for anybody."""
    execute, prepared = CursorWrapper.execute, sql.prepared

    def unlocked(self: CursorWrapper, statement: str, values: Any = None) -> Any:
        return execute(self, LOCKING.sub("", statement), values)

    monkeypatch.setattr(CursorWrapper, "execute", unlocked)
    monkeypatch.setattr(sql, "prepared", lambda statement: prepared(LOCKING.sub("", statement)))


def meet_after(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, threads: int) -> None:
    """Let the first call of a function in each thread end when those of all threads have.

    On a busy machine threads may otherwise come one after the other, and nobody meets anybody.
    """
    call = getattr(module, name)
    barrier, this_thread = threading.Barrier(threads), threading.local()

    def together(*arguments: Any) -> Any:
        found = call(*arguments)
        if not hasattr(this_thread, "has_met"):
            this_thread.has_met = True
            barrier.wait(PATIENCE)
        return found

    monkeypatch.setattr(module, name, together)


@contextlib.contextmanager
def without_rules(*names: str) -> Iterator[None]:
    """Take the unique indexes of these names away, and bring them back over an empty database."""
    with connection.cursor() as cursor:
        definitions = [drop_rule(cursor, name) for name in names]
    try:
        yield
    finally:
        call_command("flush", interactive=False, verbosity=0)
        with transaction.atomic(), connection.cursor() as cursor:
            for definition in definitions:
                cursor.execute(definition)


def drop_rule(cursor: Any, name: str) -> str:
    """Drop a constraint or a unique index; return the statement that makes it again."""
    cursor.execute(
        "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conname = %s",
        [name],
    )
    found = cursor.fetchone()
    if found:
        table, definition = found
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        return f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
    cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
    (definition,) = cursor.fetchone()
    cursor.execute(f"DROP INDEX {name}")
    return definition


def rule_of_keys() -> str:
    """The name that the database gave to the rule that a key is unique."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = 'rankme_submission'::regclass"
            " AND contype = 'u' AND pg_get_constraintdef(oid) = 'UNIQUE (key)'"
        )
        return cursor.fetchone()[0]
