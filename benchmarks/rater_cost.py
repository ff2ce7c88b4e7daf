"""What a rater's way costs the server: SQL statements and CPU of each step, in the web process and
in PostgreSQL.

Run: python benchmarks/rater_cost.py [--items 100 100000] [--judgements 1000000] [--before COMMIT]

CPU is that of Django's whole stack with the test client, without a socket, and that of PostgreSQL's
process for this connection. "Entering" is the sum of what a rater does once: consent, claim (with
the work page), finish. The second part is with so many judgements of another campaign in the same
tables. With `--before` the state of an earlier commit is measured in turns with this one.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from site_under_test import in_turns, load, own_site, owner

TRIALS = 20
RATERS = 12
CONTROL = ("BEGIN", "COMMIT")
STEPS = ("link", "consent", "claim", "submit", "finish", "code")
ENTERING = ("consent", "claim", "finish")


def make_campaign(items: int) -> Any:
    from rankme.actions.campaign import campaigns
    from tests.campaigns import add_material, rankme_definition

    options = {"outputs_per_screen": 5, "trials_per_batch": TRIALS}
    design = {"kind": "random_blocks", "options": options}
    definition = rankme_definition(design=design, raters_per_trial=4 * RATERS)
    campaign = campaigns.create_campaign(owner(), definition)
    add_material(campaign, items=items, systems=6)
    return campaigns.launch_campaign(campaign, by=owner())


def processor_ms(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6


class Meter:
    """The statements and processor milliseconds of each step."""

    def __init__(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self.database = cursor.fetchone()[0]
        self.found: dict[str, list[tuple[int, float, float]]] = defaultdict(list)

    def take(self, step: str, send: Any) -> Any:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        in_database = processor_ms(self.database)
        began = time.process_time()
        with CaptureQueriesContext(connection) as captured:
            answer = send()
        spent = 1000 * (time.process_time() - began)
        asked = [query["sql"] for query in captured if query["sql"] not in CONTROL]
        self.found[step].append((len(asked), spent, processor_ms(self.database) - in_database))
        assert answer.status_code in (200, 201), (step, answer.status_code, answer.content[:500])
        return answer


def rate(campaign: Any, client: Any, meter: Meter) -> None:
    """One rater's way: the link, the consent, a batch, the code."""
    from rankme.models import Assignment
    from tests.sittings import payload_for

    client.cookies.clear()
    link = f"/r/{campaign.code}/"
    page = meter.take("link", lambda: client.get(link, {"id": f"w{uuid4()}"})).content.decode()
    named = re.search(r'name="arrival" value="([^"]+)"', page)
    assert named, page
    consent = {"arrival": named[1], "decision": "agree", "at_once": "1", "version": "1"}
    meter.take("consent", lambda: client.post(link, consent))
    read = {"at_once": "1", "version": "1"}
    meter.take("claim", lambda: client.post(f"{link}instructions/", read))
    assignment = Assignment.objects.filter(campaign=campaign).latest("pk")
    for trial in range(TRIALS):
        body = json.dumps(payload_for(assignment, trial))
        post = partial(client.post, f"{link}submit/", body, content_type="application/json")
        meter.take("submit", post)
    done = meter.take("finish", lambda: client.post(f"{link}finish/"))
    meter.take("code", lambda: client.get(done.json()["next"]))


def measure(items: list[int], judgements: int) -> Iterator[dict[str, Any]]:
    from django.test import Client

    client = Client()  # its handler, and the middleware, are made once
    campaigns = {number: make_campaign(number) for number in items}
    for others in (0, judgements):
        if others:
            fill(others)
        for number, campaign in campaigns.items():
            rate(campaign, client, Meter())  # warms the caches
            meter = Meter()
            for _ in range(RATERS):
                rate(campaign, client, meter)
            yield {"items": number, "others": others} | {
                step: [max(asked for asked, _web, _database in found)]
                + [statistics.median(each[place] for each in found) for place in (1, 2)]
                for step, found in meter.found.items()
            }


def fill(judgements: int) -> None:
    """That many judgements of another campaign, imported from a file."""
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
        import_judgements(owner(), path, title="Other")


def show(state: str, row: dict[str, Any]) -> None:
    print(f"{state}, {row['items']:,} items, {row['others']:,} other judgements ({load()})")
    print(f"{'step':>10}{'statements':>12}{'web ms':>10}{'database ms':>13}")
    for step in STEPS:
        asked, web, database = row[step]
        print(f"{step:>10}{asked:>12}{web:>10.2f}{database:>13.2f}")
    web, database = (sum(row[step][place] for step in ENTERING) for place in (1, 2))
    print(f"{'entering':>10}{'':>12}{web:>10.2f}{database:>13.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[100, 100_000])
    parser.add_argument("--judgements", type=int, default=1_000_000)
    parser.add_argument("--before", help="a commit to compare with")
    parser.add_argument("--state", default="now", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.before:
        rest = ["--judgements", str(options.judgements), "--items", *map(str, options.items)]
        return in_turns(__file__, options.before, rest)
    with own_site():
        from django.conf import settings

        settings.ALLOWED_HOSTS.append("testserver")
        for row in measure(options.items, options.judgements):
            show(options.state, row)


if __name__ == "__main__":
    main()
