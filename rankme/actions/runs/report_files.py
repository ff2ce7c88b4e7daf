"""The files of a finished report, made again by a worker where they were lost."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from analysis.errors import AnalysisError
from analysis.report.make import make_report
from rankme.actions import jobs
from rankme.errors import FilesInPreparation, RankmeError
from rankme.exporting.bundle import (
    has_bundle,
    report_options,
    run_compared,
    run_table,
    store_bundle,
)
from rankme.models import AnalysisRun, ReportFiles
from rankme.models.jobs import Job

from .deviations import deviations_of
from .report_parts import StoredParts

TRY_AGAIN_AFTER = timedelta(minutes=10)


def require_files(run: AnalysisRun) -> None:
    """Make sure that a finished run has its files.

    Raises
    ------
    FilesInPreparation : they are missing; a job makes them, one however many readers ask
    """
    if run.state != Job.State.DONE or has_bundle(run):
        return
    row, created = ReportFiles.objects.get_or_create(run=run)
    if created:
        jobs.enqueue(row)
    elif row.is_over:
        _ask_again(row)
    raise FilesInPreparation(
        _("The files of this report are being prepared. Please try again in a few seconds.")
    )


def _ask_again(row: ReportFiles) -> None:
    failed_lately = ReportFiles.objects.filter(
        pk=row.pk, state=Job.State.FAILED, finished_at__gt=Now() - TRY_AGAIN_AFTER
    )
    if failed_lately.exists():
        raise FilesInPreparation(
            _("The files of this report could not be prepared. The site will try again soon.")
        )
    with suppress(RankmeError):  # another reader was faster
        jobs.enqueue_again(row)


def execute(row_id: int, worker: str) -> bool:
    """Make the files; False when another worker has the job."""
    return jobs.perform(ReportFiles, row_id, _make, worker=worker, understood=(AnalysisError,))


def _make(row: ReportFiles) -> None:
    run = row.run
    if not has_bundle(run):
        _store_files(run, row)
    jobs.finish(row)
    run.parts.all().delete()


def _store_files(run: AnalysisRun, row: ReportFiles) -> None:
    def progress(share: float) -> None:
        jobs.heartbeat(row, progress=share, step="Writing the report")

    progress(0)
    table, options = run_table(run), report_options(run)
    parts = StoredParts(run, job=row)
    compared = run_compared(run)
    report = make_report(table, options, progress=progress, parts=parts, compared=compared)
    store_bundle(run, table, report, options, parts, deviations=deviations_of(run, table))
