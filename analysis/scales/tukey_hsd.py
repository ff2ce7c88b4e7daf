"""Tukey's honest significant differences, compact letters and SPSS's homogeneous subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import harmonic_mean

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.typing import Values

from .studentised_range import probabilities, quantile

# Beyond this many pairs, tails are interpolated between so many exact ones.
EXACT_PAIRS = 300
# With fewer, the 95 % quantile of two means is above 10^12, and takes minutes to find.
LEAST_DF = 0.1
TOO_FEW = "{:.2g} degrees of freedom are too few for an interval."


@dataclass(frozen=True)
class PairDifference:
    """The difference of two means (a minus b), simultaneous interval and adjusted p."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Subset:
    """Systems whose extreme means do not differ; `p` is that of the extremes."""

    systems: tuple[str, ...]
    p: float


@dataclass(frozen=True)
class Tukey:
    """All pairs, and both ways to group the systems, best mean first."""

    alpha: float
    mean_sq: float
    df: float
    harmonic_n: float
    pairs: tuple[PairDifference, ...]
    letters: dict[str, str]
    subsets: tuple[tuple[str, ...], ...]
    subset_p: tuple[float, ...]
    letters_method: str = "Tukey–Kramer p-values, insert-and-absorb (Piepho 2004)"
    subsets_method: str = "sorted means with harmonic-mean n (as SPSS prints them)"


def tukey(
    labels: Sequence[str],
    means: ArrayLike,
    sizes: ArrayLike,
    mean_sq: float,
    df: float,
    *,
    alpha: float = 0.05,
    higher_is_better: bool = True,
) -> Tukey:
    """Tukey–Kramer comparisons of all pairs, from an analysis of variance's residual.

    Parameters
    ----------
    labels : names of the systems
    means, sizes : shape (systems,), mean and number of values; a system without values must be left
        out
    mean_sq, df : residual mean square (squared unit of the values) and its degrees of freedom
    alpha : 1 − confidence of all pairs together
    higher_is_better : whether letters and subsets run from the largest mean down

    Returns
    -------
    Tukey : differences of all pairs with simultaneous intervals and p, letters, and homogeneous
        subsets

    Raises
    ------
    Undefined : fewer than two systems

    Source
    ------
    Tukey (1953), Kramer (1956) for unequal sizes; letters after Piepho (2004).
    """
    means, sizes = np.asarray(means, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if len(means) < 2:
        raise Undefined("Comparisons of pairs need at least two systems.")
    order = np.argsort(-means if higher_is_better else means, kind="stable")
    names = [labels[index] for index in order]
    means, sizes = means[order], sizes[order]
    first, second = np.triu_indices(len(means), 1)
    standard = np.sqrt(mean_sq / 2 * (1 / sizes[first] + 1 / sizes[second]))
    pairs = _pairs(names, means[first] - means[second], standard, df, alpha)
    differing = [
        (int(i), int(j)) for i, j, pair in zip(first, second, pairs, strict=True) if pair.p < alpha
    ]
    harmonic = harmonic_mean(sizes.tolist())
    subsets = homogeneous_subsets(names, means, mean_sq / harmonic, df, alpha)
    return Tukey(
        alpha=alpha,
        mean_sq=mean_sq,
        df=df,
        harmonic_n=harmonic,
        pairs=pairs,
        letters=dict(zip(names, compact_letters(len(names), differing), strict=True)),
        subsets=tuple(subset.systems for subset in subsets),
        subset_p=tuple(subset.p for subset in subsets),
    )


def _pairs(
    names: list[str], differences: Values, standard: Values, df: float, alpha: float
) -> tuple[PairDifference, ...]:
    """Each pair's difference with its simultaneous interval and p, in the order of the pairs."""
    tails = range_tail(np.abs(differences) / standard, len(names), df)
    widths = range_quantile(1 - alpha, len(names), df) * standard
    return tuple(
        PairDifference(one, other, float(d), float(d - w), float(d + w), float(p))
        for (one, other), d, w, p in zip(
            combinations(names, 2), differences, widths, tails, strict=True
        )
    )


def range_tail(statistics: Values, groups: int, df: float) -> Values:
    """Compute P(studentised range > q), within 1e-6; many values are interpolated between exact
    ones.

    Parameters
    ----------
    statistics : any shape
    groups : number of means
    df : of the residual

    Raises
    ------
    Undefined : there are nearly no degrees of freedom
    """
    _refuse_few(df)
    if len(statistics) <= EXACT_PAIRS:
        return _exact_tail(statistics, groups, df)

    grid = np.linspace(0.0, max(float(statistics.max()), 1e-6), EXACT_PAIRS)
    interpolated = scipy.interpolate.PchipInterpolator(grid, _exact_tail(grid, groups, df))(
        statistics
    )
    tail: Values = np.clip(interpolated, 0.0, 1.0)
    return tail


def _exact_tail(statistics: Values, groups: int, df: float) -> Values:
    tail: Values = np.clip(1.0 - probabilities(statistics, groups, df), 0.0, 1.0)
    return tail


@lru_cache(maxsize=1024)
def range_quantile(probability: float, groups: int, df: float) -> float:
    """Invert the studentised range of `groups` means; kept, as a report asks for it often.

    Parameters
    ----------
    probability : between 0 and 1
    groups : number of means
    df : of the residual

    Raises
    ------
    Undefined : there are so few degrees of freedom that no number is large enough
    """
    _refuse_few(df)
    try:
        return quantile(probability, groups, df)
    except ValueError as error:
        raise Undefined(TOO_FEW.format(df)) from error


def _refuse_few(df: float) -> None:
    if not df >= LEAST_DF:  # also where it is not a number
        raise Undefined(TOO_FEW.format(df))


def homogeneous_subsets(
    names: Sequence[str], means: Values, variance_of_mean: float, df: float, alpha: float
) -> tuple[Subset, ...]:
    """Find SPSS's subsets: longest runs of sorted means whose range is not significant.

    Parameters
    ----------
    names, means : the systems and their means, sorted; means have shape (systems,)
    variance_of_mean : the residual mean square over the harmonic mean of the sizes
    df : degrees of freedom of the residual
    alpha : level of the studentised range

    Returns
    -------
    tuple of Subset : its systems in their order, and the p of its range

    Source
    ------
    Tukey (1953), as SPSS prints it.
    """
    critical = range_quantile(1 - alpha, len(means), df) * np.sqrt(variance_of_mean)
    runs: list[tuple[int, int]] = []
    for start in range(len(means)):
        close = np.nonzero(np.abs(means - means[start]) <= critical)[0]
        end = int(close[-1])
        if not runs or end > runs[-1][1]:
            runs.append((start, end))
    ranges = np.array([abs(means[start] - means[end]) for start, end in runs])
    tails = range_tail(ranges / np.sqrt(variance_of_mean), len(means), df)
    return tuple(
        Subset(tuple(names[start : end + 1]), float(p))
        for (start, end), p in zip(runs, tails, strict=True)
    )


def compact_letters(count: int, differing: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Give each of `count` sorted systems its letters: two share one unless they differ.

    Insert-and-absorb: begin with one column that holds all; for each differing pair split every
    column that holds both; drop the columns that another one contains.

    Parameters
    ----------
    count : number of systems, which are numbered in their order
    differing : the pairs that were found to differ

    Returns
    -------
    The letters of each system, A for the first

    Source
    ------
    Piepho (2004).
    """
    columns = [(1 << count) - 1]
    for first, second in differing:
        both = (1 << first) | (1 << second)
        split = [column for column in columns if column & both == both]
        if not split:
            continue
        columns = [column for column in columns if column & both != both]
        parts = [column & ~(1 << member) for column in split for member in (first, second)]
        columns = _absorbed(columns, parts)
    columns.sort(key=lambda column: _members(column, count))
    letters = ["" for _ in range(count)]
    for number, column in enumerate(columns):
        for member in _members(column, count):
            letters[member] += letter_name(number)
    return tuple(letters)


def _absorbed(columns: list[int], parts: list[int]) -> list[int]:
    """Add the parts that no other column contains."""
    kept = list(columns)
    for position, part in enumerate(parts):
        others = kept + parts[position + 1 :]
        if not any(part & other == part for other in others):
            kept.append(part)
    return kept


def _members(column: int, count: int) -> tuple[int, ...]:
    return tuple(member for member in range(count) if column >> member & 1)


def letter_name(number: int) -> str:
    """Name a letter: A … Z, then a … z, then A′ … Z′ and so on with more primes.

    Parameters
    ----------
    number : from 0 on
    """
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return alphabet[number % 52] + "′" * (number // 52)


def split_letters(text: str) -> list[str]:
    """Split the letters of a system; a prime belongs to the letter before it.

    Parameters
    ----------
    text : letters, as `compact_letters` gives them
    """
    letters: list[str] = []
    for character in text:
        if character == "′":
            letters[-1] += character
        else:
            letters.append(character)
    return letters
