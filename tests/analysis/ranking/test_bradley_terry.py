"""Bradley–Terry agrees with independent fits and claims no more than it may."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from analysis import OptionsError, RankingError
from analysis.inference import share_correction
from analysis.ranking.bradley_terry import (
    Separated,
    abilities,
    bradley_terry,
    fit,
    penalised_fit,
    require_estimable,
)
from analysis.ranking.pairs import Counts, count, pairs_from_table
from analysis.ranking.resampling import Resampler
from tests.analysis.judged import rebuilt, simulated, table_of_screens


@pytest.fixture
def pairs():
    return pairs_from_table(simulated(screens=300))


def without_ties(table):
    """Values made distinct, so that no comparison ties."""
    return rebuilt(table, value=table.value + np.linspace(0, 0.4, len(table)))


def davidson_likelihood(point, pairs):
    ability, log_tie = point[:-1], point[-1]
    first, second = ability[pairs.first], ability[pairs.second]
    tie = log_tie + (first + second) / 2
    total = np.log(np.exp(first) + np.exp(second) + np.exp(tie))
    won = np.choose(pairs.outcome, [first, tie, second])
    return -np.sum(won - total)


def test_davidson_agrees_with_a_general_optimiser(pairs):
    found = minimize(davidson_likelihood, np.zeros(6), args=(pairs,), method="BFGS", tol=1e-9)
    ours = fit(count(pairs))
    assert ours.ability == pytest.approx(found.x[:5] - found.x[:5].mean(), abs=1e-5)
    assert ours.log_tie == pytest.approx(found.x[5], abs=1e-5)
    assert ours.log_likelihood == pytest.approx(-found.fun, abs=1e-8)
    assert ours.log_likelihood >= -found.fun - 1e-9


@pytest.mark.parametrize("generality", ["raters", "items", "both"])
def test_clustered_errors_are_the_sandwich_of_statsmodels(generality):
    import statsmodels.api as sm

    pairs = pairs_from_table(without_ties(simulated(screens=600, taste=1.0)))
    design = np.zeros((len(pairs), 5))
    design[np.arange(len(pairs)), pairs.first] = 1
    design[np.arange(len(pairs)), pairs.second] = -1
    model = sm.GLM(1 - pairs.outcome / 2, design[:, 1:], family=sm.families.Binomial())

    def covariance(codes):
        groups = np.unique(codes, return_inverse=True)[1]
        keywords = {"groups": groups, "use_correction": False}
        plain = model.fit(tol=1e-13, cov_type="cluster", cov_kwds=keywords).cov_params()
        number = groups.max() + 1
        return plain * number / (number - 1)

    def corrected(codes):
        return covariance(codes) * share_correction(codes)

    both = pairs.rater * 100 + pairs.item
    expected = {
        "raters": lambda: corrected(pairs.rater),
        "items": lambda: corrected(pairs.item),
        "both": lambda: corrected(pairs.rater) + corrected(pairs.item) - covariance(both),
    }[generality]()
    result = bradley_terry(pairs, ties="half", generality=generality)
    half_width = {(row.a, row.b): (row.high - row.low) / 2 for row in result.pairs}
    labels = pairs.systems
    for k in range(4):  # differences from system0 are the regression's own parameters
        key = (labels[0], labels[k + 1])
        width = half_width.get(key) or half_width[key[::-1]]
        error = np.sqrt(expected[k, k])
        assert width / result.critical == pytest.approx(error, rel=1e-6)


@pytest.mark.slow
def test_simultaneous_intervals_hold_all_true_differences_as_often_as_they_say():
    """Independent judgements of four equal systems: 95 % of campaigns make no claim at all."""
    campaigns, bold = 300, 0
    rng = np.random.default_rng(8)
    screens = [
        {"rater": f"r{n % 40}", "item": f"i{n // 4 % 50}", "values": dict.fromkeys("abcd", 0)}
        for n in range(200)
    ]
    table = table_of_screens(screens)
    for _ in range(campaigns):
        judged = replace(table, value=rng.normal(size=len(table)))
        result = bradley_terry(pairs_from_table(judged))
        bold += any(row.low > 0 or row.high < 0 for row in result.pairs)
    assert bold / campaigns < 0.05 + 3 * np.sqrt(0.05 * 0.95 / campaigns)


def test_rank_sets_count_those_that_are_surely_better_or_worse():
    screens = [
        {"rater": f"r{n % 9}", "item": str(n % 20), "values": values}
        for n, values in enumerate(
            {"good": 2 + 2 * (n % 5 > 0), "fair": 3, "poor": 3.5 * (n % 7 == 0) + n % 2}
            for n in range(400)
        )
    ]
    result = bradley_terry(pairs_from_table(table_of_screens(screens)), generality="raters")
    assert [(row.system, row.rank_low, row.rank_high, row.cluster) for row in result.systems] == [
        ("good", 1, 1, 1),
        ("fair", 2, 2, 2),
        ("poor", 3, 3, 3),
    ]
    assert all(row.p < 0.05 for row in result.pairs)
    assert sum(row.ability for row in result.systems) == pytest.approx(0, abs=1e-12)


# R 4.2.2, brglm2 0.9: glm(cbind(wins, losses) ~ first - second, method = "brglmFit", AS_mean).
WINS = [[0, 10, 8, 9], [0, 0, 6, 7], [0, 3, 0, 5], [0, 2, 4, 0]]
IN_ONE_ORDER = np.triu(np.full((4, 4), 50), 1).tolist()
PENALISED = {
    "the first always wins": (WINS, [3.070909650530, -0.433171217478, -1.171287766344]),
    "all agree": (IN_ONE_ORDER, [6.92206742476, 2.30722771824, -2.30722771824]),
}


@pytest.mark.parametrize("case", PENALISED)
def test_penalised_abilities_are_those_of_brglm2(case):
    wins, expected = PENALISED[case]
    found = penalised_fit(Counts(np.array(wins, float), np.zeros((4, 4))))
    assert found.ability[:3] == pytest.approx(expected, abs=1e-8)
    assert found.ability.sum() == pytest.approx(0)


def test_penalised_abilities_maximise_the_likelihood_with_jeffreys_penalty():
    dice = np.random.default_rng(2)
    wins = dice.integers(0, 4, (5, 5)) * (1.0 - np.eye(5))
    wins[1:, 0], wins[0, 1:] = 0, 2
    ties = np.triu(dice.integers(0, 3, (5, 5)), 1) * 1.0
    ties[0] = 0
    counts = Counts(wins, ties + ties.T)

    def penalised(free: np.ndarray) -> float:
        ability = np.append(free, -free.sum())
        chance = expit(ability[:, None] - ability)
        weight = counts.met * chance * (1 - chance)
        information = (np.diag(weight.sum(axis=1)) - weight)[1:, 1:]
        likelihood = np.sum((wins + counts.ties / 2) * np.log(chance))
        return -likelihood - np.log(np.linalg.det(information)) / 2

    best = minimize(penalised, np.zeros(4), options={"gtol": 1e-8}).x
    assert penalised_fit(counts).ability[:4] == pytest.approx(best, abs=1e-5)


def test_systems_that_always_win_are_ranked_and_not_claimed_from_few_raters():
    """Three raters with strong tastes agree by chance in a quarter of studies, on every item."""
    screens = [
        {"rater": f"r{n % 3}", "item": f"i{n // 3}", "values": {"best": 9, "a": 2, "b": n % 2}}
        for n in range(90)
    ]
    pairs = pairs_from_table(table_of_screens(screens))
    found = bradley_terry(pairs)
    assert found.penalised and [each.system for each in found.systems] == ["best", "a", "b"]
    assert min(pair.p for pair in found.pairs) > 0.05
    with pytest.raises(Separated, match=r"Separated: .*best"):
        require_estimable(pairs.systems, count(pairs))


def test_ties_without_an_estimate_count_as_half_wins():
    """a never lost to b: ties and a's wins alone push ν and the distance to infinity."""
    values = [{"a": 0, "b": 0}, {"a": 0, "b": 0}, {"a": 1, "b": 0}]
    screens = [{"rater": f"r{n}", "item": "i", "values": each} for n, each in enumerate(values)]
    pairs = pairs_from_table(table_of_screens(screens))
    found = bradley_terry(pairs, generality="raters")
    assert found.penalised and found.tie is None and found.systems[0].system == "a"
    assert not bradley_terry(pairs, ties="half", generality="raters").penalised


def test_disconnected_systems_are_named():
    screens = [
        {"rater": "r", "item": pair, "values": {pair[0]: 1, pair[1]: 2}} for pair in ("ab", "cd")
    ]
    with pytest.raises(RankingError, match="never compared with each other: a, b; c, d"):
        bradley_terry(pairs_from_table(table_of_screens(screens)))


def test_ties_only_have_no_davidson_estimate_but_equal_half_wins():
    screens = [
        {"rater": f"r{n % 3}", "item": f"i{n}", "values": {"a": 1, "b": 1, "c": 1}}
        for n in range(9)
    ]
    pairs = pairs_from_table(table_of_screens(screens))
    with pytest.raises(RankingError, match="Every comparison is a tie"):
        bradley_terry(pairs)
    result = bradley_terry(pairs, ties="half")
    assert [row.ability for row in result.systems] == [0, 0, 0]
    assert all(row.low < 0 < row.high for row in result.pairs)


def test_drawn_tables_always_have_abilities():
    separated = np.zeros((3, 3, 3), dtype=np.int64)
    separated[0, 1] = separated[0, 2] = 7, 0, 0
    separated[1, 2] = 3, 1, 2
    found = abilities(separated)
    assert np.isfinite(found).all()
    assert found[0] > found[1] > found[2]
    assert abilities(separated * 0).tolist() == [0, 0, 0]


def test_abilities_of_a_drawn_table_are_the_fit(pairs):
    drawn = Resampler.of(pairs, "none").fixed
    assert abilities(drawn) == pytest.approx(fit(count(pairs)).ability, abs=1e-6)


def test_options_list_all_their_problems(pairs):
    with pytest.raises(OptionsError) as refused:
        bradley_terry(pairs, ties="none", generality="moon", alpha=0)
    assert len(refused.value.problems) == 3
