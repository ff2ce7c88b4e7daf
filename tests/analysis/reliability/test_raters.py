"""Profiles of raters, each number counted by hand in a small table."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from analysis import JudgementTable
from analysis.errors import Undefined
from analysis.reliability.rater_errors import rater_errors
from analysis.reliability.rater_profiles import rater_profiles
from analysis.scales.correlations import correlate, correlations, exact_spearman_p
from tests.analysis.published import FIGURES


def table(rows: list[tuple], **more: list) -> JudgementTable:
    names = ("rater", "item", "system", "criterion", "value", "screen")
    return JudgementTable.from_columns(
        {**dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), **more}
    )


def judged() -> JudgementTable:
    """Six outputs: two raters agree, the third turns everything round."""
    rows, times = [], []
    for number, value in enumerate([1, 2, 3, 4, 5, 6]):
        for rater, given in (("ann", value), ("bob", 2 * value), ("eve", -value)):
            rows.append(
                (rater, f"i{number // 2}", f"s{number % 2}", "q", given, f"{rater}{number // 2}")
            )
            times.append(1000.0 * (number // 2 + 1))
    return table(rows, time_ms=times)


def test_agreement_is_the_correlation_with_the_others():
    ann, bob, eve = rater_profiles(judged())
    others_of_ann = np.array([(2 * v - v) / 2 for v in range(1, 7)])
    assert ann.agreement == pytest.approx(np.corrcoef(np.arange(1, 7), others_of_ann)[0, 1])
    assert eve.agreement == pytest.approx(-1)
    assert bob.agreement_outputs == 6


def test_time_ties_and_scale_use_are_counted():
    ann = rater_profiles(judged())[0]
    assert ann.seconds_per_screen == 2.0
    assert (ann.screens, ann.judgements, ann.ties) == (3, 6, 0)
    assert (ann.lowest, ann.highest, ann.distinct) == (1, 6, 6)
    assert ann.most_frequent_share == pytest.approx(1 / 6)


def test_raters_whose_times_are_not_known_have_none():
    rows = [("ann", "i", f"s{k}", "q", k, "x") for k in range(4)]
    (ann,) = rater_profiles(table(rows, time_ms=[np.nan] * 4))
    assert ann.seconds_per_screen is None


def test_ties_are_a_share_of_the_pairs_on_a_screen():
    rows = [("ann", "i", f"s{k}", "q", value, "x") for k, value in enumerate([5, 5, 5, 1])]
    assert rater_profiles(table(rows))[0].ties == pytest.approx(3 / 6)


def test_a_single_rater_has_a_reason_for_no_agreement():
    rows = [("ann", f"i{k}", "s", "q", k, f"x{k}") for k in range(9)]
    (profile,) = rater_profiles(table(rows))
    assert profile.agreement is None
    assert profile.agreement_reason == "Only 0 outputs were also judged by others."
    assert profile.ties is None and profile.seconds_per_screen is None


def test_a_constant_rater_has_a_reason():
    rows = [
        (r, f"i{k}", "s", "q", 3 if r == "ann" else k, f"{r}{k}")
        for k in range(9)
        for r in ("ann", "bob")
    ]
    ann, _ = rater_profiles(table(rows))
    assert ann.agreement is None and "do not vary" in ann.agreement_reason
    assert ann.most_frequent_share == 1


def test_criteria_correlate_over_system_means():
    rows = [
        ("ann", f"i{i}", f"s{s}", criterion, sign * s + i / 10, f"x{i}{s}")
        for i in range(3)
        for s in range(5)
        for criterion, sign in (("RT", 1), ("IT", 2), ("ER", -1))
    ]
    found = {(c.a, c.b, c.method): c for c in correlations(table(rows))}
    assert found["IT", "RT", "pearson"].value == pytest.approx(1)
    assert found["ER", "RT", "kendall"].value == pytest.approx(-1)
    assert found["ER", "IT", "spearman"].n == 5


@pytest.mark.parametrize(
    ("order", "p"),
    [
        ([1, 2, 3], 0.333333333333333),
        ([3, 2, 4, 1], 0.75),
        ([4, 2, 3, 5, 1], 0.683333333333333),
        ([5, 2, 7, 4, 1, 3, 6], 0.963492063492064),
        ([5, 1, 8, 6, 2, 4, 7, 9, 3], 0.613403880070547),
    ],
)
def test_spearmans_p_is_exact_for_few_systems(order: list[int], p: float):
    """R 4.2.2: cor.test(1:n, order, method = "spearman", exact = TRUE)."""
    scores = np.array(order, dtype=float)
    found = correlate(np.arange(len(order)) * 1.0, scores, "spearman", ("a", "b"), "system")
    assert found.p == pytest.approx(p, abs=1e-12)


def test_spearmans_p_counts_every_order_of_tied_values():
    first, second = np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 2, 4])
    rho = [spearmanr(first, order)[0] for order in permutations(second)]
    expected = np.mean(np.abs(rho) >= spearmanr(first, second)[0] - 1e-9)
    assert exact_spearman_p(first, second) == pytest.approx(expected)


def test_undefined_correlations_have_a_reason():
    rows = [("ann", "i", f"s{s}", c, v, "x") for s in range(4) for c, v in (("a", s), ("b", 1))]
    few = [("ann", "i", f"s{s}", c, s, "x") for s in range(2) for c in "ab"]
    assert correlations(table(rows))[0].reason == "b is the same for every system."
    assert correlations(table(few))[0].reason == "Fewer than three systems have both criteria."
    assert correlations(table(few))[0].value is None


def shuffled_scores() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """26 viewers of 79 films, of whom the first five had their scores shuffled."""
    lines = (FIGURES / "published/sureal_nflx_shuffled.txt").read_text().split()
    scores = np.array([[float(score) for score in line] for line in lines])
    films, viewers = (codes.ravel() for codes in np.indices(scores.shape))
    return scores.ravel(), films, viewers


def test_bias_and_inconsistency_equal_those_of_sureal():
    """Netflix/sureal, test_proj_mle_subjective_model_corruptdata."""
    found = rater_errors(*shuffled_scores(), restricted=False)
    assert found.quality.mean() == pytest.approx(3.5447906523855877, abs=1e-8)
    assert found.quality.var() == pytest.approx(1.3559834679453553, abs=1e-8)
    assert found.bias.mean() == pytest.approx(0, abs=1e-8)
    assert found.bias.var() == pytest.approx(0.08903258562151985, abs=1e-8)
    assert found.inconsistency.mean() == pytest.approx(0.8091663380211014, abs=1e-8)
    assert found.inconsistency.var() == pytest.approx(0.21269010120806528, abs=1e-8)
    assert found.bias_se.sum() == pytest.approx(2.3669964674034123, abs=1e-4)
    assert set(np.argsort(-found.inconsistency)[:5]) == set(range(5))


def test_profiles_state_bias_and_inconsistency_of_incomplete_tables():
    rng = np.random.default_rng(3)
    kept = rng.random((200, 5)) < 0.7
    outputs, raters = np.nonzero(kept)
    spread = np.array([0.5, 0.5, 0.5, 0.5, 2.0])
    values = 3 * rng.normal(size=200)[outputs] + np.array([1, 0, 0, 0, -1])[raters]
    values += spread[raters] * rng.normal(size=len(outputs))
    rows = [
        (f"r{r}", f"i{o}", "s", "q", v, f"{r}-{o}")
        for o, r, v in zip(outputs, raters, values, strict=True)
    ]
    found = rater_profiles(table(rows))
    assert [each.bias for each in found] == pytest.approx([1, 0, 0, 0, -1], abs=0.25)
    assert [each.inconsistency for each in found] == pytest.approx(spread, abs=0.2)


@pytest.mark.parametrize(
    ("outputs", "raters", "reason"),
    [
        ([0, 1, 2, 3], [0, 0, 1, 1], "No output was judged by two raters"),
        ([0, 0, 1, 1], [0, 1, 2, 3], "share no output"),
        ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], "three raters or more"),
    ],
)
def test_errors_of_raters_that_nobody_can_know_have_a_reason(outputs, raters, reason):
    values = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 4.5])[: len(outputs)]
    with pytest.raises(Undefined, match=reason):
        rater_errors(values, np.array(outputs), np.array(raters))


def test_the_unrestricted_likelihood_follows_one_of_few_raters():
    outputs, raters = (codes.ravel() for codes in np.indices((60, 3)))
    values = np.random.default_rng(1).normal(size=180)
    assert rater_errors(values, outputs, raters).inconsistency == pytest.approx(1, abs=0.35)
    with pytest.raises(Undefined, match="would follow one of them"):
        rater_errors(values, outputs, raters, restricted=False)
