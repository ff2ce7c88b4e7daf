"""Tests of pairs: scipy's numbers and closed forms."""

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.slow
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
