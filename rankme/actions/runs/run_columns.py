"""The judgements of a large run in columns, for its workers.

Each helper reads the table, and the leader reads it more than once. The columns are in the storage
while the run is under way, where they weigh on no database. What is kept is the CSV in the run's
row, which has the same judgements: a worker that finds no columns reads that.
"""

from __future__ import annotations

import io
from contextlib import suppress

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from analysis.ranking.clusters import PASSES
from analysis.table import JudgementTable, read_columns, write_columns
from rankme.actions import jobs
from rankme.actions.rows.stored_files import delete_files, sweep
from rankme.exporting.bundle import run_table
from rankme.models import AnalysisRun

FOLDER = "columns"
WORTHWHILE = 100_000  # judgements, of which the CSV takes a fifth of a second


def keep_columns(run: AnalysisRun, table: JudgementTable) -> None:
    """Store the rows in the order in which `run_table` returns them."""
    place = _place(run.pk, table.sha256)
    if len(table) < WORTHWHILE or default_storage.exists(place):
        return
    content = io.BytesIO()
    single_passes = run.options.get("method") in PASSES
    write_columns(table if single_passes else table.in_order(), content)
    default_storage.save(place, ContentFile(content.getvalue()))


def columns_of(run: AnalysisRun) -> JudgementTable:
    """The judgements that the run read, the fast way if there is one."""
    if (run.judgements or 0) >= WORTHWHILE:
        with suppress(FileNotFoundError), default_storage.open(_place_of(run)) as file:
            return read_columns(file.read())
    return run_table(run)


def drop_columns(run: AnalysisRun) -> None:
    delete_files([_place_of(run)])


def sweep_columns() -> int:
    """Delete those of runs that are over or gone; returns how many."""
    under_way = AnalysisRun.objects.filter(state__in=[jobs.QUEUED, jobs.WORKING])
    return sweep(FOLDER, map(_place_of, under_way.only("data_sha256")))


def _place_of(run: AnalysisRun) -> str:
    return _place(run.pk, run.data_sha256)


def _place(run_id: int, data_sha256: str) -> str:
    # Two workers that take each other for lost may have read different judgements.
    return f"{FOLDER}/{run_id}-{data_sha256[:16]}.arrow"
