"""The organiser's pages while a campaign grows: 10^4 against 10^6 judgements.

Fills campaigns of the E2E form (five outputs, two criteria on a screen) and of the SR'11 form (one
output, two screens) with SQL on a separate server, and requests the pages as a browser would.
`python -m benchmarks.monitor` prints milliseconds, and the ratio between large and small.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from benchmarks.site_under_test import FINISHED_SITTINGS, own_site, owner

PAGES = ("campaign", "campaign-monitor", "campaign-raters")
REPEATS = 5
# Preset: systems, and judgements of one item by all of its raters.
SHAPES = {"e2e-quality": (21, 10 * 3), "sr11-shallow": (5, 3 * 5)}
ITEMS_EACH = 60  # of one rater, in repeated Latin squares
SIZES = (10_000, 1_000_000)

ANSWERS = """
INSERT INTO rankme_submission (key, assignment_id, version, trial_id, screen, revision, late,
        surplus, payload, payload_sha256, chain_sha256, flags, received_at)
    SELECT gen_random_uuid(), assignment.id, 1, trial.id, screen, 1, false, false,
        jsonb_build_object('times', jsonb_build_object('spent_ms', 20000 + random() * 60000),
                           'answers', repeat('x', 600)),
        repeat('a', 64), repeat('b', 64), '[]', now() - random() * interval '30 days'
    FROM rankme_assignment assignment
    JOIN rankme_trial trial ON trial.batch_id = assignment.batch_id
    CROSS JOIN generate_series(0, %(screens)s - 1) AS screen
    WHERE assignment.campaign_id = %(campaign)s;
INSERT INTO rankme_judgement (submission_id, criterion_id, output_id, position, value, text)
    SELECT submission.id, criterion.id, place.output_id, place.position, random() * 100, ''
    FROM rankme_submission submission
    JOIN rankme_assignment assignment ON assignment.id = submission.assignment_id
    JOIN rankme_trialoutput place ON place.trial_id = submission.trial_id
    JOIN rankme_criterion criterion ON criterion.campaign_id = assignment.campaign_id
    WHERE assignment.campaign_id = %(campaign)s
      AND (submission.screen = 0) = (criterion.position < %(screens)s OR %(screens)s = 1);
"""


def main() -> None:
    with own_site():
        measure_all()


def measure_all() -> None:
    for preset in SHAPES:
        times: dict[str, list[float]] = {page: [] for page in PAGES}
        for size in SIZES:
            campaign = filled(preset, size)
            for page in PAGES:
                times[page].append(milliseconds(campaign, page))
        for page, (small, large) in times.items():
            print(f"{preset:14} {page:17} {small:7.0f} ms {large:7.0f} ms  × {large / small:.1f}")


def filled(name: str, judgements: int) -> Any:
    """A campaign in which everything was judged, with about that many judgements."""
    from django.db import connection

    from rankme.actions.campaign import campaigns
    from rankme.protocols.files import definition_from_document, definition_to_document, preset
    from tests.campaigns import add_material

    systems, each = SHAPES[name]
    items = judgements // each // ITEMS_EACH * ITEMS_EACH
    document = definition_to_document(preset(name))
    if document["design"]["kind"] == "latin_square":
        document["design"]["options"] = {"groups": items // ITEMS_EACH}
    definition = definition_from_document(document)
    campaign = campaigns.create_campaign(owner(), definition)
    add_material(campaign, items=items, systems=systems)
    campaign = campaigns.launch_campaign(campaign, by=owner())
    with connection.cursor() as cursor:
        cursor.execute(FINISHED_SITTINGS, {"campaign": campaign.pk})
        cursor.execute(ANSWERS, {"campaign": campaign.pk, "screens": len(definition.screens)})
        cursor.execute("ANALYZE")
        cursor.execute(
            "SELECT count(*) FROM rankme_judgement JOIN rankme_criterion criterion"
            " ON criterion.id = criterion_id WHERE campaign_id = %s",
            [campaign.pk],
        )
        print(f"{name}: {items} items, {cursor.fetchone()[0]} judgements")
    return campaign


def milliseconds(campaign: Any, page: str) -> float:
    """The median of a page's times, after one that warms up."""
    from django.test import Client
    from django.urls import reverse

    client = Client(headers={"host": "localhost"})
    client.force_login(campaign.owner)
    address = reverse(f"rankme:{page}", args=[campaign.code])
    times = []
    for _ in range(REPEATS + 1):
        begun = time.perf_counter()
        assert client.get(address).status_code == 200
        times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times[1:])


if __name__ == "__main__":
    main()
