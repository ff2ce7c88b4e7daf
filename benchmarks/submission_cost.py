"""What one submission costs the server: SQL statements and CPU, in small and in large campaigns.

Run: python benchmarks/submission_cost.py [--items 100 100000] [--judgements 1000000]

Statements are those between BEGIN and COMMIT and before. CPU is that of the web process (Django's
whole stack with the test client, without a socket). The second part is with so many judgements of
another campaign in the same tables.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from site_under_test import load, own_site, owner

TRIALS = 20
RATERS = 12
CONTROL = ("BEGIN", "COMMIT")


def make_campaign(items: int) -> Any:
    from rankme.actions.campaign import campaigns
    from tests.campaigns import add_material, rankme_definition

    options = {"outputs_per_screen": 5, "trials_per_batch": TRIALS}
    design = {"kind": "random_blocks", "options": options}
    definition = rankme_definition(design=design, raters_per_trial=2 * RATERS)
    campaign = campaigns.create_campaign(owner(), definition)
    add_material(campaign, items=items, systems=6)
    return campaigns.launch_campaign(campaign, by=owner())


def submissions(campaign: Any, name: str) -> Any:
    """The client of a rater who is at work, with a payload for each screen of the batch."""
    from django.test import Client

    from rankme.actions.sitting import assignments
    from rankme.pages.rater.rater_identity import remember
    from tests.campaigns import make_rater
    from tests.sittings import payload_for

    rater = make_rater(campaign, name)
    assignment = assignments.claim_batch(rater)
    client = Client()
    from django.http import HttpResponse

    client.cookies.load(remember(HttpResponse(), rater).cookies.output(header=""))
    return client, [payload_for(assignment, trial) for trial in range(TRIALS)]


def cost(campaign: Any) -> tuple[float, float, float]:
    """Statements, and the median and the worst CPU milliseconds, per submission."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    statements, cpu = [], []
    address = f"/r/{campaign.code}/submit/"
    for number in range(RATERS):
        client, payloads = submissions(campaign, f"w{uuid4()}")
        for payload in payloads:
            body = json.dumps(payload)
            with CaptureQueriesContext(connection) as captured:
                began = time.process_time()
                answer = client.post(address, body, content_type="application/json")
                spent = time.process_time() - began
            assert answer.status_code == 201, answer.content
            if number:  # the first rater warms the caches
                statements.append(len([q for q in captured if q["sql"] not in CONTROL]))
                cpu.append(1000 * spent)
    return max(statements), statistics.median(cpu), sorted(cpu)[int(0.99 * len(cpu))]


def fill(judgements: int) -> float:
    """That many judgements of another campaign, imported from a file; the seconds that it took."""
    from rankme.actions.imports.judgement_imports import import_judgements

    with TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        with path.open("w") as file:
            file.write("rater,item,system,criterion,value,screen\n")
            for number in range(judgements):
                screen, place = divmod(number, 5)
                file.write(
                    f"r{screen // 100},i{screen % 997},s{place},quality,{number % 201},{screen}\n"
                )
        began = time.perf_counter()
        import_judgements(owner(), path, title="Other")
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[100, 100_000])
    parser.add_argument("--judgements", type=int, default=1_000_000)
    options = parser.parse_args()
    with own_site():
        from django.conf import settings

        settings.ALLOWED_HOSTS.append("testserver")
        print(load())
        print(f"{'items':>10}{'statements':>12}{'cpu ms p50':>12}{'cpu ms p99':>12}")
        campaigns = {items: make_campaign(items) for items in options.items}
        show(campaigns)
        seconds = fill(options.judgements)
        print(f"with {options.judgements:,} judgements more (imported in {seconds:.1f} s):")
        show(campaigns)


def show(campaigns: dict[int, Any]) -> None:
    medians = []
    for items, campaign in campaigns.items():
        statements, median, worst = cost(campaign)
        medians.append(median)
        print(f"{items:>10,}{statements:>12}{median:>12.2f}{worst:>12.2f}")
    print(f"largest : smallest campaign = {medians[-1] / medians[0]:.2f}")


if __name__ == "__main__":
    main()
