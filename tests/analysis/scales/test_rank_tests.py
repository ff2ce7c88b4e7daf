"""Kruskal–Wallis, Dunn, Friedman, Wilcoxon and Holm against R's figures and scipy."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.scales.comparison import holm
from analysis.scales.rank_tests import block_means, dunn, friedman, kruskal_wallis, wilcoxon_pairs
from tests.analysis.textbook import ONE_WAY, coded, column, factor, figures, rows_of


@pytest.mark.parametrize("name", ["PlantGrowth", "InsectSprays", "chickwts"])
def test_kruskal_wallis_with_ties_equals_r(name):
    file, value, group = ONE_WAY[name]
    rows = rows_of(file)
    groups, labels = factor(rows, group)
    found = kruskal_wallis(column(rows, value), groups, len(labels))
    assert [found.statistic, found.p] == pytest.approx(figures("r_tests")[name]["kruskal"])


def wine() -> tuple[np.ndarray, list[str]]:
    """Bitterness by judge and treatment (Randall 1989, in R's ordinal)."""
    rows = rows_of("textbook/wine.csv")
    systems, labels = coded([f"{row['temp']} {row['contact']}" for row in rows])
    judges, names = factor(rows, "judge")
    return block_means(column(rows, "response"), judges, systems, (len(names), len(labels))), labels


def test_friedman_equals_r():
    means, labels = wine()
    assert labels == figures("r_tests")["wine"]["systems"]
    found = friedman(means)
    assert [found.statistic, found.p] == pytest.approx(figures("r_tests")["wine"]["friedman"])
    assert found.n == 9


def test_wilcoxon_equals_r():
    means, labels = wine()
    found = {(pair.a, pair.b): pair for pair in wilcoxon_pairs(means, labels)}
    expected = figures("r_tests")["wine"]["wilcoxon"]
    for first, second, p in expected:
        assert found[labels[first], labels[second]].p == pytest.approx(p)
    adjusted = holm([p for _, _, p in expected])
    assert [pair.p_holm for pair in found.values()] == pytest.approx(adjusted.tolist())


def test_holm_equals_r():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_dunn_of_two_systems_is_kruskal_wallis():
    rng = np.random.default_rng(3)
    values, groups = rng.integers(1, 6, size=40).astype(float), np.repeat([0, 1], 20)
    (pair,) = dunn(values, groups, ["a", "b"])
    assert pair.statistic**2 == pytest.approx(kruskal_wallis(values, groups, 2).statistic)


def test_incomplete_blocks_are_left_out_and_counted():
    means = np.array([[1, 2, 3], [2, 3, 1], [np.nan, 1, 2], [3, 1, 2.0]])
    assert friedman(means).n == 3


def test_pairs_without_a_result_say_why():
    means = np.array([[1, 1, np.nan], [2, 2, np.nan]])
    same, apart, _ = wilcoxon_pairs(means, ["a", "b", "c"])
    assert same.reason == "The two systems are equal on every item."
    assert apart.reason == "The two systems share no item."
    assert same.p is None and apart.p_holm is None


UNDEFINED = {
    "all equal": lambda: kruskal_wallis([3, 3, 3, 3], np.array([0, 0, 1, 1]), 2),
    "one system": lambda: kruskal_wallis([1, 2, 3], np.array([0, 0, 0]), 1),
    "two systems": lambda: friedman(np.array([[1.0, 2.0], [2.0, 1.0]])),
    "one block": lambda: friedman(np.array([[1.0, 2.0, 3.0]])),
    "ties only": lambda: friedman(np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])),
}


@pytest.mark.parametrize("case", sorted(UNDEFINED))
def test_undefined_rank_tests_have_a_reason(case):
    with pytest.raises(Undefined):
        UNDEFINED[case]()
