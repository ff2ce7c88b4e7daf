"""Exact tests over raters against brute force, and preferences with intervals that cover."""

from itertools import product

import numpy as np
import pytest
import scipy

from analysis.errors import Undefined
from analysis.scales.preferences import preferences, preferences_to_rest
from analysis.scales.rater_tests import (
    mean_differences,
    rater_differences,
    rater_tests,
    side_by_side,
)

NAMES = ["a", "b", "c", "d"]


def judged(values: np.ndarray):
    """Comparisons of values of shape (raters, items, systems)."""
    rater, item, system = (grid.ravel() for grid in np.indices(values.shape))
    return side_by_side(values.ravel(), system, rater, item, item)


def test_two_systems_have_the_binomial_and_the_enumerated_p():
    values = np.round(np.random.default_rng(3).normal(0.7, 1, 9), 1)
    (pair,) = rater_tests(values[:, None], NAMES[:2]).pairs
    # The two tests are adjusted for each other, so each is compared with the pair's own pattern.
    flipped = [signs @ values for signs in product((-1, 1), repeat=9)]
    alone = np.mean(np.abs(flipped) >= abs(values.sum()) - 1e-9)
    binomial = scipy.stats.binomtest(int(np.sum(values > 0)), 9).pvalue
    assert min(alone, binomial) <= min(pair.sign_p, pair.permutation_p) <= alone + binomial
    assert (pair.for_a, pair.undecided, pair.for_b) == (np.sum(values > 0), 0, np.sum(values < 0))


def by_definition(differences: np.ndarray) -> list[float]:
    """Westfall and Young's algorithm 4.1 over all patterns, one hypothesis after the other."""
    given = np.nan_to_num(differences)
    columns = np.concatenate([np.sign(given), given], axis=1)
    columns = columns / np.sqrt((columns**2).sum(axis=0))
    observed = np.abs(columns.sum(axis=0))
    turned = [np.abs(np.array(s) @ columns) for s in product((-1, 1), repeat=len(given))]
    order, found, last = np.argsort(-observed), np.empty(len(observed)), 0.0
    for place, column in enumerate(order):
        left = order[place:]
        share = np.mean([each[left].max() >= observed[column] - 1e-9 for each in turned])
        found[column] = last = max(last, share)
    return found.tolist()


def test_adjusted_p_is_that_of_the_definition_with_missing_pairs():
    differences = np.random.default_rng(5).normal(0.8, 1, (8, 6))
    differences[0, 2], differences[3, :3] = np.nan, np.nan
    found = rater_tests(differences, NAMES).pairs
    adjusted = [pair.sign_p for pair in found] + [pair.permutation_p for pair in found]
    assert adjusted == pytest.approx(by_definition(differences))
    assert len({round(p, 6) for p in adjusted}) > 4


@pytest.mark.parametrize(("raters", "p"), [(6, 2 / 2**6), (8, 2 / 2**8), (17, 2 / 2**14)])
def test_what_all_raters_see_can_be_claimed_from_six_raters_on(raters, p):
    values = np.zeros((raters, 10, 4)) + np.arange(4)[::-1]
    found = rater_tests(rater_differences(judged(values), raters, 4), NAMES)
    assert len(found.apart()) == 6 and found.is_exact == (raters < 16)
    assert found.pairs[0].sign_p <= p


@pytest.mark.parametrize(
    ("raters", "alpha", "needed"), [(5, 0.05, 6), (7, 0.01, 8), (6, 1 / 32, 7)]
)
def test_too_few_raters_are_told_how_many_are_needed(raters, alpha, needed):
    with pytest.raises(Undefined, match=f"needs {needed} raters .* there are {raters}"):
        rater_tests(np.ones((raters, 1)), NAMES[:2], alpha=alpha)


def test_raters_who_decide_nothing_do_not_count():
    differences = np.vstack([np.ones((5, 1)), np.full((4, 1), 1e-17)])
    with pytest.raises(Undefined, match="here there are 5"):
        rater_tests(differences, NAMES[:2])


def test_raters_who_judged_one_system_an_item_are_compared_by_their_means():
    values, systems = np.array([1.0, 3, 2, 5]), np.array([0, 0, 1, 1])
    assert mean_differences(values, systems, np.zeros(4, int), (1, 2)).tolist() == [[-1.5]]
    assert not len(
        side_by_side(values, systems, np.zeros(4, int), np.arange(4), np.arange(4)).first
    )


def equal_systems(dice: np.random.Generator, raters: int, items: int, taste: float) -> np.ndarray:
    """Four equal systems, of which each rater likes some better."""
    liking = taste * dice.normal(size=(raters, 1, 4))
    return liking + dice.normal(size=(raters, items, 4))


def test_equal_systems_are_told_apart_no_more_often_than_the_level():
    exact, naive = [], []
    for seed in range(300):
        values = equal_systems(np.random.default_rng(seed), 8, 12, 0.5)
        found = rater_tests(rater_differences(judged(values), 8, 4), NAMES)
        exact.append(bool(found.apart()))
        naive.append(scipy.stats.f_oneway(*values.reshape(-1, 4).T).pvalue < 0.05)
    assert np.mean(exact) <= 0.05
    assert np.mean(naive) > 0.3  # judgements as observations: what the test guards against


def test_a_preference_is_the_share_of_comparisons_with_half_of_the_ties():
    values = np.array(
        [[[2.0, 1], [1, 1], [4, 1]], [[3, 0], [0, 3], [1, 2]], [[1, 0], [2, 2], [5, 0]]]
    )
    (pair,) = preferences(judged(values), NAMES[:2])
    assert (pair.share, pair.comparisons) == (6 / 9, 9)
    best, worst = preferences_to_rest(judged(values), NAMES[:2])
    assert best.share == pair.share == pytest.approx(1 - worst.share)
    assert best.low == pytest.approx(1 - worst.high)


def test_agreement_of_few_leaves_room_for_others():
    unanimous = np.zeros((3, 20, 2)) + np.array([1, 0])
    (pair,) = preferences(judged(unanimous), NAMES[:2])
    assert pair.share == pair.high == 1
    assert pair.low == pytest.approx(0.025 ** (1 / 3))  # three of three, by Clopper and Pearson
    (two,) = preferences(judged(unanimous[:2]), NAMES[:2])
    assert two.low is two.high is None


@pytest.mark.parametrize("raters", [3, 8])
def test_intervals_of_preferences_cover_at_least_93_in_a_hundred(raters):
    dice, covered, naive = np.random.default_rng(1), [], []
    truth = scipy.stats.norm.cdf(1 / np.sqrt(2 * 1.5))
    for _ in range(400):
        values = equal_systems(dice, raters, 12, 0.5)[:, :, :2] + [1, 0]
        values += 0.5 * dice.normal(size=(1, 12, 2))
        (pair,) = preferences(judged(values), NAMES[:2])
        covered.append(pair.low <= truth <= pair.high)
        width = 1.96 * np.sqrt(pair.share * (1 - pair.share) / pair.comparisons)
        naive.append(abs(pair.share - truth) <= width)
    assert np.mean(covered) >= 0.93 > 0.9 > np.mean(naive)
