"""Check an upload of any kind in a worker, and later import it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from rankme.actions import jobs
from rankme.actions.rows.stored_files import delete_files
from rankme.importing import ImportRefused, JudgementPreview, Preview
from rankme.importing.tabular.upload_tables import is_one_of_several, is_said_by_names
from rankme.models import MaterialImport

from .judgement_imports import preview_of_judgements, take_judgements
from .output_imports import preview_of_outputs, take_outputs
from .score_imports import ScorePreview, preview_of_scores, take_scores

Kind, Phase = MaterialImport.Kind, MaterialImport.Phase
AnyPreview = Preview | JudgementPreview | ScorePreview
PREVIEWS: dict[str, Callable[[MaterialImport], AnyPreview]] = {
    Kind.OUTPUTS: preview_of_outputs,
    Kind.JUDGEMENTS: preview_of_judgements,
    Kind.SCORES: preview_of_scores,
}
TAKERS = {
    Kind.OUTPUTS: take_outputs,
    Kind.JUDGEMENTS: take_judgements,
    Kind.SCORES: take_scores,
}


def execute_import(import_id: int, worker: str) -> bool:
    """Do what a queued import waits for; False when another worker has it."""
    return jobs.perform(MaterialImport, import_id, _work, worker=worker)


def _work(row: MaterialImport) -> None:
    kind = Kind(row.kind)
    if row.phase == Phase.CHECK:
        _check(row, PREVIEWS[kind])
    else:
        TAKERS[kind](row)


def _check(row: MaterialImport, preview_of: Callable[[MaterialImport], AnyPreview]) -> None:
    """Read everything; end with a preview, or with every problem and no files."""
    try:
        preview = preview_of(row)
    except ImportRefused as refused:
        _refuse(row, refused)
        return
    jobs.finish(row, phase=Phase.PREVIEWED, preview=asdict(preview), format=preview.format)


def _refuse(row: MaterialImport, refused: ImportRefused) -> None:
    """Keep every problem; keep the files only if saying what their columns are may help."""
    ended = {"problems": [asdict(problem) for problem in refused.problems]}
    is_described = bool(refused.tables and row.options.get("reading"))
    is_certain = all(is_said_by_names(t) and not is_one_of_several(t) for t in refused.tables)
    if is_described or not is_certain:
        tables = [asdict(table) for table in refused.tables]
        found = {"n_systems": refused.n_systems, "n_items": refused.n_items}
        preview = {"tables": tables, **found}
        message = _too_many(refused) or _request_for_columns(refused)
        jobs.fail(row, message, phase=Phase.COLUMNS, preview=preview, **ended)
        return
    with transaction.atomic():
        message = _too_many(refused) or _("Fix the problems below and upload the file again.")
        jobs.fail(row, message, **ended)
        transaction.on_commit(partial(delete_files, row.files.values()))


def _too_many(refused: ImportRefused) -> str:
    listed = len(refused.problems)
    if refused.count > listed:
        return _("There are %(count)s problems. Here are the first %(listed)s.") % {
            "count": refused.count,
            "listed": listed,
        }
    return ""


def _request_for_columns(refused: ImportRefused) -> str:
    if not all(table.columns for table in refused.tables):
        return _("Choose a meaning for each column, then check again.")
    return _("Upload a corrected file, or correct the columns and check again.")
