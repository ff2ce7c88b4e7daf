"""Metrics against people: everything that is said about them, in one result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.errors import Undefined
from analysis.text_metrics.score_files import MetricScores
from analysis.typing import Progress, Values

from .ceiling import Ceiling, ceiling
from .metric_tests import MetricPair, clusters, perm_both, perm_pairs, williams
from .pairs_within import PairsWithin, PairsWithPeople
from .people import People
from .segment_level import SegmentLevel, segment_level
from .soft_pairwise import (
    accuracy_of,
    interval_over_systems,
    pairwise_p_values,
    random_signs,
    soft_pairwise_distances,
)
from .system_level import (
    FEW_SYSTEMS,
    UNITS,
    Interval,
    Redrawn,
    SystemLevel,
    intervals_of,
    pearson_rows,
    redraw,
    system_level,
)


@dataclass(frozen=True)
class MetricOptions:
    """`resamples` are of each bootstrap, `permutations` of each test."""

    seed: int = 1
    alpha: float = 0.05
    permutations: int = 1000
    resamples: int = 1000


@dataclass(frozen=True)
class SystemPoint:
    """A system's mean judgement and a metric's score, with intervals over items.

    The score is as the metric gives it: where lower is better, lower is better here too. A score
    that was given for the whole system has no interval.
    """

    metric: str
    system: str
    people: float
    people_interval: tuple[float, float] | None
    score: float
    score_interval: tuple[float, float] | None


@dataclass(frozen=True)
class MetricReport:
    """Metrics in the order of the file; tests by pair, the closer metric first.

    `correlations` is Pearson's r over systems of people (first) and all metrics with each other.
    """

    system_level: tuple[SystemLevel, ...]
    segment_level: tuple[SegmentLevel, ...]
    system_tests: tuple[MetricPair, ...]
    segment_tests: tuple[MetricPair, ...]
    system_clusters: dict[str, int]
    segment_clusters: dict[str, int]
    ceiling: tuple[Ceiling, ...]
    sentences: tuple[str, ...]
    points: tuple[SystemPoint, ...] = ()
    correlations: tuple[tuple[float | None, ...], ...] = ()


def metrics_against_people(
    people: People,
    scores: MetricScores,
    options: MetricOptions | None = None,
    *,
    progress: Progress = lambda share: None,
) -> MetricReport:
    """Compare metrics with human judgements about systems and about single outputs.

    Parameters
    ----------
    people : the judgements on one criterion
    scores : of the metrics
    options : seed, confidence and sizes of simulations
    progress : told the share that is done

    Returns
    -------
    All measures, tests, clusters and the ceiling, with sentences about what they can claim.

    Raises
    ------
    Undefined : judgements and scores have fewer than two systems in common

    Source
    ------
    Thompson, Mathur, Deutsch & Khayrallah (2024), soft pairwise accuracy; Deutsch, Foster & Freitag
    (2023), ties; Deutsch, Dror & Roth (2021) and Williams (1959), tests between metrics
    """
    options = options or MetricOptions()
    _require_overlap(people, scores)
    ours = scores.aligned(people.systems, people.items)
    # A system's score may rest on items that nobody judged.
    whole = scores.aligned(people.systems, scores.items).system_scores
    redrawn = _redrawn(people, ours, options)
    systems = _system_levels(people, ours, whole, redrawn, options)
    progress(0.4)
    paired = PairsWithPeople(people.cells)
    pairs = [paired.of(scores_of_outputs) for scores_of_outputs in ours.segments]
    segments = _segment_levels(people, ours, pairs, options)
    progress(0.6)
    system_tests = _system_tests(people, ours, whole, systems, options)
    progress(0.8)
    segment_tests = _segment_tests(ours, people.cells, pairs, segments, options)
    progress(0.9)
    reached = ceiling(people, ours.metrics, ours.segments)
    return MetricReport(
        system_level=systems,
        segment_level=segments,
        system_tests=system_tests,
        segment_tests=segment_tests,
        system_clusters=_clusters(
            [(each.metric, each.pearson) for each in systems], system_tests, options.alpha
        ),
        segment_clusters=_clusters(
            [(each.metric, each.acc_eq) for each in segments], segment_tests, options.alpha
        ),
        ceiling=reached,
        sentences=(
            *_sentences(systems, segments, scores, whole),
            *_about_raters(people, reached),
        ),
        points=tuple(_points(people, ours, whole, redrawn["items"], options.alpha)),
        correlations=_matrix(people.system_scores, whole),
    )


def _segment_levels(
    people: People, ours: MetricScores, pairs: Sequence[PairsWithin], options: MetricOptions
) -> tuple[SegmentLevel, ...]:
    return tuple(
        segment_level(
            name,
            people.cells,
            scores,
            seed=options.seed,
            resamples=options.resamples,
            alpha=options.alpha,
            systems=people.systems,
            pairs=of_metric,
        )
        for name, scores, of_metric in zip(ours.metrics, ours.segments, pairs, strict=True)
    )


def _require_overlap(people: People, scores: MetricScores) -> None:
    common = set(people.systems) & set(scores.systems)
    if len(common) < 2:
        raise Undefined(
            "The judgements and the scores have fewer than two systems in common. "
            f"Judged: {', '.join(people.systems[:10])}. Scored: {', '.join(scores.systems[:10])}."
        )


def _redrawn(people: People, ours: MetricScores, options: MetricOptions) -> dict[str, Redrawn]:
    """Scores of systems over resampled systems, items and raters; a single rater is not drawn."""
    sizes = {"seed": options.seed, "resamples": options.resamples}
    return {
        unit: redraw(people, ours.segments, ours.whole, unit, **sizes)
        for unit in UNITS
        if unit != "raters" or len(people.raters) > 1
    }


def _points(
    people: People, ours: MetricScores, whole: Values, items: Redrawn, alpha: float
) -> Iterator[SystemPoint]:
    humans = people.system_scores
    people_sign = -1.0 if people.turned else 1.0
    for number, name in enumerate(ours.metrics):
        sign = -1.0 if name in ours.turned else 1.0
        for place, system in enumerate(people.systems):
            if np.isnan(whole[number, place]):
                continue
            drawn = items.metrics[number, :, place]
            given = not np.isnan(ours.whole[number, place]) or np.isnan(drawn).all()
            yield SystemPoint(
                name,
                system,
                float(people_sign * humans[place]),
                _percentiles(people_sign * items.people[:, place], alpha),
                float(sign * whole[number, place]),
                None if given else _percentiles(sign * drawn, alpha),
            )


def _percentiles(drawn: Values, alpha: float) -> tuple[float, float] | None:
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2:
        return None
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _matrix(people: Values, whole: Values) -> tuple[tuple[float | None, ...], ...]:
    """Pearson's r over the systems that both have, None where there are fewer than three."""
    rows = [people, *whole]
    return tuple(tuple(_pearson_of(a, b) for b in rows) for a in rows)


def _pearson_of(a: Values, b: Values) -> float | None:
    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < 3:
        return None
    r = float(pearson_rows(a[known][None], b[known][None])[0])
    return None if np.isnan(r) else r


def _system_levels(
    people: People,
    ours: MetricScores,
    whole: Values,
    redrawn: dict[str, Redrawn],
    options: MetricOptions,
) -> tuple[SystemLevel, ...]:
    cells = people.cells
    distances = soft_pairwise_distances(
        cells, ours.segments, permutations=options.permutations, seed=options.seed
    )
    judged = cells[:, ~np.isnan(cells).all(axis=0)]
    signs = random_signs(judged.shape[1], permutations=options.permutations, seed=options.seed)
    p_values = pairwise_p_values(judged, signs)
    scores = people.system_scores
    return tuple(
        system_level(
            name,
            scores,
            whole[number],
            people.systems,
            soft=accuracy_of(distances[number]),
            p_values=p_values,
            alpha=options.alpha,
            intervals={
                unit: {
                    **intervals_of(each, number, options.alpha),
                    **(_soft_interval(distances[number], options) if unit == "systems" else {}),
                }
                for unit, each in redrawn.items()
            },
        )
        for number, name in enumerate(ours.metrics)
    )


def _soft_interval(distances: Values, options: MetricOptions) -> dict[str, Interval | None]:
    interval = interval_over_systems(
        distances, seed=options.seed, resamples=options.resamples, alpha=options.alpha
    )
    return {"soft_pairwise_accuracy": interval}


# --- tests ---------------------------------------------------------------------------------------


def _system_tests(
    people: People,
    ours: MetricScores,
    whole: Values,
    found: Sequence[SystemLevel],
    options: MetricOptions,
) -> tuple[MetricPair, ...]:
    """PERM-BOTH for Pearson's r, and Williams' test; metrics that lack a system stay out."""
    humans = people.system_scores
    usable = [n for n, each in enumerate(found) if each.pearson is not None]
    if not usable:
        return ()
    known = ~np.isnan(whole[usable]).any(axis=0)
    if known.sum() < 3 or len(usable) < 2:
        return ()
    order = sorted(usable, key=lambda n: -(found[n].pearson or 0.0))
    pairs = [(worse, better) for better, worse in combinations(order, 2)]
    by_cells = {
        n: np.isnan(ours.whole[n]).all() and not np.isnan(ours.segments[n][known]).any()
        for n in usable
    }
    groups = (
        ([pair for pair in pairs if all(by_cells[n] for n in pair)], ours.segments[:, known]),
        ([pair for pair in pairs if not all(by_cells[n] for n in pair)], whole[:, known, None]),
    )
    tested: dict[tuple[int, int], tuple[float, float]] = {}
    for some, values in groups:
        if some:
            results = perm_both(
                humans[known],
                values,
                some,
                pearson_rows,
                seed=options.seed,
                permutations=options.permutations,
            )
            tested |= dict(zip(some, results, strict=True))
    r = {n: float(pearson_rows(humans[known][None], whole[n, known][None])[0]) for n in usable}
    return tuple(
        MetricPair(
            ours.metrics[better],
            ours.metrics[worse],
            tested[worse, better][0],
            tested[worse, better][1],
            williams=williams(
                r[better],
                r[worse],
                float(pearson_rows(whole[better, known][None], whole[worse, known][None])[0]),
                int(known.sum()),
            ),
        )
        for worse, better in pairs
    )


def _segment_tests(
    ours: MetricScores,
    cells: Values,
    pairs: Sequence[PairsWithin],
    found: Sequence[SegmentLevel],
    options: MetricOptions,
) -> tuple[MetricPair, ...]:
    """Test pairs of calibrated accuracies over the outputs that both metrics score."""
    usable = [n for n, each in enumerate(found) if each.acc_eq is not None]
    order = sorted(usable, key=lambda n: -(found[n].acc_eq or 0.0))
    right = {n: pairs[n].right(found[n].epsilon or 0.0) for n in usable}
    known = {n: np.isnan(ours.segments[n]) for n in usable}
    tested = []
    for better, worse in combinations(order, 2):
        common, of_worse, of_better = pairs[better], right[worse], right[better]
        if not np.array_equal(known[better], known[worse]):
            both = np.where(known[better] | known[worse], np.nan, cells)
            paired = PairsWithPeople(both)
            parts = [paired.of(ours.segments[n]) for n in (worse, better)]
            common = parts[0]
            if not len(common.group):
                continue
            of_worse, of_better = (
                part.right(found[n].epsilon or 0.0)
                for part, n in zip(parts, (worse, better), strict=True)
            )
        difference, p, p_items = perm_pairs(
            common,
            of_worse,
            of_better,
            seed=options.seed,
            permutations=options.permutations,
        )
        tested.append(MetricPair(ours.metrics[better], ours.metrics[worse], difference, p, p_items))
    return tuple(tested)


def _clusters(
    values: Sequence[tuple[str, float | None]], tests: Sequence[MetricPair], alpha: float
) -> dict[str, int]:
    known = [(name, value) for name, value in values if value is not None]
    order = [name for name, value in sorted(known, key=lambda each: -each[1])]
    return clusters(order, {(each.a, each.b): each.p for each in tests}, alpha)


# --- what can be claimed -------------------------------------------------------------------------


def _about_raters(people: People, reached: Sequence[Ceiling]) -> Iterator[str]:
    if len(people.raters) < 2:
        yield "There is only one rater, so nothing can be said about other raters."
    elif not reached[0].reason:
        yield (
            "The ceiling is what a rater reaches who is compared with the others. A metric above "
            "it predicts their mean better than one person does, because one person is noisy; it "
            "does not show that the metric could replace people."
        )


def _sentences(
    systems: Sequence[SystemLevel],
    segments: Sequence[SegmentLevel],
    scores: MetricScores,
    whole: Values,
) -> list[str]:
    found = []
    count = max((each.systems for each in systems), default=0)
    if count < FEW_SYSTEMS:
        found.append(
            f"There are only {count} systems. With fewer than {FEW_SYSTEMS}, an interval over "
            "systems covers nearly everything: these figures cannot say how well a metric would "
            "do with other systems."
        )
    found.append(
        "Intervals answer different questions: other systems, other items or other raters. "
        "None of them covers all three at once."
    )
    if any(each.acc_eq is not None for each in segments):
        found.append(
            "The tie threshold ε was chosen on the same data, which favours metrics with many "
            "distinct values; the cross-fitted accuracy takes it from other items."
        )
        found.append(
            "The p-value by pairs swaps single pairs, as WMT does, although pairs share outputs; "
            "the one by items is the careful one. p-values are for each pair of metrics alone."
        )
    if scores.turned:
        found.append(f"Lower is better, so the sign was changed: {', '.join(scores.turned)}.")
    if missing := [
        name for name, row in zip(scores.metrics, whole, strict=True) if np.isnan(row).any()
    ]:
        found.append(f"Some judged systems have no score of: {', '.join(missing)}.")
    return found
