"""Two one-sided tests: their definition, and their level at the margin."""

import numpy as np
import pytest
import scipy

from analysis.scales.clustered import clustered_comparison
from analysis.scales.equivalence import Estimate, equivalence


def test_a_pair_is_equivalent_if_its_interval_lies_within_the_margins():
    estimates = [Estimate("a", "b", 0.2, 0.1, 5.0), Estimate("a", "c", -0.1, 0.3, 2.0)]
    for margin in (0.3, 0.4, 0.41, 0.9, 1.0, 1.1):
        for estimate in estimates:
            found = equivalence([estimate], margin)
            (pair,) = found.pairs
            half = scipy.stats.t.isf(0.05, estimate.df) * estimate.error
            assert (pair.low, pair.high) == pytest.approx(
                (estimate.difference - half, estimate.difference + half)
            )
            assert bool(found.equivalent()) == (-margin < pair.low and pair.high < margin)


def test_p_is_adjusted_for_all_pairs():
    one = Estimate("a", "b", 0.2, 0.1, 5.0)
    alone, together = equivalence([one], 0.5), equivalence([one, one, one], 0.5)
    assert together.pairs[0].p == pytest.approx(3 * alone.pairs[0].p)


@pytest.mark.parametrize("raters", [3, 8])
def test_at_the_margin_equivalence_is_claimed_no_more_often_than_the_level(raters):
    dice, claimed, naive = np.random.default_rng(raters), [], []
    rater, item, system = (grid.ravel() for grid in np.indices((raters, 12, 2)))
    for _ in range(300):
        taste = dice.normal(0, 0.5, (raters, 2))[rater, system]
        fitting = dice.normal(0, 0.5, (12, 2))[item, system]
        values = system + taste + fitting + dice.normal(size=len(rater))
        found = clustered_comparison(values, system, ["a", "b"], rater, item)
        (pair,) = found.contrasts
        ((claim, plain),) = [
            [
                bool(equivalence([Estimate("a", "b", pair.difference, *how)], 1.0).equivalent())
                for how in ((pair.se, found.df), (np.sqrt(4 / len(rater)), len(rater) - 2))
            ]
        ]
        claimed.append(claim)
        naive.append(plain)
    assert np.mean(claimed) <= 0.05
    assert np.mean(naive) > 0.1  # the same test with judgements as observations
