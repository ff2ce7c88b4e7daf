"""Imports of material, done as a worker does them."""

from rankme.actions.imports import import_jobs
from rankme.models import MaterialImport


def work_on(row: MaterialImport) -> MaterialImport:
    assert import_jobs.execute_import(row.pk, "worker")
    row.refresh_from_db()
    return row
