"""Change the tables of an earlier version into those that today's migrations create.

Until version 1.4 there were 39 migrations. `0001_tables` and `0002_rules` now create the same
tables at once, and the steps from version 1.0 are kept as the SQL that Django ran for them, so that
no model of today has to know those of earlier versions. The steps are final: new migrations follow
`0002_rules`, and this file has nothing to do with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import CommandError
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

import rankme

STEPS = Path(rankme.__file__).parent / "migrations" / "from_1_0.sql"
FIRST, LAST_OF_1_0 = "0001_the_record", "0004_judgements_by_output"
CREATED_AT_ONCE = ("0001_tables", "0002_rules")


def upgrade_older_tables(connection: BaseDatabaseWrapper) -> None:
    """Take each step that the database lacks, in a transaction of its own."""
    recorder = MigrationRecorder(connection)
    applied = {name for app, name in recorder.applied_migrations() if app == "rankme"}
    if FIRST not in applied or applied.issuperset(CREATED_AT_ONCE):
        return
    if LAST_OF_1_0 not in applied:
        raise CommandError("These tables are older than version 1.0 and cannot be upgraded.")
    for name, statements in steps():
        if name not in applied:
            with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
                if statements:
                    cursor.execute(statements)
                recorder.record_applied("rankme", name)
    for name in CREATED_AT_ONCE:
        recorder.record_applied("rankme", name)


def steps() -> Iterator[tuple[str, str]]:
    """Each step's name and its statements; some changed no table."""
    parts = re.split(r"^-- (\d{4}_\w+)\n", STEPS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return zip(parts[1::2], map(str.strip, parts[2::2]), strict=True)
