"""The database's disk fills up and gets free space again (a small disk in memory)."""

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsite import embedded
from evalsite.embedded import Servers
from evalsite.operation.readiness import FREE_DISK_AT_LEAST
from rankme.simulation.raters import Cohort, Latencies, Rater
from tests.database.migrated import put_migrated_cluster
from tests.live import PATIENCE, LiveSite, reachable_folder, readiness, run_python, wait_for

pytestmark = pytest.mark.slow
SCREENS = 40
SCREENS_BEFORE_THE_FAULT = 10
DISK_MEGABYTES = 160
MAKE_CAMPAIGN = f"""
import django; django.setup()
from tests.campaigns import make_campaign, slider_definition
definition = slider_definition(design={{"kind": "complete"}})
campaign = make_campaign(definition, items={SCREENS}, systems=1)
print(campaign.code)
"""
CHECK_RECORD = """
import json, os, django; django.setup()
from rankme.models import Submission
from tests.invariants import acknowledged, check_record
history = json.loads(os.environ["HISTORY"])
check_record(map(acknowledged, history))
print(len(history), Submission.objects.count())
"""


class SmallDisk:
    """A folder on a disk of its own, which a test can fill up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.filler = folder / "filler"

    def free_share(self) -> float:
        room = os.statvfs(self.folder)
        return room.f_bavail / room.f_blocks

    def fill(self, leave_share: float = 0.0) -> None:
        room = os.statvfs(self.folder)
        blocks = room.f_bavail - int(leave_share * room.f_blocks)
        with contextlib.suppress(OSError), self.filler.open("ab", buffering=0) as file:
            for _ in range(blocks):
                file.write(bytes(room.f_frsize))

    def make_room(self) -> None:
        self.filler.unlink()


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    with reachable_folder("rankme-disk-") as folder:
        yield from disk_in(folder / "disk")


def disk_in(folder: Path) -> Iterator[SmallDisk]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=711", "tmpfs", folder]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True).stderr
    except FileNotFoundError as absent:
        mounted = str(absent)
    if not os.path.ismount(folder):
        pytest.skip(f"NO SMALL DISK: mounting is refused here, so no disk ran full ({mounted})")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def site(
    small_disk: SmallDisk, servers: Servers, site_of_the_session: LiveSite, monkeypatch, tmp_path
) -> Iterator[LiveSite]:
    """A site whose database lies on the small disk."""
    monkeypatch.setenv("PG_BIN", str(embedded.postgresql_programs(servers.folder)))
    mine = Servers(small_disk.folder)
    put_migrated_cluster(mine.postgresql)
    mine.postgresql.start()
    site = LiveSite(mine, embedded.DATABASE, tmp_path)
    site.environment["STATIC_FOLDER"] = site_of_the_session.environment["STATIC_FOLDER"]
    site.start_web()
    yield site
    site.end()
    mine.postgresql.stop("immediate")


def run_beside(site: LiveSite, script: str, **variables: str) -> str:
    done = run_python(["-c", script], site.environment | variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Witness(Rater):
    """A rater who notes what the site answered to each submission, and rests after some."""

    def __init__(self, link: str) -> None:
        super().__init__(Cohort(link, patience_seconds=120.0), 0, Latencies())
        self.statuses: list[int] = []
        self.may_continue = threading.Event()
        call = self.browser.call

        def noted(address, document, csrf_token):
            if len(self.acknowledged) == SCREENS_BEFORE_THE_FAULT:
                self.may_continue.wait(PATIENCE)
            reply = call(address, document, csrf_token)
            self.statuses.append(reply.status)
            return reply

        self.browser.call = noted


def test_a_full_disk_refuses_for_a_while_and_loses_nothing(site: LiveSite, small_disk: SmallDisk):
    code = run_beside(site, MAKE_CAMPAIGN)
    rater = Witness(f"{site.url}/r/{code}/")
    endings: list[str] = []
    work = threading.Thread(target=lambda: endings.append(rater.take_part()))
    work.start()
    wait_for(lambda: len(rater.acknowledged) == SCREENS_BEFORE_THE_FAULT, "the first answers")
    assert readiness(site) == 200
    small_disk.fill()
    rater.may_continue.set()
    wait_for(lambda: 503 in rater.statuses, "the disk to be too full for an answer")
    assert readiness(site) == 503
    small_disk.make_room()
    site.start_postgresql()  # if it failed for lack of space
    work.join(PATIENCE)
    rater.browser.close()
    assert endings == ["completed"]
    assert set(rater.statuses) == {200, 201, 503}
    assert "No space left on device" in site.log("web").read_text()
    history = json.dumps(rater.acknowledged)
    assert run_beside(site, CHECK_RECORD, HISTORY=history) == f"{SCREENS} {SCREENS}"
    assert readiness(site) == 200


@pytest.mark.django_db
def test_readiness_turns_red_below_five_percent(client, settings, small_disk: SmallDisk):
    settings.DATA_FOLDER = small_disk.folder
    for leave, status in ((0.06, 200), (0.04, 503)):
        small_disk.fill(leave)
        assert small_disk.free_share() == pytest.approx(leave, abs=0.005)
        assert client.get("/readyz/").status_code == status
    assert FREE_DISK_AT_LEAST == 0.05
