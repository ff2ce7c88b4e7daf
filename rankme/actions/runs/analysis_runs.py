"""Analyses: requested, cancelled, and computed by a worker, up to the report.

A run reads the judgements once and keeps them, so its numbers never change. The parts of its report
are rows, so that a report continues where a lost worker left it.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Min
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.errors import AnalysisError
from analysis.report.declined import DeclinedAnswer, recounted
from analysis.report.make import make_report
from analysis.scales.codes import compact, in_use
from analysis.table import JudgementTable
from analysis.table_files import write_table
from rankme.actions import jobs
from rankme.actions.audit import count_judgements, note
from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.rows.bulk_insert import TABLES_THAT_GROW, analyze
from rankme.errors import RefusedAction
from rankme.exporting.anchor import anchor_of
from rankme.exporting.bundle import (
    newest_version,
    report_options,
    run_compared,
    store_bundle,
)
from rankme.exporting.declined import kept_declined
from rankme.models import (
    AnalysisRun,
    Campaign,
)
from rankme.models.campaigns import ANALYSED
from rankme.queries.cannot_judge import declined_of
from rankme.queries.counting import analysed_screens
from rankme.queries.judgement_table import judgement_table, without_number
from rankme.queries.versions import of_versions, versions_of_table

from .deviations import deviations_of
from .report_parts import StoredParts
from .run_chunks import (
    SHARE_OF_CHUNKS,
    call_helpers,
    drawn,
    plan_chunks,
    share_drawn,
)
from .run_columns import columns_of, drop_columns, keep_columns
from .run_exclusions import exclusions, with_and_without_the_rule, without_withdrawn
from .run_metrics import compared_of, keep_compared
from .run_options import (
    checked_options,
    default_options,
    refuse_options_after_the_names,
)


@transaction.atomic
def request_run(campaign: Campaign, options: Mapping[str, Any], *, by: User) -> AnalysisRun:
    """Ask for an analysis; `options` override those with which the campaign's analyses begin."""
    if not has_judgements(campaign):
        raise RefusedAction(_("There are no judgements to analyse yet."))
    whole = checked_options(campaign, default_options(campaign) | dict(options))
    refuse_options_after_the_names(campaign, whole)
    run = AnalysisRun.objects.create(
        campaign=campaign,
        options=whole,
        seed=whole["seed"],
        requested_by=by,
    )
    note(campaign, by, ANALYSED, run=run.pk, judgements=count_judgements(campaign))
    jobs.enqueue(run)
    return run


def cancel_run(run: AnalysisRun, *, by: User) -> None:
    """Stop a run that is under way; one that is over stays as it is."""
    if not jobs.cancel(run):
        raise RefusedAction(_("This analysis has already finished."))
    note(run.campaign, by, gettext_noop("analysis cancelled"), run=run.pk)


def has_judgements(campaign: Campaign) -> bool:
    return campaign.assignments.filter(
        counts=True, submissions__judgements__value__isnull=False
    ).exists()


def execute(run_id: int, worker: str) -> bool:
    """Lead a run to its end; False when another worker has it."""
    return jobs.perform(AnalysisRun, run_id, _lead, worker=worker, understood=(AnalysisError,))


def _lead(run: AnalysisRun) -> None:
    if not run.data_sha256:
        take_snapshot(run)
    call_helpers(run)
    _report(run)


def take_snapshot(run: AnalysisRun) -> None:
    """Store the judgements as they are now, and the chunks that they need: both or neither."""
    jobs.heartbeat(run, step="Reading the judgements")
    analyze(*TABLES_THAT_GROW)
    table = without_withdrawn(run.campaign, judgement_table(run.campaign))
    table = _on_criteria(table, run.options.get("criteria"))
    table = of_versions(table, run.options.get("versions", ()))
    if not len(table):
        raise RefusedAction(_("There are no judgements on these criteria yet."))
    packed = io.BytesIO()
    # Without the time of day, so that the same judgements are the same bytes.
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=3, mtime=0) as file:
        write_table(table, file)
    names, judges = (run.options.get(name, ()) for name in ("metrics", "judges"))
    compared = compared_of(run.campaign, names, judges)
    keep_columns(run, table)
    with transaction.atomic():
        keep_compared(run, compared)
        jobs.keep(
            run,
            table_csv_gz=packed.getvalue(),
            data_sha256=table.sha256,
            judgements=len(table),
            timed_out=_timed_out(run.campaign),
            declined=_declined(run, table),
            anchor=anchor_of(run.campaign),
        )
        plan_chunks(run, table)
    del run.table_csv_gz  # who needs it asks the database: of a large run it is 150 MB


def _timed_out(campaign: Campaign) -> dict[str, int]:
    """Answers past their time limit, by criterion: they count, but have no number."""
    kinds = definition_of(campaign).kinds
    timed = [name for name, kind in kinds.items() if kind in ("time", "error")]
    return without_number(campaign, timed)


def _declined(run: AnalysisRun, table: JudgementTable) -> dict[str, Any]:
    """Answers of raters who could not judge, on what this run is about; excluded raters are out.

    The counts by criterion, each with the answers from which they follow.
    """
    names, versions = run.options.get("criteria"), run.options.get("versions")
    out = run.options.get("exclude_raters", ())
    found = [
        DeclinedAnswer(answer.criterion, answer.system, answer.reason, answer.rater)
        for answer in declined_of(run.campaign)
        if not answer.excluded
        and answer.rater not in out
        and (not names or answer.criterion in names)
        and (not versions or answer.version in versions)
    ]
    return kept_declined(found, recounted(found, table, exclude_raters=out))


def _on_criteria(table: JudgementTable, names: list[str] | None) -> JudgementTable:
    """The judgements on these criteria; without names, on all."""
    if not names:
        return table
    wanted = np.array([label in names for label in table.criterion.labels], dtype=bool)
    return table.rows(wanted[table.criterion.codes])


def _report(run: AnalysisRun) -> None:
    written = 0.0

    def say(step: str) -> None:
        share = SHARE_OF_CHUNKS * share_drawn(run) + (1 - SHARE_OF_CHUNKS) * written
        jobs.heartbeat(run, progress=share, step=step)

    def progress(share: float) -> None:
        nonlocal written
        written = share
        say("Writing the report")

    progress(0)
    table = columns_of(run)
    options = report_options(run)
    parts = StoredParts(run, job=run)
    report = make_report(
        table,
        options,
        # Helpers draw meanwhile; what is left then is drawn here.
        draws=lambda resampling: drawn(run, resampling, say),
        progress=progress,
        parts=parts,
        compared=run_compared(run),
    )
    # Before the run says that it is done: its files are there as soon as its page is.
    deviations = deviations_of(run, table)
    store_bundle(run, table, report, options, parts, deviations=deviations)
    drop_columns(run)
    with transaction.atomic():
        jobs.finish(
            run,
            result={
                "report": report.as_dict(),
                "exclusions": exclusions(run, table),
                "rule": with_and_without_the_rule(run.campaign, table, options),
                "versions": versions_of_table(run.campaign, newest_version(run), table),
                "deviations": deviations,
                "timed_out": run.timed_out,
                "measured": _measured(run.campaign, table),
            },
            signature=report.signature,
        )
        run.chunks.all().delete()
        run.parts.all().delete()


def _measured(campaign: Campaign, table: JudgementTable) -> dict[str, Any]:
    """When the judgements came in, and how many raters judged an output: least, median, most."""
    counted = table.counted()
    outputs = counted.item.codes.astype(np.int64) * len(counted.system.labels)
    outputs = compact(outputs + counted.system.codes)
    seen = in_use(outputs * len(counted.rater.labels) + counted.rater.codes)
    raters = np.bincount(seen // len(counted.rater.labels))
    dates = analysed_screens(campaign).aggregate(first=Min("received_at"), last=Max("received_at"))
    return {
        "raters_per_output": [int(raters.min()), float(np.median(raters)), int(raters.max())],
        **{name: moment.isoformat() for name, moment in dates.items() if moment},
    }
