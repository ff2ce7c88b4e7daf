"""The part of a report that uses metrics: after the ranking by people, and never mixed with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from analysis.errors import RankingError, Undefined
from analysis.meta_evaluation.against_people import (
    MetricOptions,
    MetricReport,
    metrics_against_people,
)
from analysis.meta_evaluation.against_ranking import metrics_against_ranking
from analysis.meta_evaluation.compared import Compared
from analysis.meta_evaluation.judge_report import (
    JudgeReport,
    judge_report,
    lengths_of,
)
from analysis.meta_evaluation.judges import Verdict
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.prediction_powered import PredictionPowered, prediction_powered
from analysis.meta_evaluation.system_level import SystemLevel
from analysis.report.options import ReportOptions
from analysis.report.treatment import logarithms, treated, z_scores
from analysis.signature import signature
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import MetricScores

from .checkpoints import Parts

FAR_LARGER = 20  # times the median: a single such value moves a mean


@dataclass(frozen=True)
class PoweredEstimates:
    """A ranking that uses a metric, or the reason why there is none.

    `price` is what the judgements that the metric is worth would have cost. The means of
    `estimates` have the sign of the judgements.
    """

    metric: str
    estimates: PredictionPowered | None
    reason: str
    price: float | None
    signature: str


@dataclass(frozen=True)
class MetricSection:
    """Metrics and judges on one criterion; `reason` says why there is no comparison."""

    criterion: str
    scale: str
    comparison: MetricReport | None
    powered: tuple[PoweredEstimates, ...]
    reason: str
    signature: str
    judges: tuple[JudgeReport, ...] = ()
    ranking: tuple[SystemLevel, ...] = ()  # metrics against Bradley–Terry strengths


@dataclass(frozen=True)
class Subject:
    """A criterion with what decides how its judgements are read."""

    criterion: str
    kind: str
    higher_is_better: bool


def metric_sections(
    table: JudgementTable,
    subjects: Sequence[Subject],
    options: ReportOptions,
    compared: Compared | None,
    parts: Parts,
) -> tuple[MetricSection, ...]:
    """Compare the metrics that the options name with the judgements on each criterion.

    Parameters
    ----------
    table : the judgements that count, on all criteria
    subjects : the criteria; categories are left out, because they have no mean
    options : the report's
    compared : scores and verdicts; None gives no sections
    parts : may keep finished sections

    Returns
    -------
    A section for each criterion, with reasons where something cannot be computed.
    """
    if compared is None or not options.metrics:
        return ()
    return tuple(
        parts(
            f"metrics {subject.criterion}",
            MetricSection,
            partial(_section, table, subject, options, compared),
        )
        for subject in subjects
        if subject.kind != "category"
    )


def _section(
    table: JudgementTable, subject: Subject, options: ReportOptions, compared: Compared
) -> MetricSection:
    name = subject.criterion
    part = table.for_criterion(name)
    stated = {"criterion": name, "metrics": options.metrics, "seed": options.seed}
    line = signature("metrics", {**stated, "scores": compared.sha256[:16]}, sha256=table.sha256)
    section = MetricSection(name, "", None, (), "", line)
    try:
        part, scale = _as_analysed(part, subject, options)
        people = People.from_table(
            part,
            lower_is_better=not subject.higher_is_better,
            item_groups=options.item_groups,
        )
        judges = tuple(_judges(table.for_criterion(name), subject, options, compared))
        section = replace(section, scale=scale, judges=judges)
        scores = _chosen(compared.scores, options.metrics)
        if scores is None:
            return section
        resamples = options.metric_resamples
        settings = MetricOptions(options.seed, options.alpha, resamples, resamples)
        found = metrics_against_people(people, scores, settings)
        warnings = () if scale else tuple(_about_large_values(people))
        return replace(
            section,
            comparison=replace(found, sentences=(*warnings, *found.sentences)),
            ranking=ranking_levels(
                table.for_criterion(name),
                scores,
                settings,
                kind=subject.kind,
                lower_is_better=not subject.higher_is_better,
                item_groups=options.item_groups,
            ),
            powered=tuple(
                powered_estimates(
                    people,
                    scores,
                    alpha=options.alpha,
                    price=options.price_per_judgement,
                    sha256=part.sha256,
                    stated={"item_groups": options.item_groups} if options.item_groups else {},
                )
            ),
        )
    except Undefined as why:
        return replace(section, reason=str(why))


def ranking_levels(
    part: JudgementTable,
    scores: MetricScores,
    settings: MetricOptions,
    *,
    kind: str,
    lower_is_better: bool,
    item_groups: str = "",
) -> tuple[SystemLevel, ...]:
    """Compare metrics with the ranking where judgements are relative to each other.

    Parameters
    ----------
    part : judgements of one criterion, as they were given
    scores : of the metrics
    settings : seed, confidence and number of resamples
    kind : of the criterion; only `relative` judgements have such a ranking
    lower_is_better : whether the lower value wins
    item_groups : a factor whose items are drawn together

    Returns
    -------
    A row for each metric; none where the systems cannot be ranked, as the ranking says itself
    """
    if kind != "relative":
        return ()
    try:
        return metrics_against_ranking(
            part, scores, settings, lower_is_better=lower_is_better, item_groups=item_groups
        )
    except (RankingError, Undefined):
        return ()


def _about_large_values(people: People) -> Iterator[str]:
    """Magnitudes have no upper end, and a mean follows the largest of them."""
    sizes = np.abs(people.value)
    usual, largest = float(np.median(sizes)), float(sizes.max())
    if usual > 0 and largest > FAR_LARGER * usual:
        yield (
            f"The largest judgement is {largest / usual:,.0f} times the usual one, and means of "
            "systems follow such values. Choose logarithms (log_scale) to compare those instead."
        )


def _judges(
    part: JudgementTable, subject: Subject, options: ReportOptions, compared: Compared
) -> Iterator[JudgeReport]:
    """Yield the judges among the metrics next to people, on the raters' own scale."""
    people = People.from_table(part, lower_is_better=not subject.higher_is_better)
    lengths = lengths_of(compared.scores)
    for judge in sorted(set(options.judges) & set(options.metrics)):
        own = options.judges[judge]
        answers: Sequence[Verdict] | MetricScores | None = compared.verdicts.get(judge)
        if answers is None and compared.scores is not None:
            answers = compared.scores if judge in compared.scores.metrics else None
        if answers is not None:
            yield judge_report(
                people, judge, answers, lengths=lengths, own=own, alpha=options.alpha
            )


def _as_analysed(
    part: JudgementTable, subject: Subject, options: ReportOptions
) -> tuple[JudgementTable, str]:
    """Return the values as the rest of the report analyses them, and what was done to them."""
    part = treated(part, subject.kind, options)[0]
    if subject.criterion in options.standardise:
        return z_scores(part), "standardised within each rater"
    if subject.criterion in options.log_scale:
        return logarithms(part), "logarithms"
    return part, ""


def _chosen(scores: MetricScores | None, metrics: tuple[str, ...]) -> MetricScores | None:
    if scores is None:
        return None
    return scores.of([name for name in scores.metrics if name in metrics])


def powered_estimates(
    people: People,
    scores: MetricScores,
    *,
    alpha: float,
    price: float,
    sha256: str,
    stated: Mapping[str, object],
) -> Iterator[PoweredEstimates]:
    """Estimates with each metric that has a score of every output.

    Parameters
    ----------
    people : the judgements
    scores : of all outputs
    alpha : 1 − confidence
    price : of a judgement by a person
    sha256 : of the judgements, for the signatures
    stated : further options, for the signatures
    """
    aligned = scores.aligned(people.systems, scores.items)
    for number, name in enumerate(scores.metrics):
        line = signature(
            "prediction-powered",
            {"metric": name, "alpha": alpha, "scores": scores.sha256[:16], **stated},
            sha256=sha256,
        )
        try:
            found = prediction_powered(
                people, name, aligned.segments[number], scores.items, alpha=alpha
            )
        except Undefined as why:
            yield PoweredEstimates(name, None, str(why), None, line)
            continue
        saved = max(found.worth, 0.0) * price or None
        yield PoweredEstimates(name, _as_judged(found, people.turned), "", saved, line)


def _as_judged(found: PredictionPowered, turned: bool) -> PredictionPowered:
    """Return the estimates with the sign of the judgements, which were turned where low is good."""
    if not turned:
        return found
    return replace(
        found,
        means=tuple(replace(m, mean=-m.mean, low=-m.high, high=-m.low) for m in found.means),
        people_means=tuple(
            replace(m, mean=-m.mean, low=-m.high, high=-m.low) for m in found.people_means
        ),
        contrasts=tuple(
            replace(c, difference=-c.difference, low=-c.high, high=-c.low) for c in found.contrasts
        ),
        people_contrasts=tuple(
            replace(c, difference=-c.difference, low=-c.high, high=-c.low)
            for c in found.people_contrasts
        ),
    )
