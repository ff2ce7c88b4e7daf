"""How well a study's scores of systems were reproduced by another one (QRA)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined

# A correlation of two systems is always 1 or −1.
LEAST_CORRELATED = 3


@dataclass(frozen=True)
class Reproduced:
    """A system's score in both studies, and their CV* in percent (None where it is undefined)."""

    system: str
    earlier: float
    now: float
    cv: float | None


# The pairs of systems that a study tells apart: the better one first.
Claims = Collection[tuple[str, str]]


@dataclass(frozen=True)
class Conclusions:
    """Counts pairs of systems by what two studies conclude about them.

    `same` has those that both tell apart in the same direction, or neither tells apart.
    """

    same: int
    earlier_only: int
    now_only: int
    opposite: int


@dataclass(frozen=True)
class Reproduction:
    """Two studies of one criterion, over the systems that both have.

    `same_order` counts the pairs of systems that both order alike, of `pairs`. Ties are the same
    order where both have them. `conclusions` is None where a study's are not known. `pearson` and
    `spearman` need three systems, and scores that differ.
    """

    criterion: str
    systems: tuple[Reproduced, ...]
    mean_cv: float | None
    pearson: float | None
    spearman: float | None
    same_order: int
    pairs: int
    missing: tuple[str, ...] = ()
    conclusions: Conclusions | None = None


def small_sample_cv(values: ArrayLike, *, lowest: float = 0.0) -> float:
    """Return the coefficient of variation for small samples (CV*), in percent.

    The standard deviation is unbiased for normal values (divided by c4), and so is the coefficient
    for small samples (times 1 + 1/4n).

    Parameters
    ----------
    values : shape (studies,), scores of the same system in at least two studies
    lowest : the lowest score of the scale, which is moved to 0

    Raises
    ------
    Undefined : fewer than two scores, or a mean that is not above the lowest score

    Source
    ------
    Belz, Popović & Mille (2022).
    """
    scores = np.asarray(values, dtype=np.float64) - lowest
    count = len(scores)
    if count < 2:
        raise Undefined("CV* needs the scores of at least two studies.")
    if (mean := float(scores.mean())) <= 0:
        raise Undefined("CV* needs scores whose mean is above the lowest score of the scale.")
    c4 = math.sqrt(2 / (count - 1)) * math.exp(
        math.lgamma(count / 2) - math.lgamma((count - 1) / 2)
    )
    return float((1 + 1 / (4 * count)) * 100 * scores.std(ddof=1) / c4 / mean)


def reproduction(
    criterion: str,
    earlier: Mapping[str, float],
    now: Mapping[str, float],
    *,
    lowest: float = 0.0,
    claims: tuple[Claims, Claims] | None = None,
) -> Reproduction:
    """Compare the scores of two studies.

    Parameters
    ----------
    criterion : its name
    earlier, now : the systems' scores in each study, such as their means
    lowest : the lowest score of the scale, the same in both studies
    claims : the pairs that each study tells apart, if both are known

    Raises
    ------
    Undefined : no system has scores in both
    """
    names = [name for name in now if name in earlier]
    if not names:
        raise Undefined("No system is in both studies.")
    rows = tuple(
        Reproduced(name, earlier[name], now[name], _cv(earlier[name], now[name], lowest))
        for name in names
    )
    known = [row.cv for row in rows if row.cv is not None]
    before, after = ([getattr(row, study) for row in rows] for study in ("earlier", "now"))
    pairs = list(combinations(range(len(rows)), 2))
    same = sum(np.sign(before[i] - before[j]) == np.sign(after[i] - after[j]) for i, j in pairs)
    can_correlate = len(names) >= LEAST_CORRELATED and len({*before}) > 1 and len({*after}) > 1
    return Reproduction(
        criterion,
        rows,
        float(np.mean(known)) if known else None,
        float(scipy.stats.pearsonr(before, after)[0]) if can_correlate else None,
        float(scipy.stats.spearmanr(before, after)[0]) if can_correlate else None,
        int(same),
        len(pairs),
        tuple(sorted({*earlier, *now} - {*names})),
        None if claims is None else _conclusions(names, *claims),
    )


def _conclusions(names: Sequence[str], earlier: Claims, now: Claims) -> Conclusions:
    counts = {"same": 0, "earlier_only": 0, "now_only": 0, "opposite": 0}
    for a, b in combinations(names, 2):
        before, after = (_direction(a, b, claims) for claims in (earlier, now))
        if before == after:
            counts["same"] += 1
        elif not after:
            counts["earlier_only"] += 1
        elif not before:
            counts["now_only"] += 1
        else:
            counts["opposite"] += 1
    return Conclusions(**counts)


def _direction(a: str, b: str, claims: Claims) -> int:
    return ((a, b) in claims) - ((b, a) in claims)


def _cv(earlier: float, now: float, lowest: float) -> float | None:
    try:
        return small_sample_cv([earlier, now], lowest=lowest)
    except Undefined:
        return None
