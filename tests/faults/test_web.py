"""Web workers killed while they store answers or assign batches, and broken connections."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from rankme.models import Judgement, Submission
from tests.faults.proxy import FAULTS, bad_line
from tests.faults.raters_at_work import (
    FEW,
    RATERS,
    SCREENS,
    campaign_for,
    check_nothing_lost_nothing_doubled,
    rate,
    rate_while,
)
from tests.invariants import check_record
from tests.live import LiveSite

pytestmark = pytest.mark.slow
POINTS = ("before_commit", "after_storing", "after_commit")


@pytest.fixture
def deaths(tmp_path: Path) -> Path:
    """A file that says at which points web workers have killed themselves."""
    file = tmp_path / "deaths"
    file.touch()
    return file


@contextlib.contextmanager
def failing_at(
    site: LiveSite, points: Sequence[str], deaths: Path, times: int = 4, **settings: str
) -> Iterator[None]:
    """Web workers kill themselves when they have reached a point so often: each point in turn."""
    settings |= {"FAILPOINTS": f"{','.join(points)}:{times}", "DEATHS_FILE": str(deaths)}
    site.start_web("tests.faults.failing_site", **settings)
    try:
        yield
    finally:
        site.kill_web()
    died = deaths.read_text().split()
    assert set(died) == set(points), "nobody was killed there"


def test_web_workers_killed_at_any_point_lose_and_double_nothing(
    site_without_web: LiveSite, deaths: Path
):
    campaign = campaign_for(screens=FEW)
    with failing_at(site_without_web, POINTS, deaths):
        outcome = rate(site_without_web.url, campaign)
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome, FEW)


def test_web_workers_killed_while_they_hand_out_a_batch_leak_no_slot(
    site_without_web: LiveSite, deaths: Path
):
    """As many slots as raters: were one lost with its answer, somebody would get no work."""
    campaign = campaign_for(screens=FEW)
    points = ["before_commit", "after_commit"]
    with failing_at(site_without_web, points, deaths, times=2, FAILING_PATH="/instructions/"):
        outcome = rate(site_without_web.url, campaign)
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome, FEW)
    assert campaign.slots.count() == campaign.assignments.count() == RATERS


@pytest.mark.without_its_guard
def test_with_a_new_key_for_each_try_screens_would_be_stored_twice(
    site_without_web: LiveSite, deaths: Path
):
    campaign = campaign_for(screens=FEW)
    with failing_at(site_without_web, ["after_commit"], deaths):
        outcome = rate(site_without_web.url, campaign, new_key_per_try=True)
    assert outcome.retries > 0
    assert Submission.objects.count() > RATERS * FEW


@pytest.mark.without_its_guard
def test_without_a_transaction_screens_would_be_stored_without_their_values(
    site_without_web: LiveSite, deaths: Path
):
    campaign = campaign_for(screens=FEW)
    with failing_at(site_without_web, ["after_storing"], deaths, WITHOUT_TRANSACTION="1"):
        rate(site_without_web.url, campaign)
    with pytest.raises(AssertionError, match="without its values"):
        check_record()


def test_web_workers_killed_at_random_lose_nothing(live_site: LiveSite):
    campaign = campaign_for(screens=FEW)
    master = psutil.Process(live_site.processes["web"].pid)
    killed = []

    def kill_one() -> None:
        with contextlib.suppress(psutil.NoSuchProcess, IndexError):
            worker = master.children()[0]
            worker.kill()
            killed.append(worker.pid)

    outcome = rate_while(live_site, campaign, kill_one, every=0.7, most=6, seconds_per_screen=0.6)
    # Whether one of them was at work is chance; the tests above kill them there.
    assert killed
    check_nothing_lost_nothing_doubled(outcome, FEW)


def test_the_whole_web_server_killed_and_started_again_loses_nothing(live_site: LiveSite):
    campaign = campaign_for(screens=FEW)

    def pull_the_plug() -> None:
        live_site.kill_web()
        live_site.start_web()

    outcome = rate_while(
        live_site, campaign, pull_the_plug, every=1.5, most=3, seconds_per_screen=0.8
    )
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome, FEW)


def test_a_bad_line_loses_nothing(live_site: LiveSite):
    campaign = campaign_for()
    with bad_line(live_site.port) as line:
        outcome = rate(line.url, campaign)
    assert set(line.done) == set(FAULTS)
    check_nothing_lost_nothing_doubled(outcome)
    assert Judgement.objects.count() == RATERS * SCREENS * 3
