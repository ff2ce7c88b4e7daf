"""Few cells of the table of false claims; docs/statistics.md shows all of them."""

from itertools import accumulate

import numpy as np
import pytest

from analysis.inference import adjusted_p, share_correction
from analysis.report.scale_section import clustered
from benchmarks.false_claims import METHODS, OPTIONS, Cell, claimed

pytestmark = pytest.mark.slow

ROWS = {row.name: row for row in METHODS}
TASTES = "tasteful raters"


@pytest.mark.parametrize(
    ("name", "cell", "campaigns"),
    [
        ("least squares", Cell(8, 60, 10, TASTES), 60),
        ("Bradley–Terry", Cell(5, 60, 10, TASTES), 60),
        ("Bradley–Terry", Cell(3, 12, 5, TASTES), 60),
        ("full mixed model", Cell(24, 4, 2, "tasteful raters and items"), 40),
        ("TrueSkill clusters", Cell(8, 60, 2, TASTES), 30),
        ("exact tests", Cell(8, 60, 5, TASTES), 60),
        ("exact tests", Cell(8, 60, 5, "half better"), 60),
        ("equivalence", Cell(5, 60, 2, TASTES), 60),
        ("equivalence", Cell(8, 60, 10, "half better"), 60),
        ("ordinal model", Cell(5, 12, 5, TASTES), 40),
        ("marked errors", Cell(12, 60, 5, TASTES), 60),
        ("marked errors", Cell(5, 60, 5, "unequal loads"), 60),
        ("Bradley–Terry", Cell(24, 60, 5, "unequal loads"), 60),
        ("between raters", Cell(5, 12, 5, TASTES), 40),
        ("between raters, mixed", Cell(5, 12, 2, TASTES), 30),
        ("prediction-powered", Cell(8, 60, 2, TASTES), 40),
        ("alternative test", Cell(5, 12, 5, TASTES), 30),
    ],
)
def test_what_is_not_true_is_rarely_claimed_where_a_wrong_rule_claims_it(name, cell, campaigns):
    """The draws are fixed; .05 of the campaigns plus 2.5 standard errors, and the wrong rule's."""
    row, true = ROWS[name], ROWS[name].true(cell, found=False)
    tables = [row.table(cell, number, found=False) for number in range(campaigns)]
    now = [claimed(row.now, table, number) for number, table in enumerate(tables)]
    most = campaigns * 0.05 + 2.5 * (campaigns * 0.05 * 0.95) ** 0.5
    assert None not in now
    wrong = sum(bool(each - true) for each in now)
    assert wrong <= most
    # Its wrong campaigns are counted only until there are more of them.
    before = (claimed(row.before, table, number) for number, table in enumerate(tables))
    assert any(count > wrong for count in accumulate(bool(each - true) for each in before))


@pytest.mark.parametrize("cell", [Cell(5, 60, 2, TASTES), Cell(8, 4, 5, TASTES)])
def test_clusters_are_not_claimed_from_fewer_than_six_units(cell):
    row = ROWS["TrueSkill clusters"]
    different = cell.campaign(1, effect=3.0)
    assert claimed(row.now, different, 1) is None
    assert claimed(row.before, different, 1)
    assert claimed(ROWS["Bradley–Terry"].now, different, 1) is not None


def test_unequal_loads_widen_errors_by_what_a_large_share_hides():
    """Without the correction, one in twelve campaigns of these loads makes a false claim."""
    cell = Cell(24, 60, 2, "unequal loads")
    false, uncorrected = [], []
    for number in range(1000, 1300):
        table = cell.campaign(number)
        found = clustered(table.value, table, OPTIONS, True)
        (pair,) = found.contrasts
        correction = share_correction(table.rater.codes) ** 0.5
        false.append(pair.p < 0.05)
        t = correction * pair.difference / pair.se
        uncorrected.append(adjusted_p(np.array([t]), 1, found.df)[0] < 0.05)
    assert np.mean(false) < 0.07 < np.mean(uncorrected)


@pytest.mark.parametrize(
    "name",
    [
        "least squares",
        "Bradley–Terry",
        "TrueSkill clusters",
        "exact tests",
        "prediction-powered",
        "alternative test",
    ],
)
def test_what_is_true_is_found(name):
    row, cell = ROWS[name], Cell(24, 24, 2, TASTES)
    found = [claimed(row.now, row.table(cell, number, found=True), number) for number in range(10)]
    assert sum(each == row.true(cell, found=True) for each in found) >= 8


@pytest.mark.parametrize(
    ("name", "cell"),
    [("prediction-powered", Cell(8, 12, 2, TASTES)), ("alternative test", Cell(8, 12, 2, TASTES))],
)
def test_metrics_and_judges_of_few_outputs_are_refused(name, cell):
    """12 items are fewer than 20, and their 24 outputs fewer than 30."""
    row = ROWS[name]
    assert claimed(row.now, row.table(cell, 1, found=True), 1) is None
    enough = Cell(cell.raters, 24, cell.systems, cell.dependence)
    assert claimed(row.now, row.table(enough, 1, found=True), 1) is not None


def test_equal_systems_are_found_to_be_equivalent():
    """Both orders of the pair; at a difference of the margin nothing is said of most campaigns."""
    row, cell = ROWS["equivalence"], Cell(24, 12, 2, TASTES)
    found = [row.now(row.table(cell, number, found=True), number) for number in range(10)]
    assert sum(len(each) == 2 for each in found) >= 8
