"""What the measures of traces cost for one rater, in campaigns with more and more screens.

Run: python benchmarks/trace_queries.py [--screens 1000 10000 100000]

The tables have the columns and indexes that the queries use, and 100 screens for each rater, every
fiftieth of which repeats an earlier trace. Times are CPU of the connection's process of PostgreSQL,
the least of three.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from site_under_test import load, own_site

TABLES = """
    CREATE TEMPORARY TABLE rankme_participant (id bigint PRIMARY KEY, campaign_id bigint);
    CREATE TEMPORARY TABLE rankme_assignment (id bigint PRIMARY KEY, campaign_id bigint,
        participant_id bigint);
    CREATE TEMPORARY TABLE rankme_submission (id bigint PRIMARY KEY, assignment_id bigint,
        payload jsonb);
    CREATE TEMPORARY TABLE rankme_screentrace (submission_id bigint PRIMARY KEY, summary jsonb);
    CREATE INDEX ON rankme_assignment (campaign_id);
    CREATE INDEX ON rankme_assignment (participant_id);
    CREATE INDEX ON rankme_submission (assignment_id)
"""
ROWS = """
    TRUNCATE rankme_participant, rankme_assignment, rankme_submission, rankme_screentrace;
    INSERT INTO rankme_participant SELECT n, 1 FROM generate_series(1, %(screens)s / 100) AS n;
    INSERT INTO rankme_assignment SELECT id, 1, id FROM rankme_participant;
    INSERT INTO rankme_submission SELECT n, 1 + (n - 1) / 100,
        '{"times": {"spent_ms": 9000}}' FROM generate_series(1, %(screens)s) AS n;
    INSERT INTO rankme_screentrace SELECT n, jsonb_build_object(
        'events', 41, 'untrusted', 0, 'webdriver', 0, 'presses', 9, 'centred', 1, 'instant', 0,
        'jumps', 0, 'touches', 0, 'pens', 0, 'alone', 0, 'stops', 17, 'keys', 21, 'typed', 18,
        'path_px', 1000 + (n - n %% 50 * (n %% 50 = 49)::int) %% 99991 / 10.0,
        'key_mean_ms', 181.2, 'key_sd_ms', 92.3, 'last_ms', 814.5, 'away_ms', 2210.7)
        FROM generate_series(1, %(screens)s) AS n;
    ANALYZE
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screens", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options = parser.parse_args()
    with own_site():
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(TABLES)
            for screens in options.screens:
                cursor.execute(ROWS, {"screens": screens})
                print(f"{screens:>9,} screens: {measured(cursor, screens // 100):>8.1f} ms")
    print(load())


def measured(cursor: Any, rater: int) -> float:
    """Milliseconds of CPU for the measures of one rater."""
    from rankme.queries.trace_measures import trace_measures

    cursor.execute("SELECT pg_backend_pid()")
    [process] = cursor.fetchone()
    taken = []
    for _ in range(3):
        before = cpu_of(process) + time.process_time()
        trace_measures([rater])
        taken.append(cpu_of(process) + time.process_time() - before)
    return 1000 * min(taken)


def cpu_of(process: int) -> float:
    """Seconds, to a thousandth of a millisecond, that a process has run."""
    schedule = Path(f"/proc/{process}/schedstat").read_text(encoding="ascii")
    return int(schedule.split()[0]) / 1e9


if __name__ == "__main__":
    main()
