"""Web workers killed while they store answers or assign batches, and broken connections."""

import contextlib
from collections.abc import Iterator

import psutil
import pytest

from rankme.models import Judgement, Submission
from tests.faults.proxy import bad_line
from tests.faults.raters_at_work import (
    RATERS,
    SCREENS,
    campaign_for,
    check_nothing_lost_nothing_doubled,
    rate,
    rate_while,
)
from tests.invariants import check_record
from tests.live import LiveSite

pytestmark = [pytest.mark.slow, pytest.mark.waits]
TIMES = 15


@contextlib.contextmanager
def failing_at(site: LiveSite, point: str, **settings: str) -> Iterator[None]:
    """Each of the site's web workers kills itself when it reaches this point again."""
    settings = {"FAILPOINT": f"{point}:{TIMES}"} | settings
    site.start_web("tests.faults.failing_site", **settings)
    try:
        yield
    finally:
        site.kill_web()


def deaths(site: LiveSite) -> int:
    log = site.log("web")
    return log.read_text().count("SIGKILL") if log.exists() else 0


@pytest.mark.parametrize("point", ["before_commit", "between_inserts", "after_commit"])
def test_a_web_worker_killed_at_any_point_loses_and_doubles_nothing(
    site_without_web: LiveSite, point
):
    campaign = campaign_for()
    before = deaths(site_without_web)
    with failing_at(site_without_web, point):
        outcome = rate(site_without_web.url, campaign)
    assert outcome.retries > 0 and deaths(site_without_web) > before, "nobody was killed"
    check_nothing_lost_nothing_doubled(outcome)


@pytest.mark.parametrize("point", ["before_commit", "after_commit"])
def test_a_web_worker_killed_while_it_hands_out_a_batch_leaks_no_slot(
    site_without_web: LiveSite, point
):
    """As many slots as raters: were one lost with its answer, somebody would get no work."""
    campaign = campaign_for()
    before = deaths(site_without_web)
    with failing_at(site_without_web, point, FAILPOINT=f"{point}:3", FAILING_PATH="/instructions/"):
        outcome = rate(site_without_web.url, campaign)
    assert outcome.retries > 0 and deaths(site_without_web) > before, "nobody was killed"
    check_nothing_lost_nothing_doubled(outcome)
    assert campaign.slots.count() == campaign.assignments.count() == RATERS


@pytest.mark.without_its_guard
def test_with_a_new_key_for_each_try_screens_would_be_stored_twice(site_without_web: LiveSite):
    campaign = campaign_for()
    with failing_at(site_without_web, "after_commit"):
        outcome = rate(site_without_web.url, campaign, new_key_per_try=True)
    assert outcome.retries > 0
    assert Submission.objects.count() > RATERS * SCREENS


@pytest.mark.without_its_guard
def test_without_a_transaction_screens_would_be_stored_without_their_values(
    site_without_web: LiveSite,
):
    campaign = campaign_for()
    with failing_at(site_without_web, "between_inserts", WITHOUT_TRANSACTION="1"):
        rate(site_without_web.url, campaign)
    with pytest.raises(AssertionError, match="without its values"):
        check_record()


def test_web_workers_killed_at_random_lose_nothing(live_site: LiveSite):
    campaign = campaign_for()
    master = psutil.Process(live_site.processes["web"].pid)

    def kill_one() -> None:
        with contextlib.suppress(psutil.NoSuchProcess, IndexError):
            master.children()[0].kill()

    outcome = rate_while(live_site, campaign, kill_one, every=0.7, most=6, seconds_per_screen=0.3)
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome)


def test_the_whole_web_server_killed_and_started_again_loses_nothing(live_site: LiveSite):
    campaign = campaign_for()

    def pull_the_plug() -> None:
        live_site.kill_web()
        live_site.start_web()

    outcome = rate_while(
        live_site, campaign, pull_the_plug, every=1.5, most=3, seconds_per_screen=0.4
    )
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome)


def test_a_bad_line_loses_nothing(live_site: LiveSite):
    campaign = campaign_for()
    with bad_line(live_site.port, chance=0.3) as line:
        outcome = rate(line.url, campaign)
    assert set(line.done) == {"drop answer", "cut answer", "reset after request", "delay"}
    check_nothing_lost_nothing_doubled(outcome)
    assert Judgement.objects.count() == RATERS * SCREENS * 3
