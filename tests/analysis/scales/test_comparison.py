"""Comparisons of means whose errors are known: each claim has an error, or there is none."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.scales.comparison import contrasts, difference_variances


def test_a_difference_without_an_error_makes_no_claim():
    """Two raters who differ alike on two systems give a covariance of rank one."""
    direction = np.array([1.0, 1.0, 2.0])
    means, names = np.array([3.0, 2.0, 1.0]), ["a", "b", "c"]
    with pytest.raises(Undefined, match="too few raters or items"):
        contrasts(
            names,
            means,
            difference_variances(np.outer(direction, direction)),
            alpha=0.05,
            df=1.0,
            higher_is_better=True,
        )


def test_each_pair_has_the_error_of_its_difference():
    variances = difference_variances(np.diag([1.0, 3.0]))
    (pair,) = contrasts(
        ["a", "b"], np.array([5.0, 1.0]), variances, alpha=0.05, df=None, higher_is_better=True
    )
    assert (pair.difference, pair.se) == pytest.approx((4.0, 2.0))
    assert pair.low == pytest.approx(4 - 1.959964 * 2, abs=1e-3)
