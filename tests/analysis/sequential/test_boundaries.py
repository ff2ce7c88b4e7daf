"""Boundaries against those that R's gsDesign prints, and what they spend."""

import numpy as np
import pytest
import scipy

from analysis.errors import OptionsError
from analysis.sequential.boundaries import boundaries, critical_t, spent

# gsDesign(k, test.type = 1, alpha, sfu = sfLDOF)$upper$bound, looks at equal distances.
GS_DESIGN = [
    (0.025, (3.710303, 2.511427, 1.993048)),
    (0.025, (4.332634, 2.963131, 2.359044, 2.014090)),
    (0.05, (3.200102, 2.140815, 1.694812)),
]
# The same for five looks, to the three decimals that are published.
FIVE_LOOKS = (4.877, 3.357, 2.680, 2.290, 2.031)


def equal(looks):
    return tuple((k + 1) / looks for k in range(looks))


@pytest.mark.parametrize(("alpha", "published"), GS_DESIGN)
def test_boundaries_are_those_of_gsdesign(alpha, published):
    found = boundaries(equal(len(published)), alpha)
    assert found == pytest.approx(published, abs=3e-6)


def test_five_boundaries_are_those_published():
    assert boundaries(equal(5), 0.025) == pytest.approx(FIVE_LOOKS, abs=6e-4)


def test_one_look_is_the_test_of_a_fixed_plan():
    assert boundaries((1.0,), 0.025) == pytest.approx((1.959964,), abs=1e-6)


def test_a_boundary_depends_on_earlier_looks_only():
    assert boundaries(equal(5)[:3], 0.01) == boundaries(equal(5), 0.01)[:3]


def test_unequal_looks_spend_the_whole_level():
    """Simulated sums of normal steps; without the looks' allowance they exceed it."""
    fractions, alpha = (0.3, 0.45, 0.9, 1.0), 0.05
    rng = np.random.default_rng(5)
    steps = rng.normal(size=(200_000, 4)) * np.sqrt(np.diff((0.0, *fractions)))
    z = np.cumsum(steps, axis=1) / np.sqrt(fractions)
    assert np.mean((z > boundaries(fractions, alpha)).any(axis=1)) == pytest.approx(0.05, abs=0.002)
    assert np.mean((z > scipy.stats.norm.isf(alpha)).any(axis=1)) > 0.1


def test_nothing_is_left_to_spend_after_the_plan():
    found = boundaries((0.5, 1.0, 1.2), 0.025)
    assert found[2] == np.inf
    assert spent(1.2, 0.025) == spent(1.0, 0.025) == pytest.approx(0.025)
    assert spent(0.0, 0.025) == 0.0


def test_the_same_raters_again_make_no_new_look():
    assert boundaries((0.5, 0.5000001, 1.0), 0.025)[1] == np.inf


def test_t_needs_more_than_the_normal_boundary():
    found = critical_t(2.0, np.array([0.5, 9.0, 1e7]))
    assert found[0] == np.inf
    assert found[1] > 2.2
    assert found[2] == pytest.approx(2.0, abs=1e-5)


@pytest.mark.parametrize("fractions", [(), (0.5, 0.4), (0.0, 1.0)])
def test_looks_must_come_one_after_another(fractions):
    with pytest.raises(OptionsError, match="more raters than the one before"):
        boundaries(fractions, 0.025)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_a_one_sided_level_is_below_one_half(alpha):
    with pytest.raises(OptionsError, match="one-sided level"):
        boundaries((1.0,), alpha)
