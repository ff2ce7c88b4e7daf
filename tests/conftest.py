"""Every test run brings its own real PostgreSQL and Valkey, and takes them away again."""

import contextlib
import gc
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.core.management.commands import flush
from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.operations import DatabaseOperations
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as properties
from psycopg2.errors import DeadlockDetected

from evalsite.embedded import Servers, data_folder
from evalsite.run import end_orphans
from tests.migrated import put_migrated_cluster
from tests.order import Kind, in_good_order
from tests.warm import one_for_all_workers

pytest_plugins = ["tests.live", "tests.chromium"]

# On a busy machine a property takes seconds, also one that is not slow.
properties.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
properties.load_profile("busy")

GIGABYTES_PER_WORKER = 2  # with its servers, its site and its Chromium


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two workers for each core: tests that wait for processes leave it to others."""
    gigabytes = psutil.virtual_memory().available // 2**30
    by_cores = len(os.sched_getaffinity(0)) * 2
    return max(1, min(by_cores, gigabytes // GIGABYTES_PER_WORKER))


def pytest_configure(config: pytest.Config) -> None:
    if getattr(config.option, "numprocesses", None):  # which workers are not told
        shared = contextlib.ExitStack()
        shared.enter_context(one_for_all_workers())
        config.add_cleanup(shared.close)


TESTS = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without a search for garbage, and never search what was collected.

    It lives until the end of the run: a hundred thousands of objects, and each full search, of
    which every run has dozens, would go through them all.
    """
    begin_elsewhere(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def begin_elsewhere(config: pytest.Config) -> None:
    """Let each worker of a whole run import the folders of tests from another one on.

    In a fresh clone, workers that import the same modules at the same time all compile them. From
    different folders on, each finds most of what the others have compiled.
    """
    worker = getattr(config, "workerinput", None)
    if worker and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        parts = sorted(each for each in TESTS.iterdir() if next(each.glob("**/test_*.py"), None))
        parts += sorted(TESTS.glob("test_*.py"))
        begin = len(parts) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args = [str(part) for part in parts[begin:] + parts[:begin]]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Let some workers compute while others wait (tests/order.py).

    Every worker has to arrive at the same order, wherever it began to collect.
    """
    items.sort(key=lambda item: item.path.relative_to(TESTS).parts[0])
    yield
    items[:] = in_good_order(
        items,
        kind_of=kind_of,
        file_of=lambda item: str(item.path),
        workers=int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")),
    )


def kind_of(item: pytest.Item) -> Kind:
    if "browser" in getattr(item, "fixturenames", ()):
        return Kind.BROWSING
    if item.get_closest_marker("waits"):
        return Kind.WAITING
    return Kind.LONG if item.get_closest_marker("slow") else Kind.SHORT


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A cluster and a Valkey of this process alone; with pytest-xdist each worker has its own."""
    end_what_killed_runs_left()
    mine = Servers(data_folder(), durable=False)
    put_migrated_cluster(mine.postgresql)
    mine.start()
    try:
        yield mine
    finally:
        mine.postgresql.stop("immediate")
        mine.valkey.stop()


def end_what_killed_runs_left() -> None:
    """End the processes of a test run that was killed; its number is in its folder's name."""
    for folder in data_folder().parent.glob("rankme-test-*-*"):
        run = int(re.match(r"rankme-test-(\d+)-", folder.name)[1])
        with contextlib.suppress(FileNotFoundError):  # another run takes it away at this moment
            if folder.stat().st_uid == os.geteuid() and not psutil.pid_exists(run):
                # Those of its own folder first: one of them may start those of the others again.
                for each in (folder, *folder.glob("rankme*/")):
                    end_orphans(each)
                    Servers(each).stop()
                shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    servers: Servers, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Point Django and Celery at the servers of this test run."""
    from django.conf import settings

    from evalsite.celery import app

    settings.DATABASES["default"]["HOST"] = str(servers.postgresql.sockets)
    app.conf.broker_url = f"redis+socket://{servers.valkey.socket}"
    os.environ["REDIS_URL"] = servers.valkey.url


MOST_DEADLOCKS = 5
# What migrations filled and no test changes: models, and what may be done to each.
FILLED_TABLES = {"django_content_type", "auth_permission"}
LARGE_TABLE = 2**20  # bytes from which truncating, which makes new files, is the quicker way


@pytest.fixture(scope="session", autouse=True)
def emptying_past_the_triggers() -> Iterator[None]:
    """Let Django empty the tables after a transactional test: triggers refuse that.

    Only those that hold something are emptied. To truncate all of them, with their indexes, or to
    fill those again that a migration fills would take longer than most tests.
    """

    def emptying(self, style, tables: list[str], **options) -> list[str]:
        sizes = sizes_of(self.connection, [each for each in tables if each not in FILLED_TABLES])
        large = [name for name, size in sizes.items() if size >= LARGE_TABLE]
        small = [name for name, size in sizes.items() if 0 < size < LARGE_TABLE]
        statements = ["SET LOCAL session_replication_role = replica;"]
        if large:
            statements.append(f"TRUNCATE {', '.join(map(self.quote_name, large))} CASCADE;")
        return statements + [f"DELETE FROM {self.quote_name(name)};" for name in small]

    plainly = DatabaseOperations.execute_sql_flush

    def executing(self, statements: list[str]) -> None:
        """Try again after a deadlock: requests of a closed page still lock rows in their order."""
        for _ in range(MOST_DEADLOCKS):
            try:
                return plainly(self, statements)
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise
        return plainly(self, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", emptying)
        patch.setattr(DatabaseOperations, "execute_sql_flush", executing)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_options: None)
        yield


def sizes_of(connection: BaseDatabaseWrapper, tables: list[str]) -> dict[str, int]:
    """The bytes of each table; 0 says that nothing was ever written to it, or since it was cut."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_relation_size(oid) FROM pg_class"
            " WHERE relname = ANY(%s) AND relnamespace = current_schema()::regnamespace",
            [tables],
        )
        return dict(cursor.fetchall())


@pytest.fixture(scope="module")
def rows_of_the_module(django_db_setup: None, django_db_blocker) -> Iterator[None]:
    """What module-scoped fixtures write after this one, all tests of the module find.

    Each test rolls back what it does itself. Only for modules without transactional tests.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """A page in another language leaves that language in this thread, as a server's next page
    would not see."""
    yield
    translation.deactivate()


@pytest.fixture(scope="module")
def launched_once(rows_of_the_module: None):
    """A launched campaign. Tests roll back what they do to it."""
    from tests.campaigns import make_campaign

    return make_campaign()


@pytest.fixture(scope="module")
def begun_once(rows_of_the_module: None):
    """A rater who has begun a sitting. Tests roll back what they do in it."""
    from tests.campaigns import make_campaign
    from tests.pages.rater import begun

    return begun(make_campaign())


@pytest.fixture
def at_work(client, begun_once):
    """The same rater, in the client's browser."""
    begun_once.go_on(client)
    return begun_once
