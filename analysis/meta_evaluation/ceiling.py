"""The agreement of one rater with the others: the ceiling for metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.scales.codes import cross_sums
from analysis.scales.rank_tests import block_means
from analysis.typing import Values

from .pairs_within import PairsWithin, PairsWithPeople
from .people import People
from .system_level import accuracy_rows, pearson_rows
from .tie_calibration import tie_calibration

HELD_OUT = "held-out rater"
# Raters with the most judgements; more of them change a mean little.
MOST_RATERS = 200


@dataclass(frozen=True)
class Ceiling:
    """Agreement with the other raters, on exactly the outputs that the held-out rater judged.

    `metric` is `held-out rater` or the name of a metric, whose numbers are about the same outputs
    and the same other raters; so they can be compared with the rater's (and with nothing else).
    """

    metric: str
    acc_eq: float | None
    pearson_systems: float | None
    pairwise_accuracy: float | None
    raters: int
    outputs: int
    reason: str = ""


def ceiling(people: People, metrics: Sequence[str], segments: Values) -> tuple[Ceiling, ...]:
    """Hold out each rater in turn and compare the rater and all metrics with the rest.

    Parameters
    ----------
    people : the judgements
    metrics : names
    segments : shape (metrics, systems, items), as the judgements number them

    Returns
    -------
    The held-out rater first, then the metrics that have scores of single outputs; means over
    raters for whole systems, and over raters and items for pairs of outputs.
    """
    names = (HELD_OUT, *metrics)
    pairs: list[list[PairsWithin]] = [[] for _ in names]
    systems: list[list[tuple[float, float]]] = [[] for _ in names]
    held_out = outputs = 0
    for own, rest, items in _held_out(people):
        held_out += 1
        outputs += int((~np.isnan(own)).sum())
        paired = PairsWithPeople(rest)
        for number, scores in enumerate((own, *segments[:, :, items])):
            pairs[number].append(paired.of(scores))
            systems[number].append(_of_systems(rest, scores))
    if not held_out:
        reason = "No output was judged by two raters."
        return (Ceiling(HELD_OUT, None, None, None, 0, 0, reason),)
    found = []
    for number, name in enumerate(names):
        accuracy = tie_calibration(*pairs[number]).accuracy
        if accuracy is None and number:
            continue
        r, right = (_mean(column) for column in zip(*systems[number], strict=True))
        found.append(Ceiling(name, accuracy, r, right, held_out, outputs))
    return tuple(found)


def _held_out(people: People) -> list[tuple[Values, Values, Values]]:
    """For each rater: the rater's means of outputs, those of the others, and the items."""
    shape = (len(people.systems), len(people.items))
    counts = cross_sums(people.system, people.item, shape)
    sums = cross_sums(people.system, people.item, shape, people.value)
    judged = np.bincount(people.rater, minlength=len(people.raters))
    rows_of = np.split(np.argsort(people.rater, kind="stable"), np.cumsum(judged)[:-1])
    found = []
    for rater in np.argsort(-judged, kind="stable")[:MOST_RATERS]:
        rows = rows_of[rater]
        cells = (people.system[rows], people.item[rows])
        shared = rows[counts[cells] > cross_sums(*cells, shape)[cells]]
        if not len(shared):
            continue
        items, place = np.unique(people.item[shared], return_inverse=True)
        small = (shape[0], len(items))
        systems, values = people.system[shared], people.value[shared]
        own = block_means(values, systems, place, small)
        others = sums[:, items] - cross_sums(systems, place, small, values)
        left = counts[:, items] - cross_sums(systems, place, small)
        is_known = ~np.isnan(own) & (left > 0)
        rest = np.divide(others, left, out=np.full(small, np.nan), where=is_known)
        found.append((own, rest, items))
    return found


def _of_systems(rest: Values, scores: Values) -> tuple[float, float]:
    """Pearson's r and pairwise accuracy over the systems of one rater, NaN where undefined."""
    known = ~(np.isnan(rest) | np.isnan(scores))
    used = known.any(axis=1)
    if used.sum() < 3:
        return np.nan, np.nan
    means = [
        (np.where(known, each, 0.0).sum(axis=1)[used] / known.sum(axis=1)[used])[None]
        for each in (rest, scores)
    ]
    return float(pearson_rows(*means)[0]), float(accuracy_rows(*means)[0])


def _mean(values: Sequence[float]) -> float | None:
    known = [each for each in values if not np.isnan(each)]
    return float(np.mean(known)) if known else None
