"""Circles of preference: A is preferred to B, B to C, and C to A, which no ranking can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.scales.preferences import preferences
from analysis.scales.rater_tests import Comparisons
from analysis.typing import Values

MOST_SYSTEMS = 60  # beyond, there are more than 34,000 triples
MOST_SHOWN = 5


@dataclass(frozen=True)
class Step:
    """A preference in a circle, with an interval that holds for all pairs of systems together."""

    a: str
    b: str
    share: float
    low: float | None
    high: float | None
    comparisons: int


@dataclass(frozen=True)
class Cycle:
    """Three systems, each preferred to the next, and the last to the first."""

    steps: tuple[Step, Step, Step]
    is_claimed: bool


@dataclass(frozen=True)
class Cycles:
    """How many triples of systems go in a circle, and of how many that can be claimed.

    `shown` has the surest ones first. `triples` counts those whose three pairs were compared.
    """

    triples: int
    found: int
    claimed: int
    shown: tuple[Cycle, ...]
    alpha: float


def cycles(
    found: Comparisons, labels: Sequence[str], *, alpha: float = 0.05, generality: str = "both"
) -> Cycles:
    """Look for circles among the majorities of every three systems.

    In a circle that does not exist, one of the three preferences at least does not hold. So a
    circle is claimed where all three intervals lie above ½ that hold for all pairs of systems
    together, and the chance of any false circle is at most alpha.

    Parameters
    ----------
    found : comparisons by the same rater on the same item
    labels : names of the systems
    alpha : level of all circles together
    generality : what claims are about: new `raters`, new `items` or `both`

    Raises
    ------
    Undefined : fewer than three systems that were all compared, or too many

    Source
    ------
    Condorcet (1785); intersection–union tests: Berger (1982).
    """
    number = len(labels)
    if number < 3:
        raise Undefined("A circle of preferences needs three systems.")
    if number > MOST_SYSTEMS:
        raise Undefined(f"Circles are looked for among at most {MOST_SYSTEMS} systems.")
    level = alpha / (number * (number - 1) / 2)
    place = {name: k for k, name in enumerate(labels)}
    share, low = np.full((number, number), np.nan), np.full((number, number), -np.inf)
    steps: dict[tuple[int, int], Step] = {}
    for each in preferences(found, labels, alpha=level, generality=generality):
        a, b = place[each.a], place[each.b]
        share[a, b], share[b, a] = each.share, 1 - each.share
        flipped: tuple[float | None, float | None] = (None, None)
        if each.low is not None and each.high is not None:
            low[a, b], low[b, a] = each.low, 1 - each.high
            flipped = (1 - each.high, 1 - each.low)
        steps[a, b] = Step(each.a, each.b, each.share, each.low, each.high, each.comparisons)
        steps[b, a] = Step(each.b, each.a, 1 - each.share, *flipped, each.comparisons)
    is_compared = ~np.isnan(share)
    met = is_compared.astype(np.int64)
    triples = int(np.trace(met @ met @ met)) // 6
    if not triples:
        raise Undefined("No three systems were all judged side by side.")
    beats = np.where(is_compared, share, 0.0) > 0.5
    circles = [
        (a, int(b), int(c))
        for a in range(number)
        for b in np.flatnonzero(beats[a, a + 1 :]) + a + 1
        for c in np.flatnonzero(beats[b] & beats[:, a])
        if c > a
    ]
    surest = sorted(circles, key=lambda each: _weakest(low, share, each), reverse=True)
    claimed = [_weakest(low, share, each)[0] > 0.5 for each in surest]
    return Cycles(
        triples=triples,
        found=len(circles),
        claimed=sum(claimed),
        shown=tuple(
            Cycle((steps[a, b], steps[b, c], steps[c, a]), is_claimed)
            for (a, b, c), is_claimed in zip(surest[:MOST_SHOWN], claimed, strict=False)
        ),
        alpha=alpha,
    )


def _weakest(low: Values, share: Values, circle: tuple[int, int, int]) -> tuple[float, float]:
    """Return the lowest bound and the lowest share of a circle's three preferences."""
    a, b, c = circle
    steps = [(a, b), (b, c), (c, a)]
    return min(float(low[step]) for step in steps), min(float(share[step]) for step in steps)
