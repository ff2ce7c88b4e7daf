"""Check that reports count raters who could not judge as their files do."""

from __future__ import annotations

from analysis.errors import TableError
from analysis.report.declined import ANSWERS, COUNTS, read_answers
from rankme.exporting.bundle import has_bundle, read_packed, report_options, run_table
from rankme.exporting.declined import declined_files_of_run
from rankme.models import AnalysisRun, Campaign

from .fault import Fault


def check_declined(campaign: Campaign) -> None:
    """Count the answers of each report again, and hold its bundle against them."""
    done = campaign.analysis_runs.filter(state=AnalysisRun.State.DONE).exclude(declined={})
    for run in done.order_by("pk").iterator(chunk_size=1):
        _check(run)


def _check(run: AnalysisRun) -> None:
    place = f"analysis {run.pk}"
    kept = declined_files_of_run(run.declined)
    try:
        read_answers(kept, run_table(run), exclude_raters=report_options(run).exclude_raters)
    except TableError as error:
        raise Fault(place, str(error)) from error
    stored = {name: read_packed(run, name) for name in kept} if has_bundle(run) else kept
    for name in (ANSWERS, COUNTS):
        if stored.get(name) != kept.get(name):
            raise Fault(place, f"{name} in its bundle is not what the report says.")
