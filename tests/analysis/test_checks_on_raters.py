"""Tests of pairs and the losses of rules: scipy's numbers, closed forms, and printed examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.checks.power import (
    critical_value,
    losses_by_failures,
    paired_power,
    pairs_needed,
    passing_by_guess,
)
from analysis.checks.signed_rank import least_p, signed_rank
from analysis.errors import Undefined


def test_without_ties_the_exact_p_is_scipys():
    rng = np.random.default_rng(3)
    for pairs in (1, 2, 5, 7, 12, 25):
        good, bad = rng.normal(0.4, 1, pairs), rng.normal(0, 1, pairs)
        expected = stats.wilcoxon(good, bad, alternative="greater", method="exact")
        found = signed_rank(good, bad)
        assert found.is_exact
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_with_ties_and_zeros_the_exact_p_is_that_of_all_signs():
    """scipy enumerates every combination of signs where it is asked for all permutations."""
    rng = np.random.default_rng(5)
    every_sign = stats.PermutationMethod(n_resamples=np.inf)
    for _ in range(12):
        good, bad = rng.integers(0, 6, 9), rng.integers(0, 5, 9)
        expected = stats.wilcoxon(
            good, bad, alternative="greater", zero_method="pratt", method=every_sign
        )
        assert signed_rank(good, bad).p == pytest.approx(expected.pvalue, rel=1e-10)


def test_many_pairs_use_scipys_normal_approximation():
    rng = np.random.default_rng(7)
    good, bad = rng.integers(0, 9, 60), rng.integers(0, 8, 60)
    expected = stats.wilcoxon(
        good,
        bad,
        alternative="greater",
        zero_method="pratt",
        method="asymptotic",
        correction=False,
    )
    found = signed_rank(good, bad)
    assert not found.is_exact
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_pairs_that_all_differ_reach_the_least_p():
    for pairs in (5, 7, 10):
        assert signed_rank(np.arange(1, pairs + 1), np.zeros(pairs)).p == pytest.approx(
            least_p(pairs)
        )
    assert least_p(5) == pytest.approx(0.03125)
    assert least_p(7) == pytest.approx(0.0078125)


def test_a_rater_who_gives_one_score_to_everything_has_p_one():
    found = signed_rank([50] * 10, [50] * 10)
    assert (found.p, found.unpaired_p, found.zeros) == (1.0, 1.0, 10)


def test_pairs_find_what_the_unpaired_test_misses():
    """Texts differ by 80 points and damage costs 5: only the pairs show it."""
    good = np.arange(10.0) * 8 + 10
    found = signed_rank(good, good - 5)
    assert found.p == pytest.approx(2**-10)
    assert found.unpaired_p == pytest.approx(
        stats.mannwhitneyu(good - 5, good, alternative="less").pvalue
    )
    assert found.unpaired_p > 0.05


@pytest.mark.parametrize(("good", "bad"), [([], []), ([1.0, np.nan], [0.0, 0.0])])
def test_without_numbers_there_is_no_test(good, bad):
    with pytest.raises(Undefined):
        signed_rank(good, bad)


def test_losses_of_rules_by_the_binomial():
    two = losses_by_failures(2, 2, slip=0.03, guess=0.2)
    assert (two.careful_lost, two.careless_kept) == pytest.approx((0.0009, 0.36))
    five = losses_by_failures(5, 2, slip=0.03, guess=0.2)
    assert (five.careful_lost, five.careless_kept) == pytest.approx((0.0085, 0.0067), abs=5e-5)
    with pytest.raises(ValueError, match="probabilities"):
        losses_by_failures(2, 1, slip=1.2, guess=0)


def test_no_sum_of_ranks_reaches_a_level_below_the_least_p():
    assert critical_value(5, 0.01) is None
    rng = np.random.default_rng(0)
    assert paired_power(5, drop=99, scatter=1, alpha=0.01, rng=rng) == 0
    assert critical_value(5, 0.05) == 15


def test_careless_raters_pass_as_often_as_the_level_says():
    rng = np.random.default_rng(11)
    bound = critical_value(10, 0.05)
    level = signed_rank_level(10, bound)
    share = paired_power(10, drop=0, scatter=1, alpha=0.05, rng=rng, raters=40_000)
    assert share == pytest.approx(level, abs=0.005)


def signed_rank_level(pairs: int, bound: int) -> float:
    """P(W ≥ bound) by going through all signs."""
    signs = (np.arange(2**pairs)[:, None] >> np.arange(pairs)) & 1
    return float(np.mean(signs @ np.arange(1, pairs + 1) >= bound))


def test_the_formula_for_pairs_agrees_with_the_simulation():
    """Within 5 points at 22 pairs: with few pairs the asymptotic formula promises a little more."""
    pairs = pairs_needed(drop=0.55, scatter=1, alpha=0.05, power=0.8)
    rng = np.random.default_rng(13)
    assert pairs == 22
    simulated = paired_power(pairs, drop=0.55, scatter=1, alpha=0.05, rng=rng, raters=20_000)
    assert 0.75 < simulated < 0.8
    assert pairs_needed(drop=100, scatter=1, alpha=0.01) == 7  # 2⁻⁷ < .01 < 2⁻⁶
    with pytest.raises(Undefined):
        pairs_needed(drop=0, scatter=1)


def test_guessing_an_order_passes_half_of_the_screens():
    assert passing_by_guess(4, 4) == pytest.approx(1 / 16)
    assert passing_by_guess(4, 0) == 1
