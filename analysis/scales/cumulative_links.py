"""Links of ordinal models: the probability of a value between two thresholds, and its slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logit, ndtr, ndtri

from analysis.typing import Values


class Cells(NamedTuple):
    """Log probabilities of the judgements' values, with derivatives; each of shape (judgements,).

    `by_upper` and `by_lower` are by the thresholds above and below a value, `score` by its
    predictor, which moves both thresholds down. `score_by_upper` and `weight_by_upper` are the
    derivatives of the score and of `weight`, which is the score's own by both thresholds together.
    """

    log_probability: Values
    by_upper: Values
    by_lower: Values
    score: Values
    score_by_upper: Values
    score_by_lower: Values
    weight: Values
    weight_by_upper: Values
    weight_by_lower: Values


class Link(NamedTuple):
    """A distribution of what lies under the values: cumulative share, quantile, and its cells."""

    below: Callable[[Values], Values]
    quantile: Callable[[Values], Values]
    cells: Callable[[Values, Values], Cells]
    unit: str


def logit_cells(lower: Values, upper: Values) -> Cells:
    """Compute the cells of the logistic distribution.

    Parameters
    ----------
    lower, upper : thresholds around each value, less its predictor; −∞ and ∞ at the ends
    """
    share = -np.expm1(lower - upper)
    below, above = expit(lower), expit(upper)
    # A step so long that a share is lost in rounding has no likelihood, and is not taken.
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = log_expit(upper) + log_expit(-lower) + np.log(share)
        by_upper = np.exp(log_expit(-upper) - log_expit(-lower)) / share
        by_lower = -np.exp(log_expit(lower) - log_expit(upper)) / share
    at_below, at_above = below * (1 - below), above * (1 - above)
    return Cells(
        log_probability=logs,
        by_upper=by_upper,
        by_lower=by_lower,
        score=below + above - 1,
        score_by_upper=at_above,
        score_by_lower=at_below,
        weight=at_below + at_above,
        weight_by_upper=at_above * (1 - 2 * above),
        weight_by_lower=at_below * (1 - 2 * below),
    )


def probit_cells(lower: Values, upper: Values) -> Cells:
    """Compute the cells of the normal distribution.

    Parameters
    ----------
    lower, upper : as for `logit_cells`
    """
    # Both thresholds are taken in the tail where their probabilities keep their digits.
    turned = lower + upper > 0
    high, low = np.where(turned, -lower, upper), np.where(turned, -upper, lower)
    finite_upper, finite_lower = (np.where(np.isfinite(x), x, 0.0) for x in (upper, lower))
    constant = np.log(2 * np.pi) / 2
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # as for logits
        logs = log_ndtr(high) + np.log(-np.expm1(log_ndtr(low) - log_ndtr(high)))
        above = np.exp(-(upper**2) / 2 - constant - logs)
        below = np.exp(-(lower**2) / 2 - constant - logs)
        difference = above - below
        score_by_upper = above * (finite_upper + difference)
        score_by_lower = -below * (finite_lower + difference)
        product = above * below
        return Cells(
            log_probability=logs,
            by_upper=above,
            by_lower=-below,
            score=-difference,
            score_by_upper=score_by_upper,
            score_by_lower=score_by_lower,
            weight=score_by_upper + score_by_lower,
            weight_by_upper=above - finite_upper * above * (finite_upper + above)
            + finite_lower * product - 2 * difference * score_by_upper,
            weight_by_lower=-below + finite_lower * below * (finite_lower - below)
            + finite_upper * product - 2 * difference * score_by_lower,
        )  # fmt: skip


LINKS = {
    "logit": Link(expit, logit, logit_cells, "logits"),
    "probit": Link(ndtr, ndtri, probit_cells, "probits"),
}
