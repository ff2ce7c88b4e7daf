"""Spreads and predictions from a pilot."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.planning.pilots import (
    Pilot,
    found_share,
    possible,
    predicted,
    read_pilot,
    spreads_of,
)
from analysis.planning.published import STUDIES, study
from analysis.planning.simulated import judged, planned
from analysis.planning.sizes import Size, Spreads
from analysis.reliability.generalisability import generalisability

SPREADS = Spreads(0.3, 0.4, 1.0, item=0.5, system=0.4)
TARGET = Size(24, 100, 3, systems=5)


def pilot_of(raters: int, number: int):
    rng = np.random.default_rng([number, raters])
    truth = SPREADS.system * rng.standard_normal(5)
    plan = planned(Size(raters, 12, raters, systems=5), rng)
    values = judged(plan, SPREADS, rng) + truth[plan.systems]
    return truth, (values, plan.systems, plan.raters, plan.items)


def test_spreads_are_those_of_the_g_study():
    _, judgements = pilot_of(4, 1)
    found = spreads_of(*judgements)
    shares = generalisability(*judgements, sizes=()).shares
    variance = {share.source: share.variance for share in shares}
    assert found.residual**2 == pytest.approx(variance["Residual"])
    assert found.rater_system**2 == pytest.approx(variance["rater:system"])


@pytest.mark.slow
def test_a_pilot_of_three_raters_promises_less_than_its_own_differences():
    """The winner's curse: `benchmarks/planning/planner.py pilots` has the long form."""
    rows = []
    for number in range(12):
        truth, judgements = pilot_of(3, number)
        found = predicted(read_pilot(*judgements), TARGET, draws=40)
        real = found_share(TARGET, SPREADS, truth, 0.05)
        rows.append((found.found - real, found.naive - real))
        assert found.low <= found.found <= found.high
    shrunk, naive = np.mean(rows, axis=0)
    assert naive > 0.03
    assert shrunk < naive - 0.04
    assert abs(shrunk) < 0.15


def test_one_difference_is_not_taken_for_chance_because_it_is_one():
    """With a half-Cauchy distribution it would shrink by .38 of its error instead of .16."""
    pilot = Pilot(Spreads(0.3, 0.4, 1.0), (0.13, -0.13), raters=12, items=30, judgements=360.0)
    error = (2 * pilot.error) ** 0.5
    assert 0.26 / error == pytest.approx(1.47, abs=0.01)
    gaps = [means[0] - means[1] for _, means in possible(pilot, 2_000)]
    assert (0.26 - np.mean(gaps)) / error < 0.25


def test_the_same_seed_predicts_the_same():
    _, judgements = pilot_of(3, 1)
    pilot = read_pilot(*judgements)
    assert predicted(pilot, TARGET, draws=10) == predicted(pilot, TARGET, draws=10)
    assert predicted(pilot, Size(2, 50, 2, systems=5)).found == 0


def test_a_pilot_of_one_rater_says_nothing():
    codes = np.arange(30)
    with pytest.raises(Undefined, match="rater"):
        read_pilot(np.random.default_rng(1).normal(size=30), codes % 3, codes * 0, codes // 3)


def test_published_studies_have_keys_and_sources():
    assert len({each.key for each in STUDIES}) == len(STUDIES)
    assert all(each.source and each.spreads.residual == 1 for each in STUDIES)
    assert study(STUDIES[0].key) is STUDIES[0]
