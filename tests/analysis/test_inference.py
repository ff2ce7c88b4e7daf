"""The rule about few raters and items: who counts, when nothing is claimed, how wide claims are."""

import numpy as np
import pytest

from analysis import OptionsError
from analysis.errors import Undefined
from analysis.inference import (
    Units,
    adjusted_p,
    clustered_variances,
    critical_t,
    effective_number,
    widened_alpha,
)


def units(raters: int, items: int, generality: str = "both") -> Units:
    """Every rater judged every item."""
    return Units.of(*np.indices((raters, items)).reshape(2, -1), generality)


def test_units_of_unequal_shares_count_as_fewer():
    assert effective_number(np.repeat([0, 1, 2], [6, 3, 3])) == pytest.approx(144 / 54)
    assert effective_number(np.array([2, 0, 2, 0])) == 2  # code 1 has no judgement


@pytest.mark.parametrize(
    ("raters", "items", "generality", "df"),
    [(8, 5, "both", 4), (8, 5, "raters", 7), (8, 5, "items", 4), (3, 60, "both", 2)],
)
def test_the_scarcer_units_of_a_claim_give_the_degrees_of_freedom(raters, items, generality, df):
    found = units(raters, items, generality)
    assert found.df == pytest.approx(df)
    assert found.refusal() is None


@pytest.mark.parametrize(
    ("raters", "items", "generality", "said"),
    [
        (1, 60, "both", "1 rater cannot show what other raters would give"),
        (2, 60, "raters", "A claim for new raters of these items needs at least 3."),
        (30, 2, "items", "claim nothing about the systems beyond these items"),
        (2, 2, "both", "2 raters and 2 items cannot show what other raters and items"),
    ],
)
def test_nothing_is_claimed_beyond_too_few(raters, items, generality, said):
    with pytest.raises(Undefined, match=said):
        units(raters, items, generality).require()


@pytest.mark.parametrize(("raters", "items", "generality"), [(2, 9, "items"), (9, 1, "raters")])
def test_units_that_a_claim_is_not_about_may_be_few(raters, items, generality):
    units(raters, items, generality).require()


def test_raters_who_hardly_judged_do_not_make_a_third():
    raters = np.repeat([0, 1, 2], [50, 45, 5])
    with pytest.raises(Undefined, match=r"3 raters of unequal shares, worth 2\.2 of equal ones"):
        Units.of(raters, np.arange(100)).require()
    Units.of(np.repeat([0, 1, 2], [40, 40, 36]), np.arange(116)).require()


def test_an_unknown_generality_is_named():
    with pytest.raises(OptionsError, match="no generality 'everybody': raters, items, both"):
        units(5, 5, "everybody")


def largest_t(systems: int, raters: int, campaigns: int = 4000) -> np.ndarray:
    """The largest |t| of all pairs of equal systems, each pair with its own variance."""
    values = np.random.default_rng(1).standard_normal((campaigns, raters, systems))
    first, second = np.triu_indices(systems, 1)
    differences = values[:, :, first] - values[:, :, second]
    errors = differences.std(axis=1, ddof=1) / np.sqrt(raters)
    return np.abs(differences.mean(axis=1) / errors).max(axis=1)


@pytest.mark.parametrize(("systems", "raters"), [(2, 3), (5, 5), (10, 8), (10, 24)])
def test_all_claims_of_one_campaign_hold_together(systems, raters):
    """No more false claims than 5 %, and hardly fewer; Tukey's range makes up to .12 of them."""
    pairs = systems * (systems - 1) // 2
    false = np.mean(largest_t(systems, raters) > critical_t(0.05, pairs, raters - 1))
    assert 0.035 < false < 0.06


def test_the_adjusted_p_is_alpha_at_the_critical_value():
    assert adjusted_p(np.array([critical_t(0.05, 45, 7), 0.0]), 45, 7) == pytest.approx([0.05, 1])


def test_two_ways_of_clustering_never_give_less_than_one():
    by_rater, by_item, both = np.diag([2.0, 1.0]), np.diag([1.0, 4.0]), np.diag([2.5, 0.5])
    codes = np.arange(6)
    spread, variances = clustered_variances(by_rater, by_item, both, Units.of(codes, codes))
    assert spread.tolist() == [2.0, 4.5]
    assert variances[0, 1] == 5.0
    of_raters = Units.of(codes, codes, "raters")
    assert clustered_variances(by_rater, by_item, both, of_raters)[0].tolist() == [2.0, 1.0]


def test_variances_of_unequal_shares_are_right_on_average():
    """Without the correction they are too small by a quarter, with equal shares by nothing."""
    codes = np.repeat(np.arange(6), [30, 15, 10, 8, 6, 5])
    shares = np.bincount(codes) / len(codes)
    raters = np.random.default_rng(1).normal(size=(100_000, 6))
    means = raters @ shares
    seen = ((raters - means[:, None]) ** 2 @ shares**2) * 6 / 5
    units = Units.of(codes, codes)
    assert units.raters.correction == pytest.approx(means.var() / seen.mean(), rel=0.02)
    assert units.raters.correction > 1.2
    one = np.array([[seen.mean()]])
    spread, _ = clustered_variances(one, 0 * one, 0 * one, units)
    assert spread == pytest.approx([means.var()], rel=0.02)
    assert Units.of(np.arange(60) % 6, codes[:60] * 0).raters.correction == 1.0


def test_percentiles_of_few_resampled_raters_are_widened():
    """Means of normal raters: about .13 of the unwidened intervals miss the truth."""
    rng = np.random.default_rng(2)
    missed = {"widened": 0, "plain": 0}
    level = widened_alpha(0.05, 8)
    for _ in range(2000):
        values = rng.standard_normal(8)
        means = values[rng.integers(8, size=(400, 8))].mean(axis=1)
        for name, alpha in (("widened", level), ("plain", 0.05)):
            low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2])
            missed[name] += not low < 0 < high
    assert missed["widened"] / 2000 < 0.08
    assert missed["plain"] / 2000 > 0.1
    assert widened_alpha(0.05, 1) == 0
