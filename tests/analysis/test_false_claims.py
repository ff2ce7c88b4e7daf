"""Few cells of the table of false claims; docs/statistics.md shows all of them."""

import pytest

from benchmarks.false_claims import METHODS, Cell, claimed

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
    ],
)
def test_equal_systems_are_rarely_told_apart_where_the_old_rule_told_them(name, cell, campaigns):
    """The draws are fixed; .05 of the campaigns plus 2.5 standard errors, and the old rule's."""
    row = ROWS[name]
    tables = [cell.campaign(number) for number in range(campaigns)]
    now = [claimed(row.now, table, number) for number, table in enumerate(tables)]
    before = [claimed(row.before, table, number) for number, table in enumerate(tables)]
    most = campaigns * 0.05 + 2.5 * (campaigns * 0.05 * 0.95) ** 0.5
    assert None not in now
    assert sum(map(bool, now)) <= most
    assert sum(map(bool, before)) > sum(map(bool, now))


@pytest.mark.parametrize("cell", [Cell(5, 60, 2, TASTES), Cell(8, 4, 5, TASTES)])
def test_clusters_are_not_claimed_from_fewer_than_six_units(cell):
    row = ROWS["TrueSkill clusters"]
    different = cell.campaign(1, effect=3.0)
    assert claimed(row.now, different, 1) is None
    assert claimed(row.before, different, 1)
    assert claimed(ROWS["Bradley–Terry"].now, different, 1) is not None


@pytest.mark.parametrize("name", ["least squares", "Bradley–Terry", "TrueSkill clusters"])
def test_a_true_difference_is_found(name):
    cell = Cell(24, 12, 2, TASTES)
    found = [claimed(ROWS[name].now, cell.campaign(number, 1.0), number) for number in range(10)]
    assert sum(each == {("s0000", "s0001")} for each in found) >= 8
