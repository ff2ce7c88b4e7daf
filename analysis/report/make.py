"""The report: for each criterion the paper's table and the one that a referee would ask for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import count

import numpy as np
import scipy
from threadpoolctl import ThreadpoolController

from analysis.errors import TableError, Undefined
from analysis.meta_evaluation.compared import Compared
from analysis.ranking.clusters import PASSES, kind_of
from analysis.ranking.pairs import pairs_from_table
from analysis.reliability.coefficients import Coefficient
from analysis.reliability.rater_profiles import rater_profiles
from analysis.report.levels import Levels
from analysis.report.model import CriterionReport, DataSummary, RankChange, Report
from analysis.report.options import ReportOptions
from analysis.report.sentences import criterion_sentences, report_sentences
from analysis.report.system_rows import system_rows
from analysis.report.treatment import logarithms, treated, z_scores
from analysis.scales.correlations import Correlation, correlations
from analysis.scales.outliers import log_magnitudes
from analysis.sequential.section import SequentialSection, sequential_section
from analysis.signature import HASH_DIGITS, VERSION, signature
from analysis.spans.judged import has_marks
from analysis.table import JudgementTable
from analysis.typing import Progress

from .agreement_section import agreement_of
from .category_section import category_section
from .checkpoints import Parts, computed_now, parts_of
from .distribution import Distribution, distribution
from .effect_section import effect_section, pairs_of
from .metric_section import Subject, metric_sections
from .ranking_section import (
    Draws,
    Runs,
    pairs_to_rank,
    runs_for,
    section_without_runs,
    win_shares,
    with_rankings,
)
from .robustness_section import Judged, RobustnessSection, robustness_section
from .scale_section import ScaleSection, scale_section
from .span_section import span_section

__all__ = ["ReportOptions", "make_report", "with_kinds"]

SCALES = ("scale", "count", "time", "error")
LOWER_IS_BETTER = ("time", "error")
Coefficients = tuple[Coefficient, ...]
LARGEST_VALUE = 1e100
LEAST_SPREAD = 1e-100


def make_report(
    table: JudgementTable,
    options: ReportOptions,
    draws: Draws | None = None,
    progress: Progress | None = None,
    parts: Parts = computed_now,
    *,
    compared: Compared | None = None,
) -> Report:
    """Make the whole report: every criterion in every way that applies to its kind.

    Linear algebra gets one thread: the runs that are drawn meanwhile use all cores, and sums are
    the same on any number of cores.

    Parameters
    ----------
    table : the judgements, those of excluded raters included
    options : everything else that determines the numbers
    draws : the runs of `clusters.resamplings_of`, shape (runs, systems), if they exist already; or
        what returns those of a resampling, which is asked last
    progress : called with the share that is done, from 0 to 1
    parts : may keep what is finished for a process that continues after this one
    compared : scores and verdicts of the metrics that the options name

    Returns
    -------
    Report : plain numbers and texts; a method without a result has its reason in `undefined`

    Raises
    ------
    TableError : no judgement is left, a rater to exclude is unknown, or a value is too large
    """
    with _linear_algebra().limit(limits=1, user_api="blas"):
        return _report(table, options, draws, progress, parts, compared=compared)


@cache
def _linear_algebra() -> ThreadpoolController:
    """Return the libraries that compute it, which are looked for once: that takes milliseconds."""
    _ = scipy.linalg.blas  # loads SciPy's own library, which is limited too
    return ThreadpoolController()


def _report(
    table: JudgementTable,
    options: ReportOptions,
    draws: Draws | None,
    progress: Progress | None,
    parts: Parts,
    *,
    compared: Compared | None,
) -> Report:
    given, table = table, table.in_order()
    analysed = _analysed_table(table, options)
    criteria = _in_order(analysed.criterion.labels, options)
    named = with_kinds(options, analysed)
    family = _levels({**options.kinds, **named.kinds}, options)
    done = count()
    # A single pass is about the order in which the rows were given.
    with runs_for(given if options.method in PASSES else table, named, draws) as runs:

        def compute(name: str, level: float) -> CriterionReport:
            if progress is not None:
                progress(min(next(done) / len(criteria), 0.99))
            part = f"criterion {name}" + ("" if level == options.alpha else f" at {level}")
            at_level = replace(options, alpha=level)
            make = partial(
                _criterion_report,
                name,
                table,
                analysed,
                at_level,
                runs=runs,
                parts=parts_of(part, parts),
                compared=compared,
            )
            return parts(part, CriterionReport, make)

        # Before the criteria, which end by waiting for the runs.
        raters = sorted(rater_profiles(analysed), key=lambda each: criteria.index(each.criterion))
        made = family.reports(criteria, compute)
    subjects = [
        Subject(criterion.criterion, criterion.kind, criterion.higher_is_better)
        for criterion in made
    ]
    report = Report(
        title=options.title,
        signature=_report_signature(table, options, compared),
        version=VERSION,
        options=options.as_dict(),
        data=_summary(table, analysed),
        criteria=made,
        correlations=_correlations(analysed, made),
        raters=tuple(raters),
        sentences=(
            *family.sentences(made),
            *report_sentences(excluded=any(each.exclusion for each in made)),
        ),
        metrics=metric_sections(analysed, subjects, options, compared, parts),
    )
    if progress is not None:
        progress(1.0)
    return report


def _analysed_table(table: JudgementTable, options: ReportOptions) -> JudgementTable:
    """Return the rows that the analysis counts: neither excluded before nor by the options."""
    beyond = int(np.sum(np.abs(table.value) > LARGEST_VALUE))
    if beyond:
        raise TableError([f"{beyond} values are beyond ±1e100; their squares overflow."])
    analysed = table.counted().without_raters(options.exclude_raters)
    if not len(analysed):
        raise TableError(["No judgement is left to analyse."])
    tiny = [
        f"The values of {name} differ by less than 1e-100; their squares vanish. Multiply them."
        for code, name in enumerate(analysed.criterion.labels)
        if 0 < np.ptp(analysed.value[analysed.criterion.codes == code]) < LEAST_SPREAD
    ]
    if tiny:
        raise TableError(tiny)
    return analysed


def _report_signature(
    table: JudgementTable, options: ReportOptions, compared: Compared | None
) -> str:
    """Return one line that names everything that decides the numbers; defaults are left out."""
    default = ReportOptions().as_dict()
    stated = {
        name: value
        for name, value in options.as_dict().items()
        if name in ("seed", "runs") or (value != default[name] and name not in ("title", "method"))
    }
    if "looking" in stated:  # names every rater
        said = json.dumps(stated["looking"], sort_keys=True)
        digest = hashlib.sha256(said.encode()).hexdigest()
        stated["looking"] = f"{options.look_plan.mode} {digest[:HASH_DIGITS]}"
    if compared is not None and options.metrics:
        stated["scores"] = compared.sha256[:HASH_DIGITS]
    return signature(f"report-{options.method}", stated, sha256=table.sha256)


def with_kinds(options: ReportOptions, table: JudgementTable) -> ReportOptions:
    """Name the kind of every criterion, so that `resamplings_of` sees what the report sees.

    Parameters
    ----------
    options : of the report
    table : the judgements that count
    """
    kinds = {name: kind_of(table, name, options.kinds) for name in table.criterion.labels}
    return replace(options, kinds=kinds)


def _levels(kinds: Mapping[str, str], options: ReportOptions) -> Levels:
    """Share alpha among all criteria of the study, those without judgements included."""
    if options.primary and options.primary not in kinds:
        raise TableError([f"There is no criterion {options.primary!r}: {', '.join(kinds)}."])
    return Levels.of(kinds, options)


def _in_order(criteria: tuple[str, ...], options: ReportOptions) -> list[str]:
    """Return the criteria in the order in which the options name their kinds, then the others."""
    named = [name for name in options.kinds if name in criteria]
    return named + [name for name in criteria if name not in named]


def _reading(table: JudgementTable, name: str, options: ReportOptions) -> tuple[str, bool]:
    """Return a criterion's kind, and whether higher values are better."""
    kind = kind_of(table, name, options.kinds)
    return kind, name not in options.lower_is_better and kind not in LOWER_IS_BETTER


def _criterion_report(
    name: str,
    table: JudgementTable,
    analysed: JudgementTable,
    options: ReportOptions,
    *,
    runs: Runs,
    parts: Parts,
    compared: Compared | None,
) -> CriterionReport:
    given = analysed.for_criterion(name)
    kind, higher = _reading(analysed, name, options)
    part, outliers = treated(given, kind, options)
    standardised = z_scores(part) if name in options.standardise else None
    read = part if standardised is None else standardised
    scale = scale_section(read, options, higher, parts) if kind in SCALES else None
    agreement = parts("agreement", Coefficients, partial(agreement_of, part, kind, options))
    ranking, pairs = None, None
    if kind == "relative":
        pairs = pairs_to_rank(given, options, higher, runs)
        ranking = section_without_runs(given, pairs, options, higher, parts=parts)
        pairs = pairs if outliers is None else pairs_of(part, options, higher)
    read = _as_analysed(read, scale)
    effects = robustness = None
    if kind != "category":
        effects = effect_section(
            read, options, compared=pairs, higher_is_better=higher,
            clustered=None if scale is None else scale.clustered,
        )  # fmt: skip
        judged = Judged.of(read, options, kind, higher, scale, made=pairs)
        check = partial(robustness_section, judged, compared)
        robustness = parts("robustness", RobustnessSection, check)
    found = CriterionReport(
        criterion=name,
        kind=kind,
        higher_is_better=higher,
        judgements=len(part),
        raters=len(part.rater.labels),
        items=len(part.item.labels),
        screens=len(part.screen.labels),
        systems=system_rows(part, options, higher, standardised) if kind != "category" else (),
        ranking=ranking,
        scale=scale,
        categories=category_section(part, options) if kind == "category" else None,
        outliers=outliers,
        agreement=agreement,
        exclusion=_rank_changes(table.for_criterion(name), given, kind, higher),
        sentences=(),
        effects=effects,
        alpha=options.alpha,
        distribution=_distribution(part, kind),
        robustness=robustness,
        spans=span_section(given, options) if has_marks(part) else None,
        sequential=_sequential(part, kind, options, higher),
    )
    if ranking is not None:  # last: the runs may still be under way
        ranking = with_rankings(ranking, table, name, options, runs, parts=parts)
        found = replace(found, ranking=ranking)
    return replace(found, sentences=criterion_sentences(found, part, options))


def _distribution(part: JudgementTable, kind: str) -> Distribution | None:
    if kind in SCALES and kind != "error":
        return distribution(part, is_time=kind == "time")
    return None


def _as_analysed(part: JudgementTable, scale: ScaleSection | None) -> JudgementTable:
    """Put values on the log scale where the models do."""
    if scale is not None and scale.scale.startswith("logarithm"):
        return replace(part, value=log_magnitudes(part.value))
    return part


def sequential_sections(
    table: JudgementTable, options: ReportOptions
) -> dict[str, SequentialSection]:
    """Look at every criterion whose systems can be compared, as a report would, and at no more.

    Parameters
    ----------
    table : the judgements, those of excluded raters included
    options : of the report, with `looking`

    Raises
    ------
    TableError : no judgement is left, or the primary criterion is unknown
    """
    analysed = _analysed_table(table.in_order(), options)
    named = with_kinds(options, analysed)
    family = _levels({**options.kinds, **named.kinds}, options)
    found = {}
    for name in _in_order(analysed.criterion.labels, options):
        kind, higher = _reading(analysed, name, options)
        level = family.share() if name in family.secondary else options.alpha
        part, _ = treated(analysed.for_criterion(name), kind, options)
        section = _sequential(part, kind, replace(options, alpha=level), higher)
        if section is not None:
            found[name] = section
    return found


def _sequential(
    part: JudgementTable,
    kind: str,
    options: ReportOptions,
    higher: bool,
) -> SequentialSection | None:
    if kind == "category" or options.look_plan.is_fixed:
        return None
    name = part.criterion.labels[0]
    if name in options.standardise:
        part = z_scores(part)
    elif name in options.log_scale:
        with suppress(Undefined):  # as in the tables, where logarithms do not exist
            part = logarithms(part)
    return sequential_section(part, options, relative=kind == "relative", higher_is_better=higher)


def _rank_changes(
    before: JudgementTable, after: JudgementTable, kind: str, higher: bool
) -> tuple[RankChange, ...]:
    """Ranks by win share (relative judgements) or mean; empty when the judgements are the same."""
    if kind == "category" or before is after or before.sha256 == after.sha256:
        return ()
    first, second = (_ranked(part, kind, higher) for part in (before, after))
    changes = ((system, *first[system], *second.get(system, (None, None))) for system in first)
    return tuple(
        RankChange(system, rank, now, mean, mean_now)
        for system, rank, mean, now, mean_now in changes
    )


def rank_changes_by_raters(
    table: JudgementTable,
    options: ReportOptions,
    raters: Collection[str],
    *,
    before: JudgementTable | None = None,
) -> dict[str, tuple[RankChange, ...]]:
    """By criterion: each system's rank with these excluded raters, and without them.

    Raters who are excluded for other reasons are left out of both.

    Parameters
    ----------
    table : the judgements, those of excluded raters included
    options : of the report
    raters : labels of excluded raters, such as those whom a rule excluded
    before : the judgements as they would be with these raters, where others have judged in their
        place since; by default the same table
    """
    table = table.in_order()
    first = table if before is None else before.in_order()
    if first.excluded is None or not raters:
        return {}
    by_rule = np.isin(first.rater.codes, np.flatnonzero(np.isin(first.rater.labels, list(raters))))
    with_them = replace(first, excluded=first.excluded & ~by_rule).counted()
    with_them = with_them.without_raters(options.exclude_raters)
    without = _analysed_table(table, options)
    changes = {}
    for name in without.criterion.labels:
        kind, higher = _reading(without, name, options)
        had, has = with_them.for_criterion(name), without.for_criterion(name)
        if found := _rank_changes(had, has, kind, higher):
            changes[name] = found
    return changes


def _ranked(part: JudgementTable, kind: str, higher: bool) -> dict[str, tuple[int, float]]:
    """Return each system's rank and score, best first."""
    if kind == "relative":
        scores = {row.system: row.share for row in win_shares(pairs_from_table(part))}
    else:
        scores = {row.system: row.mean for row in system_rows(part, ReportOptions(), higher)}
    order = sorted(scores, key=lambda system: -scores[system] if higher else scores[system])
    return {system: (rank, scores[system]) for rank, system in enumerate(order, start=1)}


def _correlations(
    table: JudgementTable, criteria: tuple[CriterionReport, ...]
) -> tuple[Correlation, ...]:
    """Between criteria that are measured: the numbers of categories are only names."""
    measured = [each.criterion for each in criteria if each.kind != "category"]
    if len(measured) < 2:
        return ()
    wanted = np.isin(np.array(table.criterion.labels, dtype=object), measured)
    part = table.rows(wanted[table.criterion.codes])
    found = (each for level in ("system", "output") for each in correlations(part, level=level))
    return tuple(
        sorted(
            (_first_named(each, measured) for each in found),
            key=lambda each: (each.level != "system", *map(measured.index, (each.a, each.b))),
        )
    )


def _first_named(found: Correlation, criteria: list[str]) -> Correlation:
    """Return the pair with the report's earlier criterion first; the coefficient is the same."""
    if criteria.index(found.a) < criteria.index(found.b):
        return found
    return replace(found, a=found.b, b=found.a)


def _summary(table: JudgementTable, analysed: JudgementTable) -> DataSummary:
    return DataSummary(
        judgements=len(analysed),
        raters=len(analysed.rater.labels),
        items=len(analysed.item.labels),
        systems=len(analysed.system.labels),
        screens=len(analysed.screen.labels),
        excluded=len(table) - len(analysed),
        late=0 if analysed.late is None else int(analysed.late.sum()),
        sha256=table.sha256,
    )
