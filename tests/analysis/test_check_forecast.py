"""What a rule does before anybody has worked."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from analysis.checks.forecast import forecast
from analysis.checks.joint import CAREFUL_ICC, Planned, simulated_icc
from analysis.checks.measures import repeat_icc
from analysis.checks.rules import parse_rule

CHECKS = (
    Planned("look", "instructed", 2),
    Planned("spoiled", "corruption", 5),
    Planned("again", "repeat", 8),
)


def foretold(rule: str, checks=CHECKS):
    return forecast(parse_rule(rule), checks)


def test_each_part_has_its_own_losses():
    failures, pairs, repeats, time = foretold(
        "instructed.failed >= 2 or spoiled.paired_p > .05 or again.icc < .3 or median_seconds < 5"
    )
    assert (failures.careful_lost, failures.careless_kept) == pytest.approx((0.0009, 0.36))
    # All five differences must be positive, each with probability Φ(1).
    assert pairs.careful_lost == pytest.approx(1 - NormalDist().cdf(1) ** 5, abs=0.03)
    assert pairs.careless_kept == pytest.approx(1 / 32)
    assert 0 < repeats.careful_lost < 0.15 and 0.05 < repeats.careless_kept < 0.35
    assert (time.careful_lost, time.careless_kept, time.warning) == (None, None, "")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("spoiled.paired_p > .01", "is never below {least}"),
        ("look.failed >= 3", "catches nobody"),
        ("look.failed >= 0", "every rater"),
    ],
)
def test_rules_that_cannot_work_are_warned_of(rule, said):
    [found] = foretold(rule)
    assert said in found.warning
    assert found.careful_lost in (0.0, 1.0)
    assert found.warning.format(**dict(found.values))


def test_two_repetitions_show_nothing():
    [found] = foretold("again.icc < .3", [Planned("again", "repeat", 2)])
    assert "Three repetitions" in found.warning


def test_parts_that_are_joined_are_decided_for_simulated_raters():
    """Two checks of one rater are independent, given how careful the rater is."""
    [both] = foretold("look.failed >= 1 and again.icc < .3")
    [look], [again] = foretold("look.failed >= 1"), foretold("again.icc < .3")
    assert both.careful_lost == pytest.approx(look.careful_lost * again.careful_lost, abs=0.01)
    caught = (1 - look.careless_kept) * (1 - again.careless_kept)
    assert 1 - both.careless_kept == pytest.approx(caught, abs=0.03)
    [neither] = foretold("not (look.failed >= 1 or again.icc < .3)")
    kept = look.careless_kept * again.careless_kept
    assert 1 - neither.careless_kept == pytest.approx(kept, abs=0.03)


def test_what_one_check_says_twice_is_not_counted_twice():
    [alone] = foretold("look.failed >= 1")
    [twice] = foretold("look.failed >= 1 and look.failed_share > .4")
    assert twice.careless_kept == pytest.approx(alone.careless_kept, abs=0.01)
    [pairs] = foretold("spoiled.paired_p > .05")
    [joined] = foretold("spoiled.paired_p > .05 and spoiled.answered >= 5")
    assert joined.careful_lost == pytest.approx(pairs.careful_lost, abs=0.03)


def test_a_part_with_a_measure_of_time_has_no_forecast():
    [found] = foretold("look.failed >= 1 and median_seconds < 5")
    assert (found.careful_lost, found.careless_kept) == (None, None)


def test_simulated_consistency_is_that_of_the_measure():
    rng = np.random.default_rng(4)
    pairs = rng.normal(size=(6, 2))

    class Given:
        """Gives the same normal numbers again, shifted to where the simulation adds them."""

        calls = 0

        def normal(self, _mean, _sd, size):
            self.calls += 1
            if self.calls == 1:
                return np.zeros(size)
            return np.broadcast_to(pairs, (size[0], *pairs.shape))

    [icc] = set(simulated_icc(6, CAREFUL_ICC, Given()).round(10).tolist())
    assert icc == pytest.approx(repeat_icc([tuple(pair) for pair in pairs]))
