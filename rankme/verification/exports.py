"""Compare exports with the record."""

from __future__ import annotations

import json

from django.db import connection

from rankme.exporting.judgements import judgements_jsonl
from rankme.models import Campaign
from rankme.queries.counting import COUNTED
from rankme.queries.judgement_table import statement_of

from .fault import Fault
from .sittings import Sum, Tally


def check_exports(campaign: Campaign, tally: Tally) -> None:
    """Compare both exports with what was found in the record."""
    table = _counted_rows(campaign)
    if table != tally.counted:
        raise Fault(
            "the judgement table",
            f"it has {table.rows} rows, but by the counting rule {tally.counted.rows} judgements "
            "with these values count.",
        )
    raw, counted = _raw_lines(campaign)
    if raw != tally.stored:
        raise Fault("the raw export", f"it has {raw.rows} lines that differ from the record.")
    if counted != tally.counted_submissions:
        raise Fault(
            "the raw export",
            f"it marks {counted} submissions as counted, but {tally.counted_submissions} count.",
        )


def _counted_rows(campaign: Campaign) -> Sum:
    found = Sum()
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement_of(campaign, COUNTED, {}))
        for row in cursor:
            sitting, trial, screen, revision, rater, criterion, item, system, *rest = row
            version, value, time_ms, late, *_others = rest
            place = (sitting, version, trial, screen, revision, criterion, item, system)
            found.add(*place, value, time_ms, bool(late), rater)
    return found


def _raw_lines(campaign: Campaign) -> tuple[Sum, int]:
    found, counted = Sum(), 0
    for line in judgements_jsonl(campaign):
        row = json.loads(line)
        facts = (row["payload_sha256"], row["chain_sha256"], len(row["judgements"] or ()))
        found.add(row["key"], row["version"], row["late"], row["surplus"], *facts)
        counted += row["counted"]
    return found, counted
