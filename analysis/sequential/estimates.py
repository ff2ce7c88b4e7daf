"""Each pair's mean difference over raters, with errors clustered by raters and by items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.scales.rater_tests import Comparisons, pair_codes
from analysis.typing import Codes, Flags, Values


@dataclass(frozen=True, eq=False)
class Estimates:
    """Arrays of shape (pairs,); NaN where a pair has too few units for an error."""

    difference: Values
    error: Values
    raters: NDArray[np.int64]
    items: NDArray[np.int64]


def estimates(found: Comparisons, kept: Flags, systems: int, generality: str = "both") -> Estimates:
    """Average each pair's differences within raters, and these means over raters.

    Every rater has the same weight, however much they judged. The error is that of `raters`, or
    with `both` never smaller than that of raters or of items alone. Where all raters say exactly
    the same, it is that of as many coins.

    Parameters
    ----------
    found : comparisons by one rater on one item
    kept : shape (comparisons,), those that count
    systems : how many there are
    generality : `raters` or `both`

    Source
    ------
    Cameron, Gelbach & Miller (2011); MacKinnon, Nielsen & Webb (2021).
    """
    number = systems * (systems - 1) // 2
    pair = pair_codes(found, systems)[kept]
    rater, item, value = found.rater[kept], found.item[kept], found.difference[kept]
    cells, cell = np.unique(_joined(pair, rater), return_inverse=True)
    sizes = np.bincount(cell).astype(np.float64)
    of_pair = _pair_of(cells, rater)
    raters = np.bincount(of_pair, minlength=number)
    weight = 1 / (sizes[cell] * np.maximum(raters, 1)[pair])
    mean = np.bincount(pair, weight * value, minlength=number)
    residual = weight * (value - mean[pair])
    by_rater, _ = _clustered(pair, rater, residual, number)
    variance = by_rater
    by_item, items = _clustered(pair, item, residual, number)
    if generality == "both":
        by_both, _ = _clustered(pair, _joined(rater, item), residual, number)
        variance = np.max([by_rater + by_item - by_both, by_rater, by_item], axis=0)
    largest = np.zeros(number)
    np.maximum.at(largest, pair, np.abs(value))
    alike = variance <= 1e-12 * largest**2
    variance = np.where(alike, largest**2 / np.maximum(raters, 1), variance)
    enough = (raters >= 2) & (largest > 0)
    difference: Values = np.where(raters > 0, mean, np.nan)
    return Estimates(difference, np.where(enough, np.sqrt(variance), np.nan), raters, items)


def _joined(first: Codes, second: Codes) -> NDArray[np.int64]:
    return first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second


def _pair_of(cells: NDArray[np.int64], units: Codes) -> NDArray[np.int64]:
    return cells // (int(units.max(initial=0)) + 1)


def _clustered(
    pair: Codes, units: Codes, residual: Values, number: int
) -> tuple[Values, NDArray[np.int64]]:
    """Variance of each pair's mean, clustered by units, and the number of these."""
    cells, cell = np.unique(_joined(pair, units), return_inverse=True)
    of_pair = _pair_of(cells, units)
    count = np.bincount(of_pair, minlength=number)
    squares = np.bincount(of_pair, np.bincount(cell, residual) ** 2, minlength=number)
    variance: Values = squares * count / np.maximum(count - 1, 1)
    return variance, count
