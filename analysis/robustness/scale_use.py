"""How raters use a scale, and whether the systems' order depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.scales.clustered import Within
from analysis.scales.codes import compact, distinct
from analysis.scales.outliers import z_by_rater
from analysis.typing import Codes, Values


@dataclass(frozen=True)
class RaterUse:
    """The part of the scale that one rater used."""

    rater: str
    lowest: float
    highest: float
    mean: float
    sd: float
    judgements: int


@dataclass(frozen=True)
class StandardisedRank:
    """A system's rank by least squares on values, and on values standardised within raters."""

    system: str
    rank: int
    rank_standardised: int


@dataclass(frozen=True)
class ScaleUse:
    """What raters made of the scale, from the widest spread to the narrowest.

    `at_lowest` and `at_highest` are the shares of all values at its ends. `constant` counts the
    raters who gave everything one value.
    """

    raters: tuple[RaterUse, ...]
    lowest: float
    highest: float
    at_lowest: float
    at_highest: float
    constant: int
    systems: tuple[StandardisedRank, ...]


def scale_use(
    values: Values,
    systems: Codes,
    labels: Sequence[str],
    raters: Codes,
    names: Sequence[str],
    *,
    blocks: Codes,
    higher_is_better: bool = True,
) -> ScaleUse:
    """Describe raters' use of the scale, and rank systems with it made equal.

    Parameters
    ----------
    values : shape (judgements,)
    systems, raters : shape (judgements,), codes into `labels` and `names`
    labels : names of the systems
    names : of the raters
    blocks : shape (judgements,), parts of a rater's judgements with a level of their own
    higher_is_better : false: the lowest mean comes first

    Raises
    ------
    Undefined : there is one rater, one system, or no variation

    Source
    ------
    Standardised values: Graham et al. (2013).
    """
    if distinct(raters) < 2:
        raise Undefined("With one rater there is no other use of the scale to compare.")
    if distinct(systems) < 2:
        raise Undefined("With one system there is no order that could change.")
    sizes = np.bincount(raters, minlength=len(names))
    means = np.bincount(raters, values, minlength=len(names)) / np.maximum(sizes, 1)
    squares = np.bincount(raters, (values - means[raters]) ** 2, minlength=len(names))
    spread = np.sqrt(squares / np.maximum(sizes - 1, 1))
    lowest, highest = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    np.minimum.at(lowest, raters, values)
    np.maximum.at(highest, raters, values)
    bottom, top = float(values.min()), float(values.max())
    plain = _ranks(values, systems, blocks, higher_is_better)
    equal = _ranks(z_by_rater(values, raters)[0], systems, blocks, higher_is_better)
    return ScaleUse(
        tuple(
            RaterUse(
                names[k],
                float(lowest[k]),
                float(highest[k]),
                float(means[k]),
                float(spread[k]),
                int(sizes[k]),
            )
            for k in np.argsort(-spread, kind="stable").tolist()
            if sizes[k]
        ),
        bottom,
        top,
        float(np.mean(values == bottom)),
        float(np.mean(values == top)),
        int(np.sum((sizes > 1) & (spread == 0))),
        tuple(
            StandardisedRank(labels[k], int(plain[k]), int(equal[k]))
            for k in np.argsort(plain).tolist()
        ),
    )


def _ranks(values: Values, systems: Codes, blocks: Codes, higher: bool) -> Codes:
    dense = compact(blocks)
    estimates = Within.of(values - values.mean(), systems, dense).coefficients
    best_first = -estimates if higher else estimates
    ranks: Codes = scipy.stats.rankdata(best_first, method="ordinal")
    return ranks
