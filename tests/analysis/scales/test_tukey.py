"""Tukey's comparisons, letters and subsets against published and R's figures, and properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import studentized_range

from analysis.errors import Undefined
from analysis.scales.anova import factorial, group_moments, one_way
from analysis.scales.comparison import contrasts
from analysis.scales.studentised_range import probabilities, quantile
from analysis.scales.tukey_hsd import (
    Tukey,
    compact_letters,
    letter_name,
    range_quantile,
    range_tail,
    split_letters,
    tukey,
)
from tests.analysis.published import published
from tests.analysis.textbook import LATIN, ONE_WAY, column, factor, rows_of


def compared(
    values: np.ndarray, groups: np.ndarray, labels: list[str], residual=None, **options
) -> Tukey:
    moments = group_moments(values, groups, len(labels))
    row = residual or one_way(values, groups, len(labels)).residual
    return tukey(labels, moments.means, moments.sizes, row.mean_sq, row.df, **options)


@pytest.mark.parametrize("criterion", ["Grammaticality", "Coherence", "Repetition"])
def test_the_published_rows_of_a_data_to_text_study_to_four_decimals(criterion):
    rows = rows_of(f"reprohum-d2t-2023/{criterion}_anova_scores.csv")
    data = published("reprohum-d2t-2023")
    numbers = {name: int(number) for number, name in data["systems"].items()}
    systems, labels = factor(rows, "system")
    found = by_pair(compared(column(rows, "score"), systems, labels))
    expected = data["anova_tukey"][criterion]["tukey"]
    assert len(expected) == 10
    names = {number: name for name, number in numbers.items()}
    for row in expected:
        difference, low, high, p = found[(names[row["g2"]], names[row["g1"]])]
        assert [difference, low, high, p] == pytest.approx(
            [row["meandiff"], row["lower"], row["upper"], row["p_adj"]], abs=0.5001e-4
        )
        assert (p < 0.05) == row["reject"]


def by_pair(found: Tukey) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    pairs = {(p.a, p.b): (p.difference, p.low, p.high, p.p) for p in found.pairs}
    turned = {(p.b, p.a): (-p.difference, -p.high, -p.low, p.p) for p in found.pairs}
    return pairs | turned


ORACLES = {
    **{name: ONE_WAY[name] for name in ONE_WAY},
    **{
        f"reprohum-{name}": (f"reprohum-d2t-2023/{name}_anova_scores.csv", "score", "system")
        for name in ("Grammaticality", "Coherence", "Repetition")
    },
}


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_pairs_and_letters_equal_r(name):
    file, value, group = ORACLES[name]
    rows = rows_of(file)
    groups, labels = factor(rows, group)
    found = compared(column(rows, value), groups, [as_r(label) for label in labels])
    assert_pairs_equal(found, name)
    assert_letters_equal(found, name)


@pytest.mark.parametrize("name", sorted(LATIN))
def test_latin_squares_take_the_residual_of_their_model(name):
    rows = rows_of(f"textbook/{name}.csv")
    *factors, value = LATIN[name]
    values = column(rows, value)
    model = factorial(values, {each: factor(rows, each)[0] for each in factors})
    groups, labels = factor(rows, factors[2])
    found = compared(values, groups, labels, residual=model.residual)
    oracle = f"latin-{name.removesuffix('.latin')}"
    assert_pairs_equal(found, oracle)
    assert_letters_equal(found, oracle)


def as_r(label: str) -> str:
    """The oracles' splitter parts names at a hyphen, so that they have none."""
    return label.replace("-", "_")


def assert_pairs_equal(found: Tukey, name: str) -> None:
    pairs = by_pair(found)
    for row in rows_of(f"r/{name}.tukey.csv"):
        first, second = row["pair"].split("-")
        difference, low, high, p = pairs[(first, second)]
        expected = [float(row[key]) for key in ("diff", "lwr", "upr")]
        assert [difference, low, high] == pytest.approx(expected, rel=1e-5, abs=1e-5)
        assert p == pytest.approx(float(row["p adj"]), abs=1e-6)


def assert_letters_equal(found: Tukey, name: str) -> None:
    """Which systems share a letter is the same, and the letters themselves, best mean first."""
    expected = {row["level"]: row["letters"] for row in rows_of(f"r/{name}.letters.csv")}
    for first, second in itertools.combinations(expected, 2):
        sharing = bool(set(expected[first]) & set(expected[second]))
        assert bool(set(found.letters[first]) & set(found.letters[second])) == sharing
    assert {name: text.lower() for name, text in found.letters.items()} == expected


def test_quantiles_of_the_studentised_range_equal_r():
    for row in rows_of("r/qtukey.csv"):
        groups, df = int(row["k"]), float(row["df"])  # "Inf" reads as infinity
        # R states its own algorithm (AS 190) as exact to about five digits
        assert range_quantile(0.95, groups, df) == pytest.approx(float(row["q95"]), abs=2e-4)
        assert range_quantile(0.99, groups, df) == pytest.approx(float(row["q99"]), abs=2e-4)


@pytest.mark.parametrize("df", [1.0, 3.0, 20.0, 495.0, 2220.0, np.inf])
def test_probabilities_of_the_studentised_range_equal_an_adaptive_integration(df):
    for groups, statistics in [
        (2, [0.0, 1.3, 3.7]),
        (5, [2.2, 4.0]),
        (21, [3.0, 5.5]),
        (200, [6.0]),
    ]:
        expected = studentized_range.cdf(statistics, groups, df)
        assert probabilities(statistics, groups, df) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(("groups", "df"), [(2, 1.0), (3, 4.0), (21, 2220.0), (300, np.inf)])
def test_quantiles_have_their_probabilities(groups, df):
    for probability in (0.001, 0.5, 0.95, 0.999999):
        found = probabilities([quantile(probability, groups, df)], groups, df)
        assert found == pytest.approx([probability], abs=1e-13)


def test_a_quantile_beyond_all_numbers_is_refused_and_not_looked_for_without_end():
    with pytest.raises(ValueError, match="signs"):
        quantile(1.0, 3, 1.0)


@pytest.mark.parametrize("df", [20.0, 2220.0, 1e6])
def test_interpolated_tails_equal_the_exact_ones(df):
    statistics = np.random.default_rng(1).uniform(0, 8, size=900)
    some = np.random.default_rng(2).choice(900, size=60, replace=False)
    interpolated = range_tail(statistics, 21, df)[some]
    assert interpolated == pytest.approx(range_tail(statistics[some], 21, df), abs=2e-5)


differing_pairs = st.integers(2, 7).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.sets(st.sampled_from(list(itertools.combinations(range(count), 2)))),
    )
)


@given(differing_pairs)
def test_two_systems_share_a_letter_exactly_unless_they_differ(case):
    count, differing = case
    letters = compact_letters(count, sorted(differing))
    assert all(letters)
    for pair in itertools.combinations(range(count), 2):
        sharing = bool(set(letters[pair[0]]) & set(letters[pair[1]]))
        assert sharing == (pair not in differing)


@given(differing_pairs)
def test_no_letter_is_contained_in_another(case):
    count, differing = case
    letters = compact_letters(count, sorted(differing))
    held = [{k for k in range(count) if name in letters[k]} for name in set("".join(letters))]
    assert not any(first < second for first, second in itertools.permutations(held, 2))


def test_letters_run_from_the_best_mean_down():
    assert compact_letters(3, [(0, 2)]) == ("A", "AB", "B")


def test_there_are_letters_for_any_number_of_systems():
    names = [letter_name(number) for number in range(200)]
    assert len(set(names)) == 200
    assert split_letters(names[3] + names[60] + names[110]) == [names[3], names[60], names[110]]


def test_lower_may_be_better():
    values, groups = np.array([1.0, 1.2, 5.0, 5.1, 9.0, 9.3]), np.array([0, 0, 1, 1, 2, 2])
    found = compared(values, groups, ["fast", "middle", "slow"], higher_is_better=False)
    assert list(found.letters) == ["fast", "middle", "slow"]
    assert found.letters["fast"] == "A"


def test_equal_sizes_make_letters_and_subsets_agree():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 25)
    found = compared(groups * 0.3 + rng.normal(size=200), groups, list("abcdefgh"))
    sharing = {
        frozenset(pair)
        for pair in itertools.combinations(found.letters, 2)
        if set(found.letters[pair[0]]) & set(found.letters[pair[1]])
    }
    together = {
        frozenset(pair) for subset in found.subsets for pair in itertools.combinations(subset, 2)
    }
    assert sharing == together


def test_the_significance_of_a_subset_is_above_alpha_and_its_union_is_everything():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(6), [5, 9, 30, 12, 7, 20])
    found = compared(groups * 0.6 + rng.normal(size=83), groups, list("abcdef"))
    assert all(p >= 0.05 for p in found.subset_p)
    assert set().union(*found.subsets) == set("abcdef")
    assert found.harmonic_n == pytest.approx(6 / sum(1 / n for n in (5, 9, 30, 12, 7, 20)))
    assert tukey("abcde", range(5), [120] * 5, 1.0, 595).harmonic_n == 120


def test_one_system_has_no_pairs():
    with pytest.raises(Undefined, match="at least two systems"):
        tukey(["only"], [1.0], [5], 1.0, 4)


def test_too_few_degrees_of_freedom_are_a_reason_and_not_an_error():
    """A mixed model of two raters can have nearly none; the rest of the report is computed."""
    with pytest.raises(Undefined, match="degrees of freedom are too few"):
        range_quantile(0.95, 4, 0.001)


@pytest.mark.parametrize("df", [0.0, float("nan"), 0.001])
def test_contrasts_without_degrees_of_freedom_say_so(df):
    """With 0.001 the search for a quantile took minutes."""
    given = ["a", "b"], np.array([1.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(Undefined, match="degrees of freedom"):
        contrasts(*given, alpha=0.05, df=df, higher_is_better=True)
