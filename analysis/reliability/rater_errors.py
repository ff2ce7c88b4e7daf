"""Each rater's bias and inconsistency, after the maximum likelihood of ITU-T P.910."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.scales.codes import compact, in_use, renumber
from analysis.typing import Codes, Values

MOST_ITERATIONS = 1000
# Below this share of the typical inconsistency, the likelihood follows a single rater.
LEAST_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class RaterErrors:
    """By rater: bias (their mean is 0), its standard error, and inconsistency; NaN where unknown.

    `quality` is that of the outputs that two raters or more judged, without the raters' errors.
    """

    bias: Values
    bias_se: Values
    inconsistency: Values
    quality: Values


def rater_errors(
    values: Values, outputs: Codes, raters: Codes, *, restricted: bool = True
) -> RaterErrors:
    """Estimate value = quality of the output + bias of the rater + inconsistency × a normal error.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    outputs, raters : shape (judgements,), codes; outputs with a single rater are left out
    restricted : divide squares by the degrees of freedom that qualities and biases leave. The
        Recommendation's own likelihood has no such correction: with few raters of an output, it
        grows without limit as the quality follows a single rater

    Returns
    -------
    RaterErrors : bias and inconsistency in the unit of `values`, shape (raters,)

    Raises
    ------
    Undefined : no output has two raters, fewer than three raters, raters that shared outputs do
        not link, no convergence, or a likelihood without a maximum

    Source
    ------
    ITU-T P.910 (2023), Annex E; Li, Bampis, Krasula, Janowski & Katsavounidis (2020), alternating
    projection.
    """
    cells = in_use(outputs * (int(raters.max()) + 1) + raters)
    judges = np.bincount(cells // (int(raters.max()) + 1), minlength=int(outputs.max()) + 1)
    shared = judges[outputs] > 1
    if not shared.any():
        raise Undefined("No output was judged by two raters.")
    count = int(raters.max()) + 1
    values = values[shared]
    units = compact(outputs[shared])
    known, judge = renumber(raters[shared])
    if len(known) < 3:
        raise Undefined("Only three raters or more can be told apart by their inconsistency.")
    _require_links(units, judge)
    sizes = np.bincount(judge)
    quality, bias, spread = _alternate(values, units, judge, restricted)
    found = np.full((3, count), np.nan)
    found[:, known] = bias - bias.mean(), spread / np.sqrt(sizes), spread
    return RaterErrors(found[0], found[1], found[2], quality + bias.mean())


def _alternate(
    values: Values, units: Codes, judge: Codes, restricted: bool
) -> tuple[Values, Values, Values]:
    sizes = np.bincount(judge)
    weights = np.ones(len(values))
    quality = np.bincount(units, values) / np.bincount(units)
    bias = np.bincount(judge, values - quality[units]) / sizes
    for _ in range(MOST_ITERATIONS):
        residuals = values - quality[units] - bias[judge]
        shares = weights / np.bincount(units, weights)[units]
        free = np.bincount(judge, 1 - shares) - 1 if restricted else sizes
        spread = np.sqrt(np.bincount(judge, residuals**2) / np.maximum(free, 1e-9))
        typical = float(np.sqrt(np.mean(residuals**2)))
        if typical <= 1e-9 * float(values.std()) or spread.min() < LEAST_SHARE * typical:
            raise Undefined(
                "Too few raters judged the same outputs: the likelihood would follow one of them."
            )
        weights = 1 / spread[judge] ** 2
        before = quality
        quality = np.bincount(units, weights * (values - bias[judge])) / np.bincount(units, weights)
        bias = np.bincount(judge, values - quality[units]) / sizes
        if float(np.linalg.norm(quality - before)) < 1e-9 * np.linalg.norm(quality):
            return quality, bias, spread
    raise Undefined("The estimates of the raters' errors did not converge.")


def _require_links(units: Codes, judge: Codes) -> None:
    """Refuse groups of raters that share no output: their biases cannot be compared."""
    first = int(units.max()) + 1
    size = first + int(judge.max()) + 1
    links = scipy.sparse.coo_matrix((np.ones(len(units)), (units, first + judge)), (size, size))
    if scipy.sparse.csgraph.connected_components(links, directed=False)[0] > 1:
        raise Undefined(
            "Some groups of raters share no output, so their biases cannot be compared."
        )
