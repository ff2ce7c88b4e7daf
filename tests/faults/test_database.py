"""The database stops and comes back while raters are working."""

import pytest
from django.db import connection, connections

from rankme.models import Submission
from tests.faults.raters_at_work import (
    FEW,
    RATERS,
    campaign_for,
    check_nothing_lost_nothing_doubled,
    rate_while,
)
from tests.invariants import acknowledged, check_record
from tests.live import LiveSite, wait_for

pytestmark = pytest.mark.slow


def test_the_database_stopped_at_once_and_restarted_loses_nothing(live_site: LiveSite):
    campaign = campaign_for(screens=FEW)
    outcome = rate_while(
        live_site, campaign, live_site.restart_postgresql, every=1.5, most=3, seconds_per_screen=0.8
    )
    assert outcome.retries > 0
    check_nothing_lost_nothing_doubled(outcome, FEW)


def set_commits(live_site: LiveSite, mode: str, seconds_until_written: float) -> None:
    """Let commits wait for the disk or not; in the second case, until the next write at most."""
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # or the restart would lose the setting
        cursor.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = {mode}')
        cursor.execute(
            f"ALTER SYSTEM SET wal_writer_delay = '{1000 * seconds_until_written:.0f}ms'"
        )
    connections.close_all()
    live_site.restart_postgresql()
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == (mode,)


@pytest.mark.without_its_guard
def test_commits_that_do_not_wait_for_the_disk_would_lose_what_was_acknowledged(
    live_site: LiveSite,
):
    campaign = campaign_for()
    set_commits(live_site, "off", seconds_until_written=10)

    def restart_after_some_answers() -> None:
        wait_for(lambda: Submission.objects.count() >= RATERS, "some answers")
        live_site.restart_postgresql()

    try:
        outcome = rate_while(
            live_site, campaign, restart_after_some_answers, every=0, most=1, seconds_per_screen=0.1
        )
        with pytest.raises(AssertionError, match="acknowledged, but not stored"):
            check_record(map(acknowledged, outcome.acknowledged))
    finally:
        set_commits(live_site, "on", seconds_until_written=0.2)
