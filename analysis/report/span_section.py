"""The part of a report about marked errors: scores, kinds of errors, clusters and agreement."""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.errors import AnalysisError
from analysis.ranking.clusters import Ranking, RankingOptions, rank_criterion
from analysis.report.options import ReportOptions
from analysis.spans.agreement import SpanAgreement, span_agreement
from analysis.spans.judged import marked_outputs
from analysis.spans.model import SpanTable
from analysis.spans.scoring import (
    PENALTY,
    KindCount,
    SystemScore,
    count_kinds,
    judgement_table,
    score_segments,
    score_systems,
)
from analysis.spans.weights import Weights, parse_weights
from analysis.table import JudgementTable


@dataclass(frozen=True)
class SpanSection:
    """A summary of the marks; a missing value has its reason in `undefined` and is never zero.

    `ranking` compares the penalties of systems that one rater judged for the same item.
    """

    weights: str
    systems: tuple[SystemScore, ...]
    kinds: tuple[KindCount, ...]
    agreement: SpanAgreement
    ranking: Ranking | None = None
    notes: tuple[str, ...] = ()
    undefined: dict[str, str] = field(default_factory=dict)


def span_section(table: JudgementTable, options: ReportOptions) -> SpanSection:
    """Score, rank and compare the marks of one criterion.

    Parameters
    ----------
    table : the judgements of one criterion, with the column `marks`
    options : the seed, the runs, α, and the weights of the criterion

    Returns
    -------
    The section.

    Raises
    ------
    TableError : a severity has no weight
    """
    weights = parse_weights(options.weights.get(table.criterion.labels[0], ""))
    by_document = bool(options.item_groups)
    spans = marked_outputs(table, options.item_groups)
    seed, resamples = options.seed, max(options.agreement_resamples, 1)
    confidence = 1 - options.alpha
    systems = score_systems(
        score_segments(spans, weights),
        spans,
        seed=seed,
        resamples=resamples,
        confidence=confidence,
        by_document=by_document,
    )
    undefined = _undefined(systems)
    return SpanSection(
        weights.stated,
        tuple(systems),
        tuple(count_kinds(spans, weights)),
        span_agreement(
            spans,
            weights,
            seed=seed,
            resamples=resamples,
            confidence=confidence,
            by_document=by_document,
        ),
        _ranking(spans, weights, options, undefined),
        spans.notes,
        undefined,
    )


def _undefined(systems: list[SystemScore]) -> dict[str, str]:
    reasons = {}
    if silent := [each.system for each in systems if each.per_100_words is None]:
        reasons["Per 100 words"] = f"No words are known of: {', '.join(silent)}."
    if single := [each.system for each in systems if each.low is None]:
        reasons["Interval of the score"] = f"One segment has none: {', '.join(single)}."
    return reasons


def _ranking(
    spans: SpanTable, weights: Weights, options: ReportOptions, undefined: dict[str, str]
) -> Ranking | None:
    settings = RankingOptions(
        seed=options.seed,
        runs=options.runs,
        method=options.method,
        resample=("none",),
        alpha=options.alpha,
        lower_is_better=(PENALTY,),
    )
    try:
        return rank_criterion(judgement_table(spans, weights), PENALTY, settings)
    except AnalysisError as why:
        undefined["Clusters"] = str(why)
        return None
