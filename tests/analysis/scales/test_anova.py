"""Analysis of variance: certified and published tables, and what has no table."""

import math
from fractions import Fraction

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.scales.anova import Anova, factorial, one_way, welch
from tests.analysis.published import published
from tests.analysis.textbook import LATIN, ONE_WAY, column, factor, figures, nist, rows_of

NIST_DIGITS = {  # digits of F that survive in double-precision data (log relative error)
    "SiRstv": 13,
    "SmLs01": 15,
    "SmLs02": 14,
    "SmLs03": 13,
    "AtmWtAg": 10,
    "SmLs04": 10,
    "SmLs05": 10,
    "SmLs06": 10,
    "SmLs07": 4,
    "SmLs08": 4,
    "SmLs09": 4,
}


@pytest.mark.parametrize("name", sorted(NIST_DIGITS))
def test_nist_certified_values_to_the_digits_that_doubles_hold(name):
    values, groups, (between, _, f, within, _) = nist(name)
    table = one_way(values, groups, int(groups.max()) + 1)
    assert digits(table.rows[0].F, f) >= NIST_DIGITS[name]
    assert digits(table.rows[0].sum_sq, between) >= NIST_DIGITS[name] - 1.5
    assert digits(table.residual.sum_sq, within) >= NIST_DIGITS[name] - 1.5


@pytest.mark.parametrize("name", ["SmLs04", "SmLs07", "SmLs08", "AtmWtAg"])
def test_no_digit_is_lost_beyond_those_that_reading_the_data_loses(name):
    """In exact arithmetic on the same doubles F is ours to 14 digits."""
    values, groups, _ = nist(name)
    table = one_way(values, groups, int(groups.max()) + 1)
    assert digits(table.rows[0].F, exact_f(values, groups)) >= 14


def digits(found: float, true: float) -> float:
    return 15.0 if found == true else min(15.0, -math.log10(abs(found - true) / abs(true)))


def exact_f(values: np.ndarray, groups: np.ndarray) -> float:
    members = [
        [Fraction(value) for value in values[groups == group].tolist()]
        for group in range(groups.max() + 1)
    ]
    grand = sum(map(sum, members)) / len(values)
    means = [sum(each) / len(each) for each in members]
    between = sum(len(e) * (m - grand) ** 2 for e, m in zip(members, means, strict=True))
    within = sum((x - m) ** 2 for e, m in zip(members, means, strict=True) for x in e)
    return float((between / (len(members) - 1)) / (within / (len(values) - len(members))))


@pytest.mark.parametrize("criterion", ["Grammaticality", "Coherence", "Repetition"])
def test_the_published_f_of_a_data_to_text_study_to_twelve_digits(criterion):
    rows = rows_of(f"reprohum-d2t-2023/{criterion}_anova_scores.csv")
    systems, labels = factor(rows, "system")
    table = one_way(column(rows, "score"), systems, len(labels))
    expected = published("reprohum-d2t-2023")["anova_tukey"][criterion]
    assert pytest.approx(expected["F"], rel=1e-12) == table.rows[0].F
    assert table.rows[0].p == pytest.approx(expected["p"], rel=1e-9)
    assert [row.df for row in table.rows] == expected["df"]


@pytest.mark.parametrize("name", sorted(ONE_WAY))
def test_one_way_tables_equal_r(name):
    file, value, group = ONE_WAY[name]
    rows = rows_of(file)
    groups, labels = factor(rows, group)
    table = one_way(column(rows, value), groups, len(labels), source=group)
    assert_rows_equal(table, rows_of(f"r/{name}.anova.csv"))


@pytest.mark.parametrize("name", ["PlantGrowth", "InsectSprays", "chickwts"])
def test_welch_equals_r(name):
    file, value, group = ONE_WAY[name]
    rows = rows_of(file)
    groups, labels = factor(rows, group)
    found = welch(column(rows, value), groups, len(labels))
    expected = figures("r_tests")[name]["welch"]
    assert [found.F, found.df, found.df_residual, found.p] == pytest.approx(expected, rel=1e-9)


TWO_WAY = {
    "ToothGrowth": ("textbook/ToothGrowth.csv", "len", ("supp", "dose")),
    "warpbreaks": ("textbook/warpbreaks.csv", "breaks", ("wool", "tension")),
    "webnlg2017-semantics-team-x-type": (
        "webnlg-2017/all_data_final_averaged.csv",
        "semantics",
        ("team", "type"),
    ),
}


@pytest.mark.parametrize("name", sorted(TWO_WAY))
def test_types_one_two_and_three_equal_r(name):
    file, value, names = TWO_WAY[name]
    rows = rows_of(file)
    values, factors = column(rows, value), {each: factor(rows, each)[0] for each in names}
    first = factorial(values, factors, interaction=True, type="I")
    assert_rows_equal(first, rows_of(f"r/{name}.typeI.csv"))
    turned = {each: factors[each] for each in reversed(names)}
    second = factorial(values, turned, interaction=True, type="I")
    assert_rows_equal(second, rows_of(f"r/{name}.typeI-reversed.csv"))
    main = factorial(values, factors, interaction=True, type="II")
    assert_effects_equal(main, rows_of(f"r/{name}.typeII-main.csv"), "sum_sq", "F")
    third = factorial(values, factors, interaction=True, type="III")
    expected = [row for row in rows_of(f"r/{name}.typeIII.csv") if row["term"] != "<none>"]
    assert_effects_equal(third, expected, "Sum of Sq", "F value")


@pytest.mark.parametrize("name", LATIN)
@pytest.mark.parametrize("type", ["I", "II", "III"])
def test_latin_squares_equal_r_whatever_the_type(name, type):
    rows = rows_of(f"textbook/{name}.csv")
    *names, value = LATIN[name]
    factors = {each: factor(rows, each)[0] for each in names}
    table = factorial(column(rows, value), factors, type=type)
    short = name.removesuffix(".latin")
    assert_rows_equal(table, rows_of(f"r/latin-{short}.anova.csv"))


def assert_rows_equal(table: Anova, expected: list[dict[str, str]]) -> None:
    for row, true in zip(table.rows, expected, strict=True):
        assert row.df == float(true["df"])
        assert row.sum_sq == pytest.approx(float(true["sum_sq"]), rel=1e-10)
        if true["F"] != "NA":
            assert pytest.approx(float(true["F"]), rel=1e-10) == row.F
            assert row.p == pytest.approx(float(true["p"]), rel=1e-8)


def assert_effects_equal(
    table: Anova, expected: list[dict[str, str]], sums: str, ratio: str
) -> None:
    for row, true in zip(table.rows, expected, strict=False):
        assert row.sum_sq == pytest.approx(float(true[sums]), rel=1e-10)
        assert pytest.approx(float(true[ratio]), rel=1e-10) == row.F


def unbalanced(seed: int = 0, raters: int = 9) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    systems, judges = rng.integers(4, size=300), rng.integers(raters, size=300)
    values = systems + 0.5 * judges + rng.normal(size=300) + 100
    return values, {"system": systems, "rater": judges, "position": rng.integers(3, size=300)}


@pytest.mark.parametrize("type", ["I", "II", "III"])
def test_unbalanced_models_with_raters_equal_statsmodels(type):
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values, factors = unbalanced()
    frame = pd.DataFrame({"value": values, **factors})
    formula = "value ~ " + " + ".join(f"C({name}, Sum)" for name in factors)
    number = {"I": 1, "II": 2, "III": 3}[type]
    expected = anova_lm(ols(formula, frame).fit(), typ=number)
    expected = expected.drop("Intercept", errors="ignore")
    table = factorial(values, factors, type=type)
    assert [row.sum_sq for row in table.rows] == pytest.approx(expected["sum_sq"], rel=1e-9)
    assert [row.F for row in table.rows[:-1]] == pytest.approx(expected["F"][:-1], rel=1e-9)


def test_one_factor_gives_the_one_way_table():
    values, factors = unbalanced()
    simple = one_way(values, factors["system"], 4)
    general = factorial(values, {"system": factors["system"]})
    assert pytest.approx(simple.rows[0].F, rel=1e-12) == general.rows[0].F
    assert general.rows[0].omega_sq == pytest.approx(simple.rows[0].omega_sq, rel=1e-9)


def test_effect_sizes_are_shares_of_the_variance():
    values, factors = unbalanced()
    row = one_way(values, factors["system"], 4).rows[0]
    total = np.sum((values - values.mean()) ** 2)
    assert row.eta_sq == pytest.approx(row.sum_sq / total)
    assert 0 < row.omega_sq < row.eta_sq


def test_an_aliased_factor_explains_nothing_more():
    values, factors = unbalanced()
    table = factorial(values, {"system": factors["system"], "again": factors["system"]})
    assert table.row("again").df == 0
    assert table.row("again").F is None


UNDEFINED = {
    "one system": ([1.0, 2.0, 3.0], [0, 0, 0], "at least two"),
    "no repeated value": ([1.0, 2.0], [0, 1], "No degrees of freedom"),
    "constant scores": ([5.0] * 6, [0, 0, 1, 1, 2, 2], "All scores are equal"),
    "no variation within": ([1.0, 1.0, 2.0, 2.0], [0, 0, 1, 1], "no variation within"),
}


@pytest.mark.parametrize("case", sorted(UNDEFINED))
def test_undefined_tables_have_a_reason(case):
    values, groups, reason = UNDEFINED[case]
    with pytest.raises(Undefined, match=reason):
        one_way(values, np.array(groups), 3)
    with pytest.raises(Undefined):
        welch(values, np.array(groups), 3)


def test_an_empty_cell_has_no_type_three_table():
    values, factors = unbalanced()
    kept = ~((factors["system"] == 1) & (factors["position"] == 2))
    cells = {name: factors[name][kept] for name in ("system", "position")}
    with pytest.raises(Undefined, match="1 of 12 cells are empty"):
        factorial(values[kept], cells, interaction=True, type="III")
    assert (
        factorial(values[kept], cells, interaction=True, type="II").row("system × position").df == 5
    )
