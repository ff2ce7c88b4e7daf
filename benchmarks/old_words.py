"""Words of old submissions moved out of the record: time and room for 10^6 judgements.

Fills a campaign with finished sittings as releases before 2.2.0 stored them, a comment on one page
in ten, on a separate server, and runs `manage.py move_words`, which checks the record before and
after. `python -m benchmarks.old_words [JUDGEMENTS]` prints seconds of processors and of the clock,
and megabytes of the tables and of the whole cluster with its log.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psutil

from benchmarks.site_under_test import FINISHED_SITTINGS, load, own_site, owner

ITEMS, SYSTEMS = 100, 10
TABLES = ("rankme_submission", "rankme_judgement", "rankme_submissionwords")
JUDGE = """
INSERT INTO rankme_judgement
        (submission_id, criterion_id, output_id, position, value, text, time_ms)
    SELECT sent.id, criterion.id, place.output_id, 0, 50, '', 1000
    FROM rankme_submission sent
    JOIN rankme_trialoutput place ON place.trial_id = sent.trial_id
    CROSS JOIN rankme_criterion criterion WHERE criterion.campaign_id = %(campaign)s
"""


def submissions(campaign: Any) -> Iterator[dict[str, Any]]:
    from rankme.protocols.exchange.payload_hashes import canonical, chained

    number = 0
    sittings = campaign.assignments.order_by("pk").values_list("pk", "presentation")
    for sitting, presentation in list(sittings):
        link = ""
        for place, (trial, _outputs) in enumerate(presentation):
            number += 1
            answer = {"criterion": "fluency", "place": 0, "value": 50, "time_ms": 1000}
            payload = {
                "version": 1, "key": str(UUID(int=number)), "assignment": sitting, "trial": place,
                "screen": 0, "answers": [answer], "times": {"spent_ms": 20000, "blurred_ms": 0},
            }  # fmt: skip
            if number % 10 == 0:
                payload["comment"] = f"The second sentence says it twice, as in {number}."
            digest = hashlib.sha256(canonical(payload)).hexdigest()
            link = chained(link, digest)
            yield {
                "key": payload["key"], "assignment_id": sitting, "version": 1, "trial_id": trial,
                "screen": 0, "revision": 1, "late": False, "surplus": False, "payload": payload,
                "payload_sha256": digest, "chain_sha256": link, "flags": "[]",
            }  # fmt: skip


def filled(judgements: int) -> Any:
    from django.db import connection

    from rankme.actions.rows.bulk_insert import analyze, copy_rows
    from tests.campaigns import make_campaign, slider_definition

    definition = slider_definition(
        raters_per_trial=judgements // (ITEMS * SYSTEMS),
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["fluency"], "comment": True}],
    )
    campaign = make_campaign(definition, items=ITEMS, systems=SYSTEMS, owner=owner())
    with connection.cursor() as cursor:
        cursor.execute(FINISHED_SITTINGS, {"campaign": campaign.pk})
        copy_rows("rankme_submission", submissions(campaign))
        cursor.execute(JUDGE, {"campaign": campaign.pk})
    analyze(*TABLES, "rankme_assignment", "rankme_trialoutput", "rankme_participant")
    return campaign


def megabytes(folder: Any) -> str:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid) / 2 ^ 20 FROM pg_class"
            " WHERE relname = ANY(%s) ORDER BY 1",
            [list(TABLES)],
        )
        tables = ", ".join(f"{name} {size:.0f} MB" for name, size in cursor.fetchall())
    du = subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=False)
    return f"{tables}, with all of the cluster {du.stdout.split()[0]} MB"


class Clock:
    """Prints what each part took of this process's and its database's processor, and in all."""

    def __init__(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self.backend = psutil.Process(cursor.fetchone()[0])
        self.before = self.now()

    def now(self) -> tuple[float, float, float]:
        times = self.backend.cpu_times()
        return time.process_time(), times.user + times.system, time.monotonic()

    def lap(self, what: str) -> None:
        now = self.now()
        python, database, wall = (b - a for a, b in zip(self.before, now, strict=True))
        spent = f"{python:.0f} s of Python, {database:.0f} s of PostgreSQL, {wall:.0f} s in all"
        print(f"{what}: {spent}", flush=True)
        self.before = now


def main() -> None:
    judgements = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with own_site() as site:
        from django.db import connection

        from evalsite import roles
        from rankme.actions.sitting import moving_words
        from rankme.verification import verify_campaign

        with roles.as_owner(connection):
            print(load())
            clock = Clock()
            campaign = filled(judgements)
            clock.lap(f"filled with {judgements} judgements")
            print(megabytes(site.servers.folder), flush=True)
            before = verify_campaign(campaign)
            clock.lap(f"checked {before.submissions} submissions {before.fault}")
            epoch = moving_words.begin_epoch(campaign)
            assert epoch is not None
            steps = 0
            while moving_words.move_some(epoch):
                steps += 1
                if steps % 2000 == 0:
                    clock.lap(f"... moved {epoch.submissions} words")
            clock.lap(f"moved words of {epoch.submissions} submissions")
            print(megabytes(site.servers.folder), flush=True)
            after = verify_campaign(campaign)
            clock.lap(f"checked {after.submissions} submissions again {after.fault}")
            moving_words.renew_anchors(epoch)
            moving_words.finish_epoch(epoch, account="benchmark")
            clock.lap("ended the epoch")
            print(load())


if __name__ == "__main__":
    main()
