"""Shares of variance against mean squares by hand, and predicted widths against simulations."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.reliability.generalisability import generalisability, planned_size
from analysis.scales.tukey_hsd import range_quantile
from benchmarks.mixed_level import campaigns_of, fitted, freedoms
from tests.analysis.made_tables import made_table

TABLE = (6, 12, 4, 1, 31, (1, 0.8, 0.6, 0.6))


def expected_mean_squares(cells: np.ndarray) -> dict[str, float]:
    """Variances of a complete table by Brennan's equations for p × i × h."""
    r, i, s = cells.shape
    total = cells.mean()
    means = {axes: cells.mean(axis=axes) - total for axes in [(1, 2), (0, 2), (0, 1), 0, 1, 2]}
    rater, item, system = means[1, 2], means[0, 2], means[0, 1]
    item_system = means[0] - item[:, None] - system
    rater_system = means[1] - rater[:, None] - system
    rater_item = means[2] - rater[:, None] - item
    rest = cells - total - rater[:, None, None] - item[:, None] - system
    rest = rest - item_system - rater_system[:, None] - rater_item[:, :, None]

    def mean_square(part: np.ndarray, times: int, df: int) -> float:
        return times * float(np.sum(part**2)) / df

    e = mean_square(rest, 1, (r - 1) * (i - 1) * (s - 1))
    rs = mean_square(rater_system, i, (r - 1) * (s - 1))
    is_ = mean_square(item_system, r, (i - 1) * (s - 1))
    ri = mean_square(rater_item, s, (r - 1) * (i - 1))
    return {
        "system": (mean_square(system, r * i, s - 1) - rs - is_ + e) / (r * i),
        "rater": (mean_square(rater, i * s, r - 1) - rs - ri + e) / (i * s),
        "item": (mean_square(item, r * s, i - 1) - is_ - ri + e) / (r * s),
        "rater:system": (rs - e) / i,
        "item:system": (is_ - e) / r,
        "rater:item": (ri - e) / s,
        "Residual": e,
    }


def test_variances_of_a_complete_table_are_those_of_its_mean_squares():
    value, system, random, _ = made_table(*TABLE)
    found = generalisability(value, system, random["rater"], random["item"])
    expected = expected_mean_squares(value.reshape(6, 12, 4))
    assert min(expected.values()) > 0
    variance = {each.source: each.variance for each in found.shares}
    assert variance == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert sum(each.share for each in found.shares) == pytest.approx(1)
    assert found.merged == ()


def test_what_a_design_cannot_tell_apart_is_named():
    value, system, random, _ = made_table(*TABLE)
    kept = system == (random["rater"] + random["item"]) % 4  # one system of each item to a rater
    found = generalisability(
        value[kept], system[kept], random["rater"][kept], random["item"][kept], sizes=[(5, 10)]
    )
    assert found.merged == ("rater:item",)
    assert [(each.raters, each.items) for each in found.sizes] == [(5, 10)]


@pytest.mark.parametrize(
    ("raters", "items", "systems"), [(5, 10, 4), (8, 20, 5), (12, 12, 2), (24, 60, 3)]
)
def test_predicted_widths_are_those_of_simulated_campaigns(raters, items, systems):
    rng = np.random.default_rng(1)
    squares, _ = campaigns_of(raters, items, np.full(systems, 0.5), 4000, rng)
    variance, _ = fitted(squares, freedoms(raters, items, systems))
    critical = range_quantile(0.95, systems, min(raters, items) - 1.0)
    simulated = critical * np.mean(np.sqrt(variance / (raters * items)))
    spread = {"rater:system": 0.25, "item:system": 0.25, "Residual": 1.0}
    predicted = planned_size(spread, raters, items, systems).half_width
    assert predicted == pytest.approx(simulated, rel=0.03)


def test_coefficients_are_correlations_of_repeated_campaigns():
    """Eρ² is the expected correlation of two campaigns' means with other raters and items."""
    rng = np.random.default_rng(2)
    raters, items, systems = 4, 6, 3000
    ability = np.sqrt(0.5) * rng.normal(size=systems)

    def means() -> np.ndarray:
        rs = np.sqrt(0.3) * rng.normal(size=(raters, systems))
        is_ = np.sqrt(0.4) * rng.normal(size=(items, systems))
        error = rng.normal(size=(raters, items, systems))
        return ability + rs.mean(axis=0) + is_.mean(axis=0) + error.mean(axis=(0, 1))

    spread = {"system": 0.5, "rater": 0.6, "rater:system": 0.3, "item:system": 0.4, "Residual": 1.0}
    found = planned_size(spread, raters, items, 5)
    assert found.relative == pytest.approx(np.corrcoef(means(), means())[0, 1], abs=0.02)
    error = 0.3 / 4 + 0.4 / 6 + 1 / 24
    assert found.absolute == pytest.approx(0.5 / (0.5 + error + 0.6 / 4))


def test_one_rater_or_item_has_no_width_and_no_study():
    assert planned_size({"Residual": 1.0}, 1, 50, 3).half_width is None
    value, system, random, _ = made_table(*TABLE)
    with pytest.raises(Undefined, match="variance of raters needs"):
        generalisability(value, system, 0 * system, random["item"])
