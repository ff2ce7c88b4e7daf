"""What a trace adds to the server's work for an answered screen.

Run: python benchmarks/trace_cost.py [--pairs 40]

Two raters of the same campaign send the screens of their batches in turns, one with traces and one
without, through the test client in one process. CPU is this process's and that of its connection's
process of PostgreSQL, for a whole batch. The last line is the median ratio of the pairs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from site_under_test import load, own_site, owner

TRIALS = 20
WARMING = 4  # pairs before those that count
TRACE = {
    **{"events": 41, "untrusted": 0, "webdriver": 0, "presses": 9, "centred": 1, "instant": 0},
    **{"jumps": 0, "touches": 0, "pens": 0, "alone": 0, "path_px": 5123.4, "stops": 17},
    **{"keys": 21, "key_mean_ms": 181.2, "key_sd_ms": 92.3, "typed": 18, "composed": 0},
    **{"pasted": 0, "pasted_own": 0, "dropped": 0, "inserted": 0, "copied": 0, "leaves": 1},
    **{"away_ms": 2210.7, "after_return": 0, "last_ms": 814.5},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    with own_site():
        from django.conf import settings

        settings.ALLOWED_HOSTS.append("testserver")
        campaign = make_campaign(raters=2 * (options.pairs + WARMING))
        found = [pair(campaign) for _ in range(options.pairs + WARMING)][WARMING:]
    for place, name in enumerate(("Python", "PostgreSQL", "both")):
        without, with_one = (
            median(each[traced][place] for each in found) / TRIALS for traced in (0, 1)
        )
        ratio = median(each[1][place] / each[0][place] for each in found)
        print(f"{name:<12}{without:>8.2f} ms a screen, with a trace {with_one:.2f}: {ratio:.3f} x")
    print(load())


def make_campaign(raters: int) -> Any:
    from rankme.actions.campaign import campaigns
    from tests.campaigns import add_material, rankme_definition

    options = {"outputs_per_screen": 5, "trials_per_batch": TRIALS}
    design = {"kind": "random_blocks", "options": options}
    definition = rankme_definition(design=design, raters_per_trial=raters, crowd={"traces": True})
    campaign = campaigns.create_campaign(owner(), definition)
    add_material(campaign, items=TRIALS, systems=5)
    return campaigns.launch_campaign(campaign, by=owner())


def pair(campaign: Any) -> list[tuple[float, float, float]]:
    """Milliseconds of Python, PostgreSQL and both for a batch without traces, and one with them."""
    from django.test import Client

    from rankme.actions.sitting import participation
    from rankme.pages.rater import rater_identity
    from tests.sittings import claim, payload_for

    spent = [[0.0, 0.0], [0.0, 0.0]]
    raters = []
    for _ in range(2):
        rater = participation.enter(campaign, panel="link", external_id=f"w{uuid4()}")
        participation.give_consent(rater)
        participation.mark_instructed(rater)
        rater.refresh_from_db()
        client = Client()
        client.get(f"/r/{campaign.code}/resume/{rater_identity.resume_token(rater)}/")
        raters.append((client, claim(rater)))
    for trial in range(TRIALS):
        for place, (client, held) in enumerate(raters):
            more = {"trace": TRACE} if place else {}
            body = json.dumps({**payload_for(held, trial), **more})
            before = clocks()
            sent = client.post(f"/r/{campaign.code}/submit/", body, content_type="application/json")
            after = clocks()
            assert sent.status_code == 201, sent.content
            for clock in (0, 1):
                spent[place][clock] += after[clock] - before[clock]
    return [(python, database, python + database) for python, database in spent]


def clocks() -> tuple[float, float]:
    from django.db import connection

    pid = connection.connection.info.backend_pid
    ran = Path(f"/proc/{pid}/schedstat").read_text().split()[0]
    return 1000 * time.process_time(), int(ran) / 1e6


if __name__ == "__main__":
    main()
