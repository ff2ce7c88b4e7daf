"""Analyses: asked for with options, computed in chunks by any worker, published as reports.

A run reads the judgements once and keeps them, so its numbers never change. Its bootstrap is cut
into chunks that are rows; a worker holds a chunk by the row's lock, which the database frees when
the worker dies, and every chunk gives the same numbers whichever worker computes it. The parts of
the report are rows too, so that a report continues where a lost worker left it.
"""

from __future__ import annotations

import gzip
import io
import logging
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.errors import AnalysisError, OptionsError, RankingError
from analysis.plain import plain
from analysis.report.declined import DeclinedAnswer, count_declined
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from analysis.table_files import write_table
from rankme.errors import InvalidOptions, Problem, RefusedAction
from rankme.exporting.anchor import anchor_of
from rankme.exporting.bundle import (
    SITE_OPTIONS,
    newest_version,
    report_options,
    run_compared,
    run_table,
    store_bundle,
)
from rankme.models import (
    AnalysisRun,
    Assignment,
    Campaign,
    Judgement,
    Output,
    RaterExclusion,
    Report,
    RunChunk,
    Submission,
    TrialOutput,
)
from rankme.models.jobs import Job
from rankme.protocols.documents import DOCUMENT
from rankme.queries.cannot_judge import declined_of
from rankme.queries.judgement_table import factor_column, judgement_table, without_number
from rankme.queries.quality import displaced_by_rule, rule_findings
from rankme.queries.versions import of_versions, versions_of_table

from . import jobs
from .audit import note
from .bulk_insert import analyze
from .campaigns import definition_of
from .report_parts import StoredParts
from .run_metrics import compared_of, keep_compared, metric_options, unknown_metrics

log = logging.getLogger(__name__)

MOST_RUNS = 100_000
# A chunk is a second or so of work: long enough to be worth a row, short enough to lose.
JUDGEMENT_RUNS_PER_CHUNK = 10_000_000
LEAST_CHUNKS = 4
MOST_HELPERS = 8
SECONDS_BETWEEN_LOOKS = 0.1
TABLES_THAT_GROW = tuple(
    model._meta.db_table for model in (Assignment, Submission, Judgement, Output, TrialOutput)
)
SHARE_OF_CHUNKS = 0.8  # of the progress bar


# --- Asking ------------------------------------------------------------------------------------


def default_options(campaign: Campaign) -> dict[str, Any]:
    """What an analysis of this campaign begins with: its instruments' kinds, its file's options."""
    definition = definition_of(campaign)
    kinds = {name: kind for name, kind in definition.kinds.items() if kind != "text"}
    options: dict[str, Any] = {
        "seed": analysis_seed(campaign),
        "title": campaign.title,
        "kinds": kinds,
        "lower_is_better": [name for name in kinds if name in definition.lower_is_better],
        "weights": definition.weights,
        "categories": {
            name: [labels[number] for number in sorted(labels)]
            for name, labels in definition.labels.items()
            if kinds.get(name) == "category"
        },
    }
    if definition.has_documents:
        options["item_groups"] = DOCUMENT
    options |= metric_options(campaign)
    options |= definition.analysis.options
    options["factors"] = [factor_column(name) for name in options.get("factors", ())]
    return options


def analysis_seed(campaign: Campaign) -> int:
    """The seed of a campaign's analyses, the same each time. Reports quote it, so it is not the
    campaign's own, which decides who sees what."""
    return int(salted_hmac("rankme.analysis-seed", str(campaign.seed)).hexdigest()[:8], 16)


@transaction.atomic
def request_run(campaign: Campaign, options: Mapping[str, Any], *, by: User) -> AnalysisRun:
    """Ask for an analysis; `options` override those with which the campaign's analyses begin."""
    if not has_judgements(campaign):
        raise RefusedAction(_("There are no judgements to analyse yet."))
    whole = checked_options(campaign, default_options(campaign) | dict(options))
    run = AnalysisRun.objects.create(
        campaign=campaign,
        options=whole,
        seed=whole["seed"],
        requested_by=by,
    )
    note(campaign, by, gettext_noop("analysis requested"), run=run.pk)
    jobs.enqueue(run)
    return run


def cancel_run(run: AnalysisRun, *, by: User) -> None:
    """Stop a run that is under way; one that is over stays as it is."""
    if not jobs.cancel(run):
        raise RefusedAction(_("This analysis is already over."))
    note(run.campaign, by, gettext_noop("analysis cancelled"), run=run.pk)


def has_judgements(campaign: Campaign) -> bool:
    return campaign.assignments.filter(
        counts=True, submissions__judgements__value__isnull=False
    ).exists()


def checked_options(campaign: Campaign, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as plain data, or `InvalidOptions` with every problem."""
    problems = [*_site_problems(campaign, options)]
    reported = {name: value for name, value in options.items() if name not in SITE_OPTIONS}
    try:
        checked = ReportOptions.from_dict(reported)
    except OptionsError as error:
        raise InvalidOptions(
            problems + [Problem("", problem) for problem in error.problems]
        ) from error
    problems += _campaign_problems(campaign, checked)
    if problems:
        raise InvalidOptions(problems)
    site = {name: options[name] for name in SITE_OPTIONS if options.get(name)}
    # As pairs: the database forgets the order of a mapping's names.
    pairs: dict[str, Any] = plain(checked.as_pairs())
    return pairs | site


def _site_problems(campaign: Campaign, options: Mapping[str, Any]) -> Iterable[Problem]:
    criteria = options.get("criteria", [])
    known = set(definition_of(campaign).kinds)
    if not isinstance(criteria, list) or not all(isinstance(name, str) for name in criteria):
        yield Problem("criteria", "must be a list of names.")
    else:
        for name in sorted(set(criteria) - known):
            yield Problem(
                "criteria", f"There is no criterion {name!r}: {', '.join(sorted(known))}."
            )
    versions = options.get("versions", [])
    known_versions = range(1, campaign.version + 1)
    if not isinstance(versions, list) or not all(type(version) is int for version in versions):
        yield Problem("versions", "must be a list of numbers.")
    elif unknown := sorted(set(versions) - set(known_versions)):
        yield Problem("versions", f"There is no version {unknown[0]} of this campaign.")
    reason = options.get("exclusion_reason", "")
    if not isinstance(reason, str) or len(reason) > 500:
        yield Problem("exclusion_reason", "must be a text of at most 500 characters.")
    elif options.get("exclude_raters") and not reason.strip():
        yield Problem(
            "exclusion_reason", "Say why these raters are excluded: the report will quote it."
        )


def _campaign_problems(campaign: Campaign, options: ReportOptions) -> Iterable[Problem]:
    if options.runs > MOST_RUNS:
        yield Problem("runs", f"At most {MOST_RUNS:,} runs are computed here.")
    if options.seed >= 2**63:
        yield Problem("seed", "must be below 2^63.")
    raters = campaign.participants.filter(label__in=options.exclude_raters)
    unknown = set(options.exclude_raters) - set(raters.values_list("label", flat=True))
    for label in sorted(unknown):
        yield Problem("exclude_raters", f"There is no rater {label!r} in this campaign.")
    for name in unknown_metrics(campaign, options.metrics):
        yield Problem("metrics", f"There is no metric {name!r} in this campaign.")


# --- Computing ---------------------------------------------------------------------------------


def execute(run_id: int, worker: str) -> bool:
    """Lead a run to its end; False when another worker has it."""
    return jobs.perform(AnalysisRun, run_id, _lead, worker=worker, understood=(AnalysisError,))


def compute_chunks(run_id: int, worker: str) -> int:
    """Help with a run that another worker leads; returns how many chunks this worker computed. Ends
    when the leader is lost, because this worker may then take the run over.
    """
    under_way = AnalysisRun.objects.filter(pk=run_id, state=jobs.WORKING).exclude(data_sha256="")
    done = 0
    while (
        (run := under_way.defer("table_csv_gz").first())
        and jobs.is_leased(run)
        and compute_one(run, worker)
    ):
        done += 1
    resamplings_of_run.cache_clear()  # a large table is not kept for a run that may be the last
    return done


def _lead(run: AnalysisRun) -> None:
    if not run.data_sha256:
        take_snapshot(run)
    _call_helpers(run)
    compute_all(run)
    resamplings_of_run.cache_clear()
    _report(run)


def take_snapshot(run: AnalysisRun) -> None:
    """Store the judgements as they are now, and the chunks that they need: both or neither."""
    jobs.heartbeat(run, step="Reading the judgements")
    analyze(*TABLES_THAT_GROW)
    table = _on_criteria(judgement_table(run.campaign), run.options.get("criteria"))
    table = of_versions(table, run.options.get("versions", ()))
    if not len(table):
        raise RefusedAction(_("There are no judgements on these criteria yet."))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=3, mtime=0) as file:
        write_table(table, file)
    names, judges = (run.options.get(name, ()) for name in ("metrics", "judges"))
    compared = compared_of(run.campaign, names, judges)
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
        _plan_chunks(run, table)


def _timed_out(campaign: Campaign) -> dict[str, int]:
    """Answers past their time limit, by criterion: they count, but have no number."""
    kinds = definition_of(campaign).kinds
    timed = [name for name, kind in kinds.items() if kind in ("time", "error")]
    return without_number(campaign, timed)


def _declined(run: AnalysisRun, table: JudgementTable) -> dict[str, Any]:
    """Answers of raters who could not judge, on what this run is about; excluded raters are out."""
    names, versions = run.options.get("criteria"), run.options.get("versions")
    out = set(run.options.get("exclude_raters", ()))
    found = (
        DeclinedAnswer(answer.criterion, answer.system, answer.reason, answer.rater)
        for answer in declined_of(run.campaign)
        if not answer.excluded
        and answer.rater not in out
        and (not names or answer.criterion in names)
        and (not versions or answer.version in versions)
    )
    people = table.counted()
    return count_declined(found, people.without_raters(out & set(people.rater.labels)))


def _on_criteria(table: JudgementTable, names: list[str] | None) -> JudgementTable:
    """The judgements on these criteria; without names, on all."""
    if not names:
        return table
    wanted = np.array([label in names for label in table.criterion.labels], dtype=bool)
    return table.rows(wanted[table.criterion.codes])


def _plan_chunks(run: AnalysisRun, table: JudgementTable) -> None:
    RunChunk.objects.filter(run=run).delete()
    RunChunk.objects.bulk_create(
        RunChunk(run=run, job=resampling.key, first=first, count=count)
        for resampling in _resamplings_of(table, report_options(run))
        for first, count in chunk_bounds(resampling.runs, len(table))
    )


def chunk_bounds(runs: int, judgements: int) -> list[tuple[int, int]]:
    """Cut `runs` into (first, count) so that each is a second or so of work."""
    size = max(1, JUDGEMENT_RUNS_PER_CHUNK // max(judgements, 1))
    size = min(size, math.ceil(runs / LEAST_CHUNKS))
    return [(first, min(size, runs - first)) for first in range(0, runs, size)]


def _resamplings_of(table: JudgementTable, options: ReportOptions) -> tuple[Any, ...]:
    from analysis.clusters import resamplings_of

    try:
        return resamplings_of(table, options)
    except RankingError as error:
        # The report says so for this criterion, and continues with the others.
        log.info("no chunks: %s", error)
        return ()


@lru_cache(maxsize=1)
def resamplings_of_run(run_id: int, data_sha256: str) -> dict[str, Any]:
    """The draws of a run, kept while its chunks are computed one after the other."""
    run = AnalysisRun.objects.get(pk=run_id)
    return {
        resampling.key: resampling
        for resampling in _resamplings_of(run_table(run), report_options(run))
    }


def _call_helpers(run: AnalysisRun) -> None:
    waiting = run.chunks.filter(draws=None).count()
    helpers = min(waiting - 1, MOST_HELPERS)
    jobs.send([("rankme.tasks.compute_chunks", run.pk)] * max(helpers, 0))


def compute_all(run: AnalysisRun) -> None:
    """Compute chunks until none is left, also those of helpers that die meanwhile."""
    total = run.chunks.count()
    while left := run.chunks.filter(draws=None).count():
        share = SHARE_OF_CHUNKS * (total - left) / total
        jobs.heartbeat(run, progress=share, step="Drawing the runs")
        if compute_one(run, run.claimed_by):
            jobs.checkpoint(run)
        else:
            time.sleep(SECONDS_BETWEEN_LOOKS)


@transaction.atomic
def compute_one(run: AnalysisRun, worker: str) -> bool:
    """Compute a chunk that no worker computes yet; the lock on its row ends with its holder."""
    waiting = run.chunks.filter(draws=None).order_by("id")
    chunk = waiting.select_for_update(skip_locked=True).first()
    if chunk is None:
        return False
    resampling = resamplings_of_run(run.pk, run.data_sha256)[chunk.job]
    drawn = np.ascontiguousarray(resampling.draw(chunk.first, chunk.count), dtype="<f8")
    RunChunk.objects.filter(pk=chunk.pk).update(
        draws=drawn.tobytes(), claimed_at=Now(), claimed_by=worker[:200]
    )
    return True


def _draws(run: AnalysisRun) -> dict[str, np.ndarray] | None:
    """All draws by the key of their resampling, shape (runs, systems); None without a plan."""
    rows: dict[str, list[np.ndarray]] = {}
    for key, count, draws in run.chunks.order_by("job", "first").values_list(
        "job", "count", "draws"
    ):
        drawn = np.frombuffer(bytes(draws or b""), dtype="<f8")
        rows.setdefault(key, []).append(drawn.reshape(count, -1))
    return {key: np.concatenate(parts) for key, parts in rows.items()} or None


def _report(run: AnalysisRun) -> None:
    from analysis.report.make import make_report

    def progress(share: float) -> None:
        jobs.heartbeat(
            run,
            progress=SHARE_OF_CHUNKS + (1 - SHARE_OF_CHUNKS) * share,
            step="Writing the report",
        )

    progress(0)
    table = run_table(run)
    options = report_options(run)
    parts = StoredParts(run, job=run)
    report = make_report(
        table,
        options,
        draws=_draws(run),
        progress=progress,
        parts=parts,
        compared=run_compared(run),
    )
    # Before the run says that it is done: its files are there as soon as its page is.
    store_bundle(run, table, report, options, parts)
    with transaction.atomic():
        jobs.finish(
            run,
            result={
                "report": report.as_dict(),
                "exclusions": exclusions(run, table),
                "rule": _with_and_without_the_rule(run.campaign, table, options),
                "versions": versions_of_table(run.campaign, newest_version(run), table),
                "timed_out": run.timed_out,
            },
            signature=report.signature,
        )
        run.chunks.all().delete()
        run.parts.all().delete()


def _with_and_without_the_rule(
    campaign: Campaign, table: JudgementTable, options: ReportOptions
) -> dict[str, Any] | None:
    """What the campaign's rule did, decided again, and the ranks with and without it."""
    from analysis.report.make import rank_changes_by_raters

    found = rule_findings(campaign)
    if found is None:
        return None
    before = _table_without_the_rule(campaign, table)
    changes = rank_changes_by_raters(table, options, found.excluded, before=before)
    document: dict[str, Any] = plain(asdict(found))
    rows = {name: [plain(asdict(row)) for row in ranks] for name, ranks in changes.items()}
    return document | {"ranks": rows}


def _table_without_the_rule(campaign: Campaign, table: JudgementTable) -> JudgementTable:
    """The run's table as it would be if the rule had excluded nobody: where somebody has judged in
    the place of an excluded rater, that rater's own sitting."""
    in_table = {_sitting(name) for name in table.screen.labels}
    swapped = {
        sitting: first
        for sitting, first in displaced_by_rule(campaign).items()
        if sitting in in_table
    }
    if not swapped:
        return table
    found = judgement_table(campaign, swapped=swapped)
    known = set(table.screen.labels)
    # Nothing that came after the run had read its judgements.
    kept = [name in known or _sitting(name) in swapped.values() for name in found.screen.labels]
    return found.rows(np.asarray(kept, dtype=bool)[found.screen.codes])


def _sitting(screen: str) -> int:
    return int(screen.partition(".")[0])


def exclusions(run: AnalysisRun, table: JudgementTable) -> list[dict[str, str]]:
    """Who is left out of the numbers, and why, as the report quotes it."""
    marked = set()
    if table.excluded is not None:
        marked = {table.rater.labels[code] for code in np.unique(table.rater.codes[table.excluded])}
    # Where somebody else has judged in their place, none of their rows is in the table.
    submitted = Submission.objects.filter(assignment__participant=OuterRef("participant"))
    decisions = RaterExclusion.objects.filter(
        Q(participant__label__in=marked)
        | Q(Exists(submitted), ~Q(participant__label__in=table.rater.labels), withdrawn_at=None),
        campaign=run.campaign,
    ).order_by("decided_at")
    reasons = dict(decisions.values_list("participant__label", "reason"))
    reasons |= {
        label: run.options["exclusion_reason"]
        for label in run.options["exclude_raters"]
        if label not in reasons
    }
    return [{"rater": label, "reason": reasons[label]} for label in sorted(reasons)]


# --- Publishing --------------------------------------------------------------------------------


@transaction.atomic
def publish_report(run: AnalysisRun, *, by: User) -> Report:
    """Give the run a page that anybody with its address can read; again after a withdrawal."""
    run = AnalysisRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.state != Job.State.DONE:
        raise RefusedAction(_("Only an analysis that is done can be published."))
    report, created = Report.objects.get_or_create(run=run, defaults={"published_by": by})
    if created or report.withdrawn_at is not None:
        Report.objects.filter(pk=report.pk).update(
            withdrawn_at=None, published_by=by, published_at=Now()
        )
        _move(run.campaign_id, Campaign.State.CLOSED, to=Campaign.State.PUBLISHED)
        note(run.campaign, by, gettext_noop("report published"), run=run.pk, report=report.code)
        report.refresh_from_db()
    return report


@transaction.atomic
def withdraw_report(report: Report, *, by: User) -> None:
    """Take the public page away; the run and its numbers stay."""
    if Report.objects.filter(pk=report.pk, withdrawn_at=None).update(withdrawn_at=Now()):
        standing = Report.objects.filter(run__campaign=report.run.campaign, withdrawn_at=None)
        if not standing.exists():
            _move(report.run.campaign_id, Campaign.State.PUBLISHED, to=Campaign.State.CLOSED)
        note(
            report.run.campaign,
            by,
            gettext_noop("report withdrawn"),
            run=report.run_id,
            report=report.code,
        )


def _move(campaign_id: int, state: str, *, to: str) -> None:
    """A closed campaign is published while a report of it is; one that still runs is not."""
    Campaign.objects.filter(pk=campaign_id, state=state).update(state=to)
