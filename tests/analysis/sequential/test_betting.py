"""Bets: measured widths, error over all moments, and what their intervals must do."""

import numpy as np
import pytest
import scipy

from analysis.errors import OptionsError
from analysis.sequential.betting import confidence_sequence, most_money

pytestmark = pytest.mark.slow

# Half-widths at .05 for a rater's SD of .15 on 0–1, computed independently for this project: of
# bets mixed over 19 fractions a side and inverted over a grid of means, and of a fixed plan's t.
MEASURED = {6: (0.29, 0.16), 12: (0.19, 0.095), 24: (0.113, 0.063), 50: (0.064, 0.043),
            100: (0.039, 0.030)}  # fmt: skip


def drawn(raters, mean, campaigns, seed=3):
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(mean, 0.15, (raters, campaigns)), 0, 1)


@pytest.mark.parametrize("raters", MEASURED)
def test_half_widths_are_those_measured(raters):
    """Within 8 %: the grid of means and the number of campaigns behind the figures are unknown."""
    bets, fixed = MEASURED[raters]
    found = confidence_sequence(drawn(raters, 0.5, 300), 0.05)
    assert np.median(found.high - found.low) / 2 == pytest.approx(bets, rel=0.08)
    t = scipy.stats.t.isf(0.025, raters - 1) * 0.15 / np.sqrt(raters)
    assert t == pytest.approx(fixed, rel=0.02)


@pytest.mark.parametrize(("mean", "raters"), [(0.6, 35), (0.55, 78)])
def test_half_of_the_campaigns_are_decided_by_the_raters_measured(mean, raters):
    found = confidence_sequence(drawn(raters, mean, 400), 0.05)
    assert 0.4 <= np.mean(found.low > 0.5) <= 0.6


def test_a_true_mean_is_ever_refuted_in_few_campaigns_where_t_is_wrong_in_many():
    """A fixed plan's interval looked at after each of 200 raters is the negative control."""
    found = drawn(200, 0.5, 400)
    assert np.mean(confidence_sequence(found, 0.05).p < 0.05) <= 0.05
    number = np.arange(1, 201)[:, None]
    centre = np.cumsum(found, axis=0) / number
    spread = np.sqrt(np.maximum(np.cumsum(found**2, axis=0) / number - centre**2, 1e-12))
    t = np.abs(centre - 0.5) / (spread / np.sqrt(np.maximum(number - 1, 1)))
    wrong = (t > scipy.stats.t.isf(0.025, np.maximum(number - 1, 1)))[11:].any(axis=0)
    assert np.mean(wrong) > 0.2


def test_the_interval_excludes_one_half_where_p_is_below_the_level():
    found = confidence_sequence(drawn(40, 0.6, 200), 0.05)
    excluded = (found.low > 0.5) | (found.high < 0.5)
    assert 0 < excluded.sum() < 200
    np.testing.assert_array_equal(excluded, found.p < 0.05)


def test_what_was_refuted_stays_refuted():
    path = np.vstack([np.full((30, 1), 0.7), np.full((30, 1), 0.3)])
    early, late = (confidence_sequence(path[:n], 0.05) for n in (30, 60))
    assert early.low[0] > 0.5
    assert late.low[0] >= early.low[0]


def test_the_mirror_image_has_the_mirrored_interval():
    path = drawn(20, 0.55, 3)
    found, turned = confidence_sequence(path, 0.05), confidence_sequence(1 - path, 0.05)
    np.testing.assert_allclose(found.low, 1 - turned.high, atol=1e-9)
    np.testing.assert_allclose(found.p, turned.p)


def test_raters_who_say_nothing_change_nothing():
    path = drawn(20, 0.6, 2)
    gaps = np.insert(path, [3, 9], np.nan, axis=0)
    np.testing.assert_allclose(
        confidence_sequence(gaps, 0.05).low, confidence_sequence(path, 0.05).low
    )


def test_money_falls_as_the_mean_that_is_bet_against_rises():
    path = drawn(30, 0.5, 1)
    money = [most_money(path, np.array([mean]))[0] for mean in np.linspace(0.05, 0.95, 19)]
    assert np.all(np.diff(money) <= 1e-12)


def test_bets_need_bounded_observations():
    with pytest.raises(OptionsError, match="between 0 and 1"):
        confidence_sequence(np.array([[1.2]]), 0.05)
    with pytest.raises(OptionsError, match="level"):
        confidence_sequence(np.array([[0.2]]), 1.0)
