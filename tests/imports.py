"""Imports of material, done as a worker does them."""

from __future__ import annotations

from rankme.actions.imports import import_jobs
from rankme.models import MaterialImport


def work_on(row: MaterialImport) -> MaterialImport:
    assert import_jobs.execute_import(row.pk, "worker")
    row.refresh_from_db()
    return row
