"""The committed rates of false alarms, and from which bound on rules may ask for a measure."""

from dataclasses import replace

import pytest

from analysis.checks.false_alarms import FalseAlarms, least_bound, measured, worst_group
from analysis.checks.measure_names import TRACES
from analysis.meta_evaluation.judges import share

RARE = FalseAlarms("untrusted_share", 0.5, "careful, mouse", 400, 0, 0.0096)
COMMON = replace(RARE, group="careful, phone", above=2, upper=0.018)


def test_a_bound_is_allowed_where_false_alarms_are_rare_in_every_group():
    assert least_bound("untrusted_share", [RARE]) == 0.5
    assert least_bound("untrusted_share", [RARE, COMMON]) is None
    higher = [replace(row, bound=0.9, above=0, upper=0.0096) for row in (RARE, COMMON)]
    assert least_bound("untrusted_share", [RARE, COMMON, *higher]) == 0.9
    assert least_bound("away_share", [RARE]) is None


def test_the_worst_group_is_that_at_the_largest_bound():
    assert worst_group("untrusted_share", [RARE, COMMON]) == COMMON
    assert worst_group("untrusted_share", [COMMON, replace(RARE, bound=0.9)]).bound == 0.9
    assert worst_group("away_share", [RARE]) is None


def test_every_measure_of_traces_has_rates_for_the_same_groups():
    groups = {
        (name, row.bound, row.group) for name in TRACES for row in measured() if row.measure == name
    }
    of_first = {(bound, group) for name, bound, group in groups if name == TRACES[0]}
    assert len({group for _bound, group in of_first}) == 7
    assert groups == {(name, bound, group) for name in TRACES for bound, group in of_first}


def test_no_upper_end_is_below_wilsons():
    for row in measured():
        assert row.visits > 0
        assert row.upper == pytest.approx(share(row.above, row.visits).high, abs=2e-6)
