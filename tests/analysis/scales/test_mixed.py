"""Mixed models against lme4's figures, both ways of solving, and what cannot be fitted."""

import numpy as np
import pytest
from scipy import stats

from analysis.errors import Undefined
from analysis.scales import comparison, mixed_equations
from analysis.scales.mixed_model import MixedModel, fit_mixed
from benchmarks.mixed_level import fitted, freedoms
from tests.analysis.made_tables import made_table
from tests.analysis.textbook import coded, column, factor, figures, rows_of


def made() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Made by a formula, so that the script of the lme4 figures has the same numbers."""
    i = np.arange(240)
    rater, item = i % 7, (i * 5) % 23
    system = (i // 7 + rater) % 4
    noise = ((i * 7919) % 101) / 10 - 5
    value = 50 + 3 * system + 2 * ((rater * 37) % 11) / 3 + ((item * 53) % 17) / 4 + noise
    return value, system, {"rater": rater, "item": item}


def test_a_crossed_model_equals_lme4():
    value, system, random = made()
    assert_equals_lme4(fit_mixed(value, system, list("0123"), random), "made")


def test_wine_equals_lme4_with_a_variance_at_zero():
    rows = rows_of("textbook/wine.csv")
    systems, labels = coded([f"{row['temp']} {row['contact']}" for row in rows])
    random = {name: factor(rows, name)[0] for name in ("judge", "bottle")}
    assert_equals_lme4(fit_mixed(column(rows, "response"), systems, labels, random), "wine")


def steen() -> tuple[np.ndarray, np.ndarray, list[str], dict[str, np.ndarray]]:
    """Steen & Markert (2021): coherence of summaries on a Likert scale."""
    rows = rows_of("summary-lq-steen-2021/likert_coherence_cnn_dm.csv")
    systems, labels = factor(rows, "system")
    random = {name: factor(rows, name)[0] for name in ("annotator", "document")}
    return column(rows, "score"), systems, labels, random


def test_summaries_equal_lme4():
    values, systems, labels, random = steen()
    assert_equals_lme4(fit_mixed(values, systems, labels, random), "steen")


@pytest.mark.parametrize("columns", [800, 0])
def test_four_random_effects_equal_lme4_solved_either_way(columns, monkeypatch):
    monkeypatch.setattr(mixed_equations, "MOST_DENSE_COLUMNS", columns)
    values, systems, labels, random = steen()
    random["output"] = random["document"] * 10 + systems
    random["rs"] = random["annotator"] * 10 + systems
    assert_equals_lme4(fit_mixed(values, systems, labels, random), "steen4")


@pytest.mark.parametrize("criterion", ["fluency", "grammaticality", "semantic_adequacy"])
def test_unbalanced_crowd_judgements_equal_lme4(criterion):
    rows = rows_of("webnlg-2017/all_data_final_scores_anonymised.csv")
    systems, labels = factor(rows, "team")
    random = {"rater": factor(rows, "X_worker_id")[0], "item": factor(rows, "mr")[0]}
    assert_equals_lme4(fit_mixed(column(rows, criterion), systems, labels, random), criterion)


def assert_equals_lme4(model: MixedModel, name: str) -> None:
    expected = figures("lme4")[name]
    assert model.judgements == expected["judgements"]
    assert model.reml_deviance == pytest.approx(expected["reml_deviance"], rel=1e-11)
    # lme4 stops at its own tolerance: the deviance is flat, so variances agree to fewer digits
    largest = max(expected["variances"].values())
    for part in model.components:
        true = expected["variances"][part.source]
        assert part.variance == pytest.approx(true, abs=1e-6 * largest)
    for row in model.means:
        assert row.mean == pytest.approx(expected["means"][row.system], rel=1e-6)
        assert row.se == pytest.approx(expected["errors"][row.system], rel=1e-6)


# The arguments of `made_table`, as in tests/data/r/lmertest.R.
DEGREES = {
    "balanced": (5, 8, 3, 1, 11, (1, 1, 0.5, 0.5)),
    "unbalanced": (9, 30, 5, 0.25, 12, (1, 1, 0.5, 0.5)),
    "usual": (9, 30, 5, 0.25, 12, (1, 1, 0.5, 0.5)),
    "singular": (6, 5, 3, 0.8, 13, (0, 1, 0, 0)),
    "three": (3, 3, 4, 1, 14, (1, 0.5, 0.5, 0.5)),
    "few_items": (12, 3, 5, 0.9, 15, (1, 0.5, 0.3, 0.5)),
}


@pytest.mark.parametrize("case", DEGREES)
def test_degrees_of_freedom_equal_lmertest(case):
    expected = figures("lmertest")[case]
    value, system, usual, full = made_table(*DEGREES[case])
    labels = [str(code) for code in range(int(system.max()) + 1)]
    found = fit_mixed(value, system, labels, usual if case == "usual" else full)
    assert found.reml_deviance == pytest.approx(expected["reml_deviance"], rel=1e-11)
    means = {row.system: row.df for row in found.means}
    assert means == pytest.approx(expected["means"], rel=2e-3)
    pairs = {" ".join(sorted((pair.a, pair.b))): pair.df for pair in found.contrasts}
    assert pairs == pytest.approx(expected["pairs"], rel=2e-3)
    statistic = found.test.F
    assert statistic == pytest.approx(expected["F"], rel=1e-5)
    assert found.test.df_residual == pytest.approx(expected["df_residual"], rel=2e-3)


def test_each_pair_has_the_range_of_its_own_degrees_of_freedom():
    value, system, _, full = made_table(*DEGREES["unbalanced"])
    for pair in fit_mixed(value, system, list("01234"), full).contrasts:
        statistic = np.sqrt(2) * abs(pair.difference) / pair.se
        assert pair.p == pytest.approx(stats.studentized_range.sf(statistic, 5, pair.df), abs=1e-6)
        half = stats.studentized_range.isf(0.05, 5, pair.df) * pair.se / np.sqrt(2)
        assert pair.high - pair.difference == pytest.approx(half, rel=1e-5)


def test_many_pairs_have_ranges_of_fewer_degrees_of_freedom(monkeypatch):
    value, system, _, full = made_table(*DEGREES["unbalanced"])
    exact = fit_mixed(value, system, list("01234"), full).contrasts
    monkeypatch.setattr(comparison, "MOST_EXACT_PAIRS", 3)
    for coarse, pair in zip(
        fit_mixed(value, system, list("01234"), full).contrasts, exact, strict=True
    ):
        assert coarse.df == pair.df
        assert pair.high < coarse.high < pair.high + 0.02 * (pair.high - pair.low)
        assert coarse.p == pytest.approx(pair.p, abs=0.01)


def test_no_comparison_has_more_degrees_of_freedom_than_allowed():
    value, system, _, full = made_table(*DEGREES["few_items"])
    found = fit_mixed(value, system, list("01234"), full, most_df=2)
    assert {row.df for row in (*found.means, *found.contrasts)} == {2}
    assert found.test.df_residual == 2


@pytest.mark.parametrize("seed", range(4))
def test_complete_tables_are_fitted_by_ordering_their_mean_squares(seed):
    """The shortcut of benchmarks/mixed_level.py, with and without variances at zero."""
    raters, items, systems = 4, 3, 3
    value, system, _, full = made_table(raters, items, systems, 1, 40 + seed, (1, 1, 0.4, 0.4))
    cells = value.reshape(raters, items, systems)
    by_rater, by_item = cells.mean(axis=1), cells.mean(axis=0)
    residual = cells - by_rater[:, None] - by_item + cells.mean(axis=(0, 1))
    sums = [
        np.sum(residual**2),
        items * np.sum(interaction(by_rater) ** 2),
        raters * np.sum(interaction(by_item) ** 2),
        items * systems * np.sum((by_rater.mean(axis=1) - value.mean()) ** 2),
        raters * systems * np.sum((by_item.mean(axis=1) - value.mean()) ** 2),
    ]
    freedom = freedoms(raters, items, systems)
    variance, df = fitted(np.array([sums]) / freedom, freedom)
    pair = fit_mixed(value, system, list("012"), full).contrasts[0]
    assert pair.se == pytest.approx(np.sqrt(2 * variance[0] / (raters * items)), rel=1e-5)
    assert pair.df == pytest.approx(df[0], rel=2e-3)


def interaction(table: np.ndarray) -> np.ndarray:
    return table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()


def test_all_ways_to_solve_give_the_same_numbers(monkeypatch):
    value, system, random = made()
    dense = mixed_equations.DenseEquations.of(value, system, random)
    monkeypatch.setattr(mixed_equations, "MOST_PRODUCT_CELLS", 0)
    by_level = mixed_equations.DenseEquations.of(value, system, random)
    assert dense.products is not None and by_level.products is None
    sparse = mixed_equations.SparseEquations.of(value, system, random)
    for theta in ([1.0, 1.0], [0.0, 0.5], [2.0, 0.0], [0.3, 1.7]):
        one = dense.solve(np.array(theta))
        for other in (by_level.solve(np.array(theta)), sparse.solve(np.array(theta))):
            assert other.deviance == pytest.approx(one.deviance, rel=1e-12)
            assert other.coefficients == pytest.approx(one.coefficients, rel=1e-10)
            assert other.covariance == pytest.approx(one.covariance, rel=1e-9, abs=1e-12)


ONE, TWO = np.zeros(6, dtype=int), np.array([0, 1, 0, 1, 0, 1])
UNDEFINED = {
    "one system": (np.arange(6.0), ONE, {"rater": TWO}, "two systems"),
    "one rater and item": (np.arange(6.0), TWO, {"rater": ONE, "item": ONE}, "two raters or two"),
    "constant": (np.ones(6), TWO, {"rater": TWO}, "All scores are equal"),
    "too many levels": (np.arange(6.0), TWO, {"rater": np.arange(6)}, "as many levels"),
}


@pytest.mark.parametrize("case", sorted(UNDEFINED))
def test_models_that_cannot_be_fitted_have_a_reason(case):
    values, systems, random, reason = UNDEFINED[case]
    with pytest.raises(Undefined, match=reason):
        fit_mixed(values, systems, ["a", "b"], random)


def test_a_factor_too_large_is_refused_before_it_is_tried(monkeypatch):
    value, system, random = made()
    monkeypatch.setattr(mixed_equations, "MOST_CROSSED_LEVELS", 3)
    with pytest.raises(Undefined, match="this solver holds 3"):
        fit_mixed(value, system, list("0123"), random)
