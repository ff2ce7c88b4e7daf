"""Every test run brings its own real PostgreSQL and Valkey, and takes them away again."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import psutil
import pytest
from django.conf import settings as site
from django.db import transaction
from django.test import Client
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as properties

from evalsite.celery import app as celery
from evalsite.embedded import Servers, data_folder
from evalsite.run import end_orphans
from rankme.practice_panel.panel import PracticePanel
from tests.campaigns import make_campaign, make_owner
from tests.database.migrated import put_migrated_cluster
from tests.invariants import check_record
from tests.pages.rater.visits import begun
from tests.panels.in_process import connect

pytest_plugins = ["tests.live", "tests.chromium"]

# The same examples in each run, so that no run fails by chance; EXPLORE=1 looks for new ones. On a
# busy machine a property takes seconds, also one that is not slow.
properties.register_profile(
    "ours",
    derandomize="EXPLORE" not in os.environ,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
properties.load_profile("ours")

GIGABYTES_PER_WORKER = 2  # with its servers, its site and its Chromium


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two workers for each core: tests that wait for processes leave it to others.

    One ("logical") for tests that do not wait: a second would only import everything once more.
    """
    gigabytes = psutil.virtual_memory().available // 2**30
    by_cores = len(os.sched_getaffinity(0)) * (1 if config.option.numprocesses == "logical" else 2)
    return max(1, min(by_cores, gigabytes // GIGABYTES_PER_WORKER))


# Folders, and fixtures, of tests that drive a browser, that start the site, and that take longer.
MARKS = {
    "processes": {"evalsite", "faults", "site_of_the_session"},
    "browser": {"engines", "browser", "redteam"},
    "slow": {
        *("additions", "client", "doctor", "experiments", "exporting", "hostile", "journeys"),
        *("panels", "races", "shared_tasks", "worker"),
    },
}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark what `make quick` leaves out, and begin with the modules that wait longest.

    At the end of a run, no core then waits for the last of them. Among themselves they are mixed:
    those that drive browsers use the cores that those which wait for processes leave idle.
    """
    for item in items:
        folders = item.path.relative_to(item.config.rootpath).parts[:-1]
        found = {*folders, *getattr(item, "fixturenames", ())}
        for mark, places in MARKS.items():
            if places & found:
                item.add_marker(mark)
    yield
    marked = [{item.path for item in items if item.get_closest_marker(mark)} for mark in MARKS]
    waiting, slow = marked[0] | marked[1], marked[2]

    def place(item: pytest.Item) -> tuple[bool, bool, int]:
        mixed = crc32(item.path.name.encode()) if item.path in waiting else 0
        return item.path not in waiting, item.path not in slow, mixed

    items.sort(key=place)


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
    site.DATABASES["default"]["HOST"] = str(servers.postgresql.sockets)
    celery.conf.broker_url = f"redis+socket://{servers.valkey.socket}"
    os.environ["REDIS_URL"] = servers.valkey.url


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
    return make_campaign()


@pytest.fixture(scope="module")
def begun_once(rows_of_the_module: None):
    """A rater who has begun a sitting. Tests roll back what they do in it."""
    return begun(make_campaign())


@pytest.fixture
def at_work(client, begun_once):
    """The same rater, in the client's browser."""
    begun_once.go_on(client)
    return begun_once


@pytest.fixture
def olga(client: Client) -> Client:
    """The test's client, as the browser of an organiser who is logged in."""
    client.force_login(make_owner())
    return client


@pytest.fixture
def practice(monkeypatch: pytest.MonkeyPatch) -> PracticePanel:
    """A practice panel that every call to a panel reaches."""
    panel = PracticePanel()
    connect(panel, monkeypatch)
    return panel


@pytest.fixture
def own_uploads(settings, tmp_path: Path) -> None:
    """Uploads of this test go to a folder of its own."""
    settings.MEDIA_ROOT = tmp_path / "uploads"


@pytest.fixture
def the_record_holds() -> Iterator[None]:
    """Whatever the test did, the record is true afterwards."""
    yield
    check_record()
