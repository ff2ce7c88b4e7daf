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
    assert least_bound("away_share", [RARE]) is None


def test_a_measure_that_is_rare_only_at_a_larger_bound_is_not_allowed():
    higher = [replace(row, bound=0.9, above=0, upper=0.0096) for row in (RARE, COMMON)]
    assert least_bound("untrusted_share", [RARE, COMMON, *higher]) is None
    assert least_bound("untrusted_share", [RARE, *higher]) == 0.5


def test_measures_that_some_careful_people_look_like_are_not_allowed():
    allowed = {name for name in TRACES if least_bound(name, measured()) is not None}
    assert allowed == {"untrusted_share", "webdriver_share", "repeated_share"}


def test_the_worst_group_is_that_at_the_least_bound():
    assert worst_group("untrusted_share", [RARE, COMMON]) == COMMON
    assert worst_group("untrusted_share", [RARE, replace(COMMON, bound=0.9)]) == RARE
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
