"""A campaign of a million trials: its launch, and the organiser's pages.

Run: python benchmarks/large_plan.py [--trials 1000000] [--before COMMIT]

Three outputs on a screen and no answer yet: pages must not count what will be shown. With
`--before` the state of an earlier commit is measured too.
"""

from __future__ import annotations

import argparse
import resource
import time
from contextlib import contextmanager
from typing import Any

from site_under_test import in_turns, load, own_site, owner

PAGES = ("campaign-monitor", "campaign-raters", "campaign-items", "campaign-quality")
MATERIAL = """
INSERT INTO rankme_system (campaign_id, name, folded, position)
    SELECT %(campaign)s, 'sys' || n, 'sys' || n, n FROM generate_series(0, 2) n;
INSERT INTO rankme_item (campaign_id, key, position, input, reference, context, factors)
    SELECT %(campaign)s, 'i' || n, n, 'Place ' || n, '', '', '{}'
    FROM generate_series(0, %(trials)s - 1) n;
INSERT INTO rankme_output (item_id, system_id, text)
    SELECT item.id, system.id, 'A text about ' || item.key
    FROM rankme_item item, rankme_system system
    WHERE item.campaign_id = %(campaign)s AND system.campaign_id = %(campaign)s;
"""


def megabytes() -> float:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def measured(name: str) -> Any:
    before, began, spent = megabytes(), time.perf_counter(), time.process_time()
    yield
    seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    print(
        f"{name:26}{seconds:8.2f} s{cpu:8.2f} s of this process's CPU"
        f"{megabytes() - before:8.0f} MB more at the most ({load()})",
        flush=True,
    )


def launched(trials: int) -> Any:
    from django.db import connection, transaction

    from rankme.actions.campaign import campaigns
    from tests.campaigns import rankme_definition

    options = {"outputs_per_screen": 3, "trials_per_batch": 20}
    definition = rankme_definition(design={"kind": "random_blocks", "options": options})
    campaign = campaigns.create_campaign(owner(), definition)
    with connection.cursor() as cursor:
        cursor.execute(MATERIAL, {"campaign": campaign.pk, "trials": trials})
        cursor.execute("ANALYZE")
    with measured(f"launch of {trials:,} trials"):
        transaction.set_autocommit(False)
        campaign = campaigns.launch_campaign(campaign, by=owner())
    with measured("its commit"):
        transaction.commit()
    transaction.set_autocommit(True)
    return campaign


def show_pages(campaign: Any) -> None:
    from django.test import Client
    from django.urls import NoReverseMatch, reverse

    client = Client(headers={"host": "localhost"})
    client.force_login(campaign.owner)
    for page in PAGES:
        try:
            address = reverse(f"rankme:{page}", args=[campaign.code])
        except NoReverseMatch:
            continue
        for turn in ("first", "again"):
            with measured(f"{page}, {turn}"):
                assert client.get(address).status_code in (200, 302)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--before", help="a commit to compare with")
    parser.add_argument("--state", default="now", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.before:
        return in_turns(__file__, options.before, ["--trials", str(options.trials)], times=1)
    with own_site():
        from django.conf import settings

        settings.ALLOWED_HOSTS.append("localhost")
        print(options.state)
        show_pages(launched(options.trials))


if __name__ == "__main__":
    main()
