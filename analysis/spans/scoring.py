"""Scores of segments and systems: what their errors weigh. Lower is better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.inference import percentile_interval
from analysis.reliability.krippendorff import cluster_counts
from analysis.spans.model import MarkedOutput, SpanTable
from analysis.spans.weights import Penalties, Weights, check_weights
from analysis.table import JudgementTable
from analysis.typing import Values

PENALTY, SCORE = "penalty", "score"
DRAWN_AT_ONCE = 100


@dataclass(frozen=True)
class SegmentScore:
    """One system's output for one item: the mean over its raters of what they marked.

    `marks` is that mean of the number of errors; `words` is None where the text is not known.
    """

    system: str
    document: str
    item: str
    raters: int
    marks: float
    words: int | None
    score: float


@dataclass(frozen=True)
class SystemScore:
    """One system: the mean over its segments, with an interval over items.

    `per_100_words` is the sum of its segments' penalties over their words, times 100; it is None
    where a text is not known or has no words.
    """

    system: str
    segments: int
    score: float
    low: float | None
    high: float | None
    per_100_words: float | None
    marks: int
    words: int | None


@dataclass(frozen=True)
class KindCount:
    """Count and weight of one kind of error in one system's outputs."""

    system: str
    category: str
    severity: str
    marks: int
    penalty: float


def score_segments(table: SpanTable, weights: Weights) -> list[SegmentScore]:
    """Score every segment of every system.

    Parameters
    ----------
    table : marked outputs
    weights : what an error weighs

    Returns
    -------
    For each system and item, in the order of the table, the mean over raters of the sums of the
    weights of their marks.

    Raises
    ------
    TableError : a severity has no weight

    Source
    ------
    Freitag et al. (2021), section 3; the mean over raters is that of MTME's score_mqm
    """
    check_weights(table, weights)
    penalties = Penalties(weights)
    by_segment: dict[tuple[str, str], list[MarkedOutput]] = {}
    for each in table.outputs:
        by_segment.setdefault((each.system, each.item), []).append(each)
    return [_segment(segment, penalties) for segment in by_segment.values()]


def _segment(raters: Sequence[MarkedOutput], penalties: Penalties) -> SegmentScore:
    first = raters[0]
    counts = [count for each in raters if (count := each.word_count) is not None]
    marks = sum(not mark.continues for each in raters for mark in each.marks)
    return SegmentScore(
        first.system,
        first.document,
        first.item,
        len(raters),
        marks / len(raters),
        counts[0] if counts else None,
        math.fsum(penalties.total(each.marks) for each in raters) / len(raters),
    )


def score_systems(
    segments: Sequence[SegmentScore],
    table: SpanTable,
    *,
    seed: int = 1,
    resamples: int = 1000,
    confidence: float = 0.95,
    by_document: bool = False,
) -> list[SystemScore]:
    """Score every system: the mean of its segments' scores.

    Parameters
    ----------
    segments : what `score_segments` returns
    table : the marked outputs that they are of
    seed, resamples : of the bootstrap, which draws each system's items
    confidence : of the percentile interval
    by_document : whether the bootstrap draws whole documents instead of items

    Returns
    -------
    The systems, best (lowest) first, equal ones by name. A system with one segment has no interval.

    Source
    ------
    Freitag et al. (2021), "Experts, Errors, and Context"; Efron & Tibshirani (1993), chapter 13
    """
    by_system: dict[str, list[SegmentScore]] = {}
    for segment in sorted(segments, key=lambda each: each.item):  # draws follow this order
        by_system.setdefault(segment.system, []).append(segment)
    marks = {name: 0 for name in by_system}
    for each in table.outputs:
        marks[each.system] += sum(not mark.continues for mark in each.marks)
    scored = [
        _system(
            name,
            by_system[name],
            marks[name],
            seed=seed,
            resamples=resamples,
            confidence=confidence,
            by_document=by_document,
        )
        for name in sorted(by_system)
    ]
    return sorted(scored, key=lambda system: system.score)


def _system(
    name: str,
    segments: Sequence[SegmentScore],
    marks: int,
    *,
    seed: int,
    resamples: int,
    confidence: float,
    by_document: bool,
) -> SystemScore:
    scores = np.array([segment.score for segment in segments])
    counted = [segment.words for segment in segments if segment.words is not None]
    words = sum(counted) if len(counted) == len(segments) else None
    units = [segment.document if by_document else segment.item for segment in segments]
    low, high = _interval(scores, units, np.random.default_rng(seed), resamples, confidence)
    total = math.fsum(scores)
    return SystemScore(
        name,
        len(segments),
        total / len(segments),
        low,
        high,
        100 * total / words if words else None,
        marks,
        words,
    )


def _interval(
    scores: Values,
    units: Sequence[str],
    rng: np.random.Generator,
    resamples: int,
    confidence: float,
) -> tuple[float | None, float | None]:
    """Of the mean of the segments in as many units as there are, drawn with replacement."""
    number: dict[str, int] = {}
    of_segment = np.array([number.setdefault(unit, len(number)) for unit in units])
    if resamples < 1:
        return None, None
    sums, sizes = np.bincount(of_segment, scores), np.bincount(of_segment).astype(np.float64)
    means = [
        (drawn @ sums) / (drawn @ sizes)
        for drawn in (
            cluster_counts(rng, len(sums), min(DRAWN_AT_ONCE, resamples - start))
            for start in range(0, resamples, DRAWN_AT_ONCE)
        )
    ]
    return percentile_interval(np.concatenate(means), confidence, len(number))


def count_kinds(table: SpanTable, weights: Weights) -> list[KindCount]:
    """Count the errors of each system by category and severity.

    Parameters
    ----------
    table : marked outputs
    weights : what an error weighs

    Returns
    -------
    The kinds of each system that were marked at least once, by system, then what weighs most.
    """
    penalties = Penalties(weights)
    counts: dict[tuple[str, str, str], list[float]] = {}
    for each in table.outputs:
        for mark in each.marks:
            if not mark.continues:
                kind = (each.system, mark.category, mark.severity)
                counts.setdefault(kind, []).append(penalties.of(mark))
    rows = [KindCount(*kind, len(found), math.fsum(found)) for kind, found in counts.items()]
    return sorted(
        rows, key=lambda row: (row.system, -row.penalty, -row.marks, row.category, row.severity)
    )


def judgement_table(table: SpanTable, weights: Weights) -> JudgementTable:
    """Return the penalties as judgements, for every method that takes a judgement table.

    Parameters
    ----------
    table : marked outputs
    weights : what an error weighs

    Returns
    -------
    One row of criterion "penalty" for each marked output, lower is better, and one of criterion
    "score" for each that the rater gave a score. What one rater judged for one item is a screen.

    Raises
    ------
    TableError : a severity has no weight
    """
    check_weights(table, weights)
    penalties = Penalties(weights)
    rows = [(each, PENALTY, penalties.total(each.marks)) for each in table.outputs]
    rows += [(each, SCORE, each.score) for each in table.outputs if each.score is not None]
    columns: dict[str, list[object]] = {
        "rater": [each.rater for each, _, _ in rows],
        "item": [each.item for each, _, _ in rows],
        "system": [each.system for each, _, _ in rows],
        "criterion": [criterion for _, criterion, _ in rows],
        "value": [value for _, _, value in rows],
        "screen": [f"{each.item}, {each.rater}" for each, _, _ in rows],
    }
    if any(each.document for each in table.outputs):
        columns["document"] = [each.document for each, _, _ in rows]
    return JudgementTable.from_columns(columns).in_order()
