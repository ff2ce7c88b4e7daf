"""Clocks that are wrong by years or jump: the web server's and the database's."""

import itertools
import os
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Count

from evalsite import embedded
from rankme.models import Assignment, Submission
from tests.faults.raters_at_work import (
    FEW,
    RATERS,
    SCREENS,
    campaign_for,
    check_nothing_lost_nothing_doubled,
    rate_while,
)
from tests.live import LiveSite

pytestmark = pytest.mark.slow
YEARS = 365.25 * 86_400
# So many screens take a rater longer than a process of the database believes an older time.
BEFORE_THE_END = 3
JUMPS = (10 * YEARS, -10 * YEARS, 0, -3_600, 3_600)


class Clock:
    """A file that says by how many seconds a clock is wrong; it can be set at any time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.jumps = itertools.cycle(JUMPS)
        self.done: set[float] = set()
        self.set(0)

    def set(self, seconds: float) -> None:
        # Renamed into its place, so that a reader never finds half a number.
        draft = self.file.with_suffix(".draft")
        draft.write_text(f"{seconds:+.0f}\n")
        draft.chmod(0o644)
        draft.rename(self.file)

    def jump(self) -> None:
        seconds = next(self.jumps)
        self.set(seconds)
        self.done.add(seconds)


@pytest.fixture
def clock(site_without_web: LiveSite) -> Clock:
    return Clock(site_without_web.servers.folder / "clock")


@pytest.fixture
def misled_web(site_without_web: LiveSite, clock: Clock) -> Iterator[LiveSite]:
    """The site, whose web server alone believes the clock."""
    site = site_without_web
    site.start_web("tests.faults.misled_site", CLOCK_FILE=str(clock.file))
    yield site
    site.kill_web()


def libfaketime() -> Path:
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not libraries:
        pytest.skip("NO LIBFAKETIME FOUND: no clock was set wrong. apt install libfaketime")
    return libraries[0]


@pytest.fixture
def misled_database(live_site: LiveSite, clock: Clock) -> Iterator[LiveSite]:
    """The site, whose database alone believes the clock."""
    server = live_site.servers.postgresql
    misled = {
        "LD_PRELOAD": str(libfaketime()),
        "FAKETIME_TIMESTAMP_FILE": str(clock.file),
        "FAKETIME_CACHE_DURATION": "1",
        # A clock that is set does not move the one that counts seconds, nor the dates of files.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }
    live_site.stop_postgresql()
    programs = embedded.postgresql_programs(server.folder)
    command = [programs / "pg_ctl", "start", "--wait", "--silent", "--pgdata", server.home]
    account = server.account
    subprocess.run(
        [*command, "--log", server.log],
        env=os.environ | misled,
        cwd=server.home,
        check=True,
        start_new_session=True,
        **({"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}),
    )
    yield live_site
    live_site.restart_postgresql()


def test_a_web_server_whose_clock_jumps_by_years_loses_nothing(misled_web: LiveSite, clock: Clock):
    campaign = campaign_for(screens=FEW)
    outcome = rate_while(misled_web, campaign, clock.jump, every=1.2, seconds_per_screen=1.6)
    assert clock.done == set(JUMPS)
    check_nothing_lost_nothing_doubled(outcome, FEW)
    everything_was_timely()
    clock.set(10 * YEARS)
    with urllib.request.urlopen(f"{misled_web.url}/healthz/") as answer:
        years = parsedate_to_datetime(answer.headers["Date"]).year - datetime.now(UTC).year
    assert years >= 9, "the web server did not believe the clock"


def everything_was_timely() -> None:
    """No lease ended early, no work passed for late, no time for impossible."""
    assert set(Assignment.objects.values_list("state", flat=True)) == {"completed"}
    assert Assignment.objects.count() == RATERS
    assert not Submission.objects.filter(late=True).exists()
    assert not Submission.objects.filter(flags__contains=["impossible time"]).exists()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM rankme_submission"
            " WHERE abs(extract(epoch FROM received_at - now())) > 3600"
        )
        assert cursor.fetchone() == (0,), "a row bears the web server's time"


def test_a_database_whose_clock_jumps_by_years_loses_nothing(
    misled_database: LiveSite, clock: Clock
):
    campaign = campaign_for()
    everybody = {"concurrency": RATERS, "seconds_per_screen": 1.3}
    jump = while_all_are_at_work(clock.jump)
    outcome = rate_while(misled_database, campaign, jump, every=1.2, **everybody)
    assert clock.done == set(JUMPS)
    check_nothing_lost_nothing_doubled(outcome)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT extract(year FROM received_at)) FROM rankme_submission"
        )
        assert cursor.fetchone()[0] >= 2, "the database did not believe the clock"


def while_all_are_at_work(fault: Callable[[], None]) -> Callable[[], None]:
    """A latecomer to a campaign whose leases have all run out would find the batches taken.

    So would somebody who holds a batch, but whose browser has not loaded it yet. And raters who
    finished have access for some days more: not if these are twenty years ago when they ask for
    their code.
    """

    def meanwhile() -> None:
        answered = Submission.objects.values("assignment").annotate(screens=Count("pk"))
        screens = list(answered.values_list("screens", flat=True))
        if len(screens) == RATERS and max(screens) < SCREENS - BEFORE_THE_END:
            fault()

    return meanwhile
