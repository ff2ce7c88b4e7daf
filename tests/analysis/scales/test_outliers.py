"""Outliers are found once, treated as said, and counted; raters are put on one scale."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.scales.outliers import log_magnitudes, treat_outliers, z_by_rater

TIMES = np.array([1000.0] * 30 + [1100.0] * 30 + [9000.0, -4000.0])


def test_replaced_by_the_overall_mean_as_tuna_did():
    found = treat_outliers(TIMES, "replace")
    assert found.values[-2] == found.values[-1] == pytest.approx(TIMES.mean())
    assert (found.values[:-2] == TIMES[:-2]).all()
    assert (found.count.below, found.count.above, found.count.treated) == (1, 1, 2)


def test_winsorised_to_the_limit():
    found = treat_outliers(TIMES, "winsorise")
    assert found.values[-2] == found.count.high
    assert found.values[-1] == found.count.low


def test_dropped_with_their_rows():
    found = treat_outliers(TIMES, "drop")
    assert len(found.values) == 60
    assert found.kept.tolist() == [True] * 60 + [False] * 2


def test_limits_are_mean_and_two_standard_deviations_of_all_values():
    found = treat_outliers(TIMES, "drop").count
    assert found.high - found.low == pytest.approx(4 * TIMES.std(ddof=1))
    assert treat_outliers(TIMES, "drop", 20).count.treated == 0


@pytest.mark.parametrize("treatment", ["replace", "winsorise", "drop", "none"])
def test_nothing_happens_to_equal_values(treatment):
    found = treat_outliers(np.full(5, 3.3), treatment)
    assert (found.values == 3.3).all()
    assert found.count.treated == 0


def test_z_scores_have_mean_zero_and_sd_one_for_each_rater():
    raters = np.repeat([0, 1, 2], 20)
    values = np.random.default_rng(0).normal(size=60) * (raters + 1) * 9 + 50 * raters
    z, varies = z_by_rater(values, raters)
    for rater in range(3):
        assert z[raters == rater].mean() == pytest.approx(0, abs=1e-12)
        assert z[raters == rater].std(ddof=1) == pytest.approx(1)
    assert varies.all()


def test_a_rater_without_variation_is_marked():
    z, varies = z_by_rater(np.array([7.0, 7, 7, 1, 2]), np.array([0, 0, 0, 1, 1]))
    assert varies.tolist() == [False] * 3 + [True] * 2
    assert (z[:3] == 0).all()


def test_magnitudes_that_have_no_logarithm_are_counted():
    with pytest.raises(Undefined, match="2 magnitudes are zero or negative"):
        log_magnitudes([1, 0, -3, 10])
    assert log_magnitudes([1, np.e]).tolist() == pytest.approx([0, 1])
