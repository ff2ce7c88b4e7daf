"""Metrics against people: the vectors of mt-metrics-eval, enumerations and simulations.

The numbers marked `mtme` are expected values of that package's own tests (commit 7fadea2).
"""

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analysis import JudgementTable, write_table
from analysis.cli import main
from analysis.errors import TableError, Undefined
from analysis.meta_evaluation.against_people import MetricOptions, metrics_against_people
from analysis.meta_evaluation.ceiling import HELD_OUT, ceiling
from analysis.meta_evaluation.metric_tests import clusters, perm_both, perm_pairs, williams
from analysis.meta_evaluation.pairs_within import PairsWithin
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.segment_level import (
    kendall_c_within,
    kendall_within,
    pairwise_pearson,
    pearson_within,
    segment_level,
)
from analysis.meta_evaluation.soft_pairwise import (
    accuracy_of,
    interval_over_systems,
    pairwise_p_values,
    random_signs,
    soft_pairwise_accuracy,
    soft_pairwise_distances,
)
from analysis.meta_evaluation.system_level import (
    MEASURES,
    accuracy_rows,
    kendall_rows,
    outliers,
    pearson_rows,
    redraw,
    spearman_rows,
    system_level,
)
from analysis.meta_evaluation.tie_calibration import cross_fitted, tie_calibration
from analysis.text_metrics.score_files import MetricScores, read_scores

NAN = np.nan


def array(*rows) -> np.ndarray:
    return np.array([[NAN if cell is None else cell for cell in row] for row in rows], dtype=float)


def one_item(people, metric) -> PairsWithin:
    return PairsWithin.of(array(people).T, array(metric).T)


# --- soft pairwise accuracy --------------------------------------------------------------------


def test_soft_pairwise_accuracy_is_that_of_mtme():
    people, metric = array([1, 2, 3], [2, 3, 4]), array([2, 2, 4], [1, 3, 5])
    assert soft_pairwise_accuracy(people, metric, seed=4) == pytest.approx(0.872, abs=5e-4)  # mtme


def test_segments_without_judgements_are_dropped_for_people_and_metric():
    people, metric = array([1, None, 3], [4, None, 6]), array([2, 1, 8], [3, 5, 6])
    kept = soft_pairwise_accuracy(people[:, [0, 2]], metric[:, [0, 2]], seed=4)
    assert soft_pairwise_accuracy(people, metric, seed=4) == kept
    (distances,) = soft_pairwise_distances(people, metric[None], seed=4)
    assert accuracy_of(distances) == kept


def test_p_values_are_those_of_the_definition():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (3, 6)).astype(float)
    signs = random_signs(6, permutations=500, seed=1)
    found = pairwise_p_values(scores, signs)
    for a, b in itertools.combinations(range(3), 2):
        difference = scores[a] - scores[b]
        null = [float(np.dot(row, difference)) for row in signs]
        assert found[a, b] == np.mean(np.array(null) >= difference.sum())
    assert np.isnan(found[np.tril_indices(3)]).all()


def test_pairs_use_the_segments_that_both_systems_have():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 5, (3, 8)).astype(float)
    sparse = scores.copy()
    sparse[2, :4] = NAN
    signs = random_signs(8, permutations=500, seed=1)
    found, whole = pairwise_p_values(sparse, signs), pairwise_p_values(scores, signs)
    assert found[0, 1] == whole[0, 1]
    assert found[0, 2] == pairwise_p_values(scores[[0, 2], 4:], signs[:, 4:])[0, 1]
    sparse[1, 4:] = NAN
    assert np.isnan(pairwise_p_values(sparse, signs)[1, 2])


def test_soft_pairwise_accuracys_interval_holds_for_other_systems():
    """Metrics with a liking of their own for each system; the negative control draws pairs, as if
    those of one system were independent."""
    rng = np.random.default_rng(6)
    distances = []
    for _ in range(150):
        merit, liking = rng.normal(size=(2, 10, 1)) * [[[0.25]], [[0.15]]]
        people, metric = merit + rng.normal(size=(2, 10, 60)) + liking * [[[0]], [[1]]]
        distances += soft_pairwise_distances(people, metric[None], permutations=100, seed=4)
    truth = np.mean([accuracy_of(each) for each in distances])
    held = {"systems": [], "pairs": []}
    for each in distances:
        low, high = interval_over_systems(each, seed=1, resamples=200, alpha=0.05)
        held["systems"].append(low <= truth <= high)
        drawn = 1 - rng.choice(each[~np.isnan(each)], (200, 45)).mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        held["pairs"].append(low <= truth <= high)
    assert np.mean(held["systems"]) > 0.87
    assert np.mean(held["pairs"]) < 0.8


# --- tie calibration ---------------------------------------------------------------------------


def accuracies_at(pairs, thresholds):
    """The mean accuracy of items if pairs that differ by a threshold at most are ties."""
    return [pairs.shares(pairs.right(epsilon)).mean() for epsilon in thresholds]


@pytest.mark.parametrize(  # mtme
    ("people", "thresholds", "accuracies", "best"),
    [
        ([1, 2, 3, 4], [0, 2, 4, 6, 8], [6, 4, 3, 1, 0], (1.0, 0)),
        ([1, 1, 1, 4], [0, 2, 4, 6, 8], [3, 3, 4, 4, 3], (4 / 6, 4)),
    ],
)
def test_calibration_of_one_item(people, thresholds, accuracies, best):
    pairs = one_item(people, [0, 2, 6, 8])
    assert accuracies_at(pairs, thresholds) == pytest.approx(np.array(accuracies) / 6)
    calibrated = tie_calibration(pairs)
    assert (calibrated.accuracy, calibrated.epsilon) == pytest.approx(best)


def test_calibration_over_items_with_gaps():
    metric = array(
        [0, 5, 2, 3, 2], [None, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [None] * 5
    )
    people = array(
        [1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, None, 3, 2], [None] * 5
    )
    accuracies = accuracies_at(PairsWithin.of(people.T, metric.T), range(9))
    expected = [  # mtme
        0.4666666666666667, 0.4916666666666668, 0.38333333333333347, 0.29166666666666674,
        0.2666666666666667, 0.2, 0.15833333333333335, 0.15833333333333335, 0.1166666666666667,
    ]  # fmt: skip
    assert accuracies == pytest.approx(expected, abs=1e-12)
    found = segment_level("m", people.T, metric.T, seed=1, resamples=50, alpha=0.05)
    assert (found.acc_eq, found.epsilon) == (pytest.approx(expected[1]), 1)
    assert found.items == 4 and found.pairs == 10 + 6 + 10 + 6
    assert found.acc_eq_interval[0] <= found.acc_eq <= found.acc_eq_interval[1]


def test_kendalls_variants():
    pairs = one_item([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3])
    assert kendall_within(pairs) == pytest.approx(0.316227766)  # mtme, and the next three
    assert pairs.right(0).mean() == 0.6
    assert pairs.right(2).mean() == 0.4
    assert tie_calibration(pairs).accuracy == pytest.approx(0.7)
    x, y = [1, 1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 4, 3, 3]
    assert 2 * one_item(y, x).right(0).mean() - 1 == pytest.approx((14 - 7) / 21)  # mtme
    assert one_item(y, x).right(1).mean() == pytest.approx((7 + 3) / 21)


def test_means_within_items():
    people, metric = array([1, 2, 3], [4, 5, 6]), array([2, 1, 4], [3, 3, 7])
    found = segment_level("m", people, metric, seed=1, resamples=10, alpha=0.05)
    assert found.pearson_within_items == pytest.approx(1)  # mtme, and the next three
    assert found.pearson == pytest.approx(0.776, abs=5e-4)
    assert found.kendall == pytest.approx(1)
    assert found.kendall_c == pytest.approx(1)
    assert found.pairwise_pearson == pytest.approx(0.926, abs=5e-4)
    assert found.kendall_pooled == pytest.approx(0.552, abs=5e-4)


def test_gaps_within_items_agree_with_scipy():
    rng = np.random.default_rng(2)
    people, metric = rng.integers(0, 4, (5, 40)) * 1.0, rng.integers(0, 4, (5, 40)) * 1.0
    people[rng.random((5, 40)) < 0.3] = NAN
    metric[rng.random((5, 40)) < 0.1] = NAN
    taus, stuarts, rs, differences = [], [], [], []
    for a, b in zip(people.T, metric.T, strict=True):
        known = ~(np.isnan(a) | np.isnan(b))
        a, b = a[known], b[known]
        if len(a) > 1 and np.ptp(a) and np.ptp(b):
            taus.append(stats.kendalltau(a, b)[0])
            stuarts.append(stats.kendalltau(a, b, variant="c")[0])
            rs.append(np.corrcoef(a, b)[0, 1])
        differences += [
            (a[i] - a[j], b[i] - b[j]) for i, j in itertools.permutations(range(len(a)), 2)
        ]
    pairs = PairsWithin.of(people, metric)
    assert kendall_within(pairs) == pytest.approx(np.mean(taus))
    assert kendall_c_within(people, metric, pairs) == pytest.approx(np.mean(stuarts))
    assert pairwise_pearson(pairs) == pytest.approx(stats.pearsonr(*np.transpose(differences))[0])
    assert pearson_within(people, metric) == pytest.approx(np.mean(rs))


def test_pairwise_differences_with_a_gap_and_without_variation():
    people, metric = array([1, 5, None], [10, 2, 12]), array([3, 15, 1], [20, 4, 24])
    pairs = PairsWithin.of(people, metric)
    assert pairwise_pearson(pairs) == pytest.approx(0.968, abs=5e-4)  # mtme
    assert kendall_c_within(people, metric, pairs) == pytest.approx(1)
    moved = PairsWithin.of(people + array([0, 50, 900]), metric)
    assert pairwise_pearson(moved) == pytest.approx(0.968, abs=5e-4), "levels of items do not count"
    level = np.ones((2, 3))
    tied = PairsWithin.of(people, level)
    assert pairwise_pearson(tied) is None
    assert kendall_c_within(people, level, tied) is None


def test_a_threshold_from_other_items_flatters_no_metric():
    rng = np.random.default_rng(0)
    gains = []
    for seed in range(40):
        people, noise = rng.integers(0, 3, (6, 12)) * 1.0, rng.normal(size=(6, 12))
        pairs = PairsWithin.of(people, noise)
        gains.append(tie_calibration(pairs).accuracy - cross_fitted(pairs, 12, seed=seed))
    assert np.mean(gains) > 0.01


# --- systems -----------------------------------------------------------------------------------


def test_measures_of_rows_are_scipys():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, (20, 9)) * 1.0, rng.integers(0, 6, (20, 9)) * 1.0
    assert pearson_rows(a, b) == pytest.approx(
        [stats.pearsonr(*each)[0] for each in zip(a, b, strict=True)]
    )
    assert spearman_rows(a, b) == pytest.approx(
        [stats.spearmanr(*each)[0] for each in zip(a, b, strict=True)]
    )
    assert kendall_rows(a, b) == pytest.approx(
        [stats.kendalltau(*each)[0] for each in zip(a, b, strict=True)]
    )
    assert accuracy_rows(array([1, 2, 3]), array([1, 3, 2])) == pytest.approx([2 / 3])
    assert np.isnan(pearson_rows(array([0.1, 0.1, 0.1]), array([1, 2, 3]))).all()
    assert np.isnan(kendall_rows(array([1, 1, 1]), array([1, 2, 3]))).all()


@pytest.mark.parametrize("unit", ["systems", "items", "raters"])
def test_a_resample_equals_copied_judgements(unit: str):
    """Each drawn item or rater, written out as often as it was drawn."""
    table, scores = campaign()
    people = People.from_table(table)
    drawn = redraw(people, scores.segments, scores.whole, unit, seed=4, resamples=3)
    rng = np.random.default_rng(4)
    cells = people.cells
    if unit == "systems":
        for number, chosen in enumerate(rng.integers(SYSTEMS, size=(3, SYSTEMS))):
            assert drawn.people[number] == pytest.approx(np.nanmean(cells[chosen], axis=1))
            wanted = scores.segments[:, chosen].mean(axis=2)
            assert drawn.metrics[:, number] == pytest.approx(wanted)
        return
    size = ITEMS if unit == "items" else RATERS
    codes = people.item if unit == "items" else people.rater
    for number, copies in enumerate(rng.multinomial(size, np.full(size, 1 / size), size=3)):
        rows = np.repeat(np.arange(len(people.value)), copies[codes])
        wanted = [people.value[rows][people.system[rows] == s].mean() for s in range(SYSTEMS)]
        assert drawn.people[number] == pytest.approx(wanted)
        items = np.repeat(np.arange(ITEMS), copies if unit == "items" else 1)
        wanted = scores.segments[:, :, items].mean(axis=2)
        assert drawn.metrics[:, number] == pytest.approx(wanted)


def test_only_pairs_that_people_tell_apart_count_as_significant():
    p_values = np.full((3, 3), NAN)
    p_values[0, 1], p_values[0, 2], p_values[1, 2] = 0.01, 0.3, 0.99  # one-sided
    found = system_level(
        "m", np.array([3.0, 1, 2]), np.array([1.0, 2, 3]), ("a", "b", "c"),
        soft=None, p_values=p_values, alpha=0.05, intervals={},
    )  # fmt: skip
    # a above b (the metric disagrees), c above b (it agrees); a and c are not told apart.
    assert (found.pairwise_accuracy_significant, found.significant_pairs) == (0.5, 2)


def test_outlying_systems():
    assert outliers(np.array([1, 1.1, 0.9, 1.05, -5])).tolist() == [False] * 4 + [True]
    assert not outliers(np.ones(4)).any()


def test_williams_test_is_that_of_mtme():
    people, first, second = [1, 2, 3, 4, 5], [1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]
    r = [np.corrcoef(*each)[0, 1] for each in ((people, first), (people, second), (first, second))]
    assert williams(*r, 5) == pytest.approx(0.019, abs=5e-4)  # mtme
    assert williams(r[1], r[0], r[2], 5) == williams(*r, 5)
    assert williams(0.9, 0.8, 0.7, 3) is None


def test_perm_both_is_the_share_of_all_swaps():
    people = np.array([1, 2, 3, 4, 5, 5, 7, 8.0])  # mtme's vectors
    metrics = np.array([[1, 2, 3, 3, 7, 3, 5, 5.0], [2, 1, 2, 6, 8, 8, 7, 6.0]])
    a, b = stats.zscore(metrics, axis=1)
    seen = stats.pearsonr(people, b)[0] - stats.pearsonr(people, a)[0]
    at_least = 0
    for swap in itertools.product([0, 1], repeat=8):
        swapped = np.where(swap, b, a), np.where(swap, a, b)
        null = stats.pearsonr(people, swapped[1])[0] - stats.pearsonr(people, swapped[0])[0]
        at_least += null >= seen - 1e-9
    ((difference, p),) = perm_both(
        people, metrics[:, :, None], [(0, 1)], pearson_rows, seed=1, permutations=20_000
    )
    assert difference == pytest.approx(seen)
    assert p == pytest.approx(at_least / 2**8, abs=0.015)


def test_pairs_swapped_one_by_one_as_in_mtme():
    # mtme's vectors: four systems, two items.
    people = array([1, 3], [3, 3], [1, 2], [1, 2])
    metrics = array([2, 4], [6, 6], [2, 6], [3, 7]), array([1, 5], [4, 4], [4, 3], [2, 1])
    pairs = [PairsWithin.of(people, each) for each in metrics]
    best = [tie_calibration(each) for each in pairs]
    right = [each.right(one.epsilon) for each, one in zip(pairs, best, strict=True)]
    found = perm_pairs(pairs[0], *right, seed=1, permutations=20_000)
    assert found[0] == pytest.approx(best[1].accuracy - best[0].accuracy)
    change = (right[1] * 1.0 - right[0]) / 6 / 2
    signs = np.array(list(itertools.product([-1, 1], repeat=int((change != 0).sum()))))
    exact = (signs @ change[change != 0] >= found[0] - 1e-12).mean()
    assert found[1] == pytest.approx(exact, abs=0.015)
    of_items = change.reshape(6, 2).sum(axis=0)  # pairs come pair by pair, item by item
    signs = np.array(list(itertools.product([-1, 1], repeat=2)))
    assert found[2] == pytest.approx((signs @ of_items >= found[0] - 1e-12).mean(), abs=0.015)


@pytest.mark.parametrize("level", ["systems", "items"])
def test_equal_metrics_are_told_apart_as_rarely_as_the_level_says(level: str):
    rng = np.random.default_rng(7)
    low = 0
    for seed in range(300):
        truth = rng.normal(size=(8, 12)) + rng.normal(size=(8, 1))
        metrics = truth + 1.5 * rng.normal(size=(2, 8, 12))
        if level == "systems":
            ((_, p),) = perm_both(
                truth.mean(axis=1), metrics, [(0, 1)], pearson_rows, seed=seed, permutations=199
            )
        else:
            pairs = [PairsWithin.of(truth, each) for each in metrics]
            right = (each.right(0) for each in pairs)
            p = perm_pairs(pairs[0], *right, seed=seed, permutations=199)[2]
        low += p < 0.05
    assert low / 300 < 0.09


def test_a_cluster_ends_where_a_metric_is_beaten_by_one_within_it():
    p = {("a", "b"): 0.2, ("a", "c"): 0.01, ("b", "c"): 0.3, ("c", "d"): 0.4, ("a", "d"): 0.001}
    assert clusters("abcd", p, 0.05) == {"a": 1, "b": 1, "c": 2, "d": 2}


# --- the whole, on made-up judgements ----------------------------------------------------------

SYSTEMS, ITEMS, RATERS = 12, 60, 4


def campaign() -> tuple[JudgementTable, MetricScores]:
    rng = np.random.default_rng(11)
    truth = np.linspace(0, 2, SYSTEMS)[:, None] + rng.normal(size=(SYSTEMS, ITEMS))
    rows = [
        (f"r{rater}", f"i{item:02}", f"s{system:02}", truth[system, item] + 0.8 * rng.normal())
        for rater in range(RATERS)
        for system in range(SYSTEMS)
        for item in range(ITEMS)
    ]
    columns = dict(zip(("rater", "item", "system", "value"), zip(*rows, strict=True), strict=True))
    screens = [f"{rater}-{item}" for rater, item, *_ in rows]
    table = JudgementTable.from_columns(
        {**columns, "criterion": ["quality"] * len(rows), "screen": screens}
    )
    noise = rng.normal(size=(3, SYSTEMS, ITEMS))
    segments = np.stack([truth + 0.3 * noise[0], truth + 3 * noise[1], noise[2]])
    return table, MetricScores(
        ("good", "poor", "useless"),
        tuple(f"s{n:02}" for n in range(SYSTEMS)),
        tuple(f"i{n:02}" for n in range(ITEMS)),
        segments,
        np.full((3, SYSTEMS), NAN),
    )


@pytest.fixture(scope="module")
def report():
    table, scores = campaign()
    options = MetricOptions(permutations=300, resamples=300)
    return metrics_against_people(People.from_table(table), scores, options)


def test_the_better_metric_is_closer_in_every_measure(report):
    for level in (report.system_level, report.segment_level):
        good, poor, useless = level
        for measure in ("pearson", "kendall"):
            values = [getattr(each, measure) for each in (good, poor, useless)]
            assert values == sorted(values, reverse=True)
    good, poor, useless = report.segment_level
    assert good.acc_eq > poor.acc_eq > useless.acc_eq
    assert report.segment_clusters == {"good": 1, "poor": 2, "useless": 3}
    assert report.system_level[0].soft_pairwise_accuracy > 0.95
    assert report.system_level[2].soft_pairwise_accuracy < 0.8


def test_intervals_say_what_was_drawn_and_hold_the_estimate(report):
    for each in report.system_level[:2]:
        assert set(each.intervals) == {"systems", "items", "raters"}
        low, high = each.intervals["systems"]["soft_pairwise_accuracy"]
        assert low <= each.soft_pairwise_accuracy <= high
        for of_measures in each.intervals.values():
            assert set(of_measures) - {"soft_pairwise_accuracy"} == set(MEASURES)
            low, high = of_measures["pearson"]
            assert low <= each.pearson + 0.02 and each.pearson <= high + 0.02


def test_a_held_out_rater_is_the_measure_for_metrics(report):
    found = {each.metric: each for each in report.ceiling}
    assert next(iter(found)) == HELD_OUT and found[HELD_OUT].raters == RATERS
    assert found["good"].acc_eq > found[HELD_OUT].acc_eq > found["poor"].acc_eq
    assert found["useless"].acc_eq == pytest.approx(0.5, abs=0.03)


def test_the_ceiling_is_every_rater_against_the_mean_of_the_others():
    table, scores = campaign()
    people = People.from_table(table)
    by_rater = np.full((RATERS, SYSTEMS, ITEMS), NAN)
    by_rater[people.rater, people.system, people.item] = people.value
    others = [np.delete(by_rater, n, axis=0).mean(axis=0) for n in range(RATERS)]
    found = ceiling(people, scores.metrics, scores.segments)
    for each, own in zip(found, (by_rater, *scores.segments), strict=True):
        own = np.broadcast_to(own, by_rater.shape)
        r = [
            np.corrcoef(rest.mean(axis=1), mine.mean(axis=1))[0, 1]
            for rest, mine in zip(others, own, strict=True)
        ]
        assert each.pearson_systems == pytest.approx(np.mean(r))
        pairs = PairsWithin.of(np.concatenate(others, axis=1), np.concatenate(own, axis=1))
        assert each.acc_eq == pytest.approx(tie_calibration(pairs).accuracy)


def test_the_ceiling_is_explained_and_needs_two_raters(report):
    assert any("does not show that the metric could replace" in each for each in report.sentences)
    table, scores = campaign()
    alone = table.rows(table.rater.codes == 0)
    found = metrics_against_people(
        People.from_table(alone), scores, MetricOptions(permutations=20, resamples=20)
    )
    said = " ".join(found.sentences)
    assert "only one rater" in said and "ceiling" not in said
    assert found.system_level[0].intervals.keys() == {"systems", "items"}


def test_names_and_order_change_no_number(report):
    table, scores = campaign()
    order = np.random.default_rng(1).permutation(len(table))
    turned = MetricScores(
        scores.metrics, scores.systems[::-1], scores.items, scores.segments[:, ::-1], scores.whole
    )
    options = MetricOptions(permutations=300, resamples=300)
    again = metrics_against_people(People.from_table(table.rows(order)), turned, options)
    assert again.system_level[0].pearson == pytest.approx(report.system_level[0].pearson)
    assert again.segment_level[0].acc_eq == pytest.approx(report.segment_level[0].acc_eq)
    assert again.system_tests[0].p == pytest.approx(report.system_tests[0].p, abs=0.01)


def test_scores_of_whole_systems_alone_are_enough_for_the_system_level():
    table, scores = campaign()
    empty = np.full((3, SYSTEMS, 0), NAN)
    whole = MetricScores(scores.metrics, scores.systems, (), empty, scores.system_scores)
    options = MetricOptions(permutations=100, resamples=50)
    found = metrics_against_people(People.from_table(table), whole, options)
    assert found.system_level[0].pearson > 0.9
    assert found.system_level[0].soft_pairwise_accuracy is None
    assert found.segment_level[0].acc_eq is None
    assert "no scores of single outputs" in found.segment_level[0].reason
    assert len(found.system_tests) == 3


def test_few_systems_are_said_to_be_few():
    table, scores = campaign()
    few = table.rows(table.system.codes < 4)
    options = MetricOptions(permutations=50, resamples=50)
    found = metrics_against_people(People.from_table(few), scores, options)
    assert "There are only 4 systems." in found.sentences[0]


def test_judgements_of_other_systems_are_refused():
    table, scores = campaign()
    others = replace(scores, systems=tuple(f"x{n}" for n in range(SYSTEMS)))
    with pytest.raises(Undefined, match="fewer than two systems in common"):
        metrics_against_people(People.from_table(table), others)


# --- files and the command ---------------------------------------------------------------------


def test_long_wide_and_whole_files_say_the_same(tmp_path: Path):
    long, wide, whole = (tmp_path / name for name in ("long.csv", "wide.csv", "whole.csv"))
    long.write_text("system,item,metric,score\na,1,m,2\na,2,m,3\nb,1,m,4\na,,m,9\na,1,TER,5\n")
    wide.write_text("system,item,m,TER\na,1,2,5\na,2,3,\nb,1,4,\na,,9,\n")
    whole.write_text("system,m,TER\na,9,\nb,4,1\n")
    first, second, third = map(read_scores, (long, wide, whole))
    assert first.sha256 == second.sha256
    assert first.metrics == ("m", "TER") and first.turned == ("TER",)
    assert first.segments[1, 0, 0] == -5
    assert first.system_scores[0].tolist() == [9, 4]
    assert third.system_scores[1].tolist()[1] == -1
    assert read_scores(wide, lower_is_better=["m"]).system_scores[0].tolist() == [-9, -4]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (
            "system,item,metric,score\na,1,m,x\na,1,,2\n,1,m,2\na,2,m,1\na,2,m,inf\na,2,m,3\na,2\n",
            (
                "Line 8: 2 cells, but the header has 4.",
                "Line 3, metric: the cell is empty.",
                'Line 2, score: "x" is not a finite number.',
                "Line 4, system: the cell is empty.",
                'Line 6, score: "inf" is not a finite number.',
                "Line 7, score: m of this output is already on line 5.",
            ),
        ),
        ("system,item,bleu\na,1,good\n", ('Line 2, bleu: "good" is not a finite number.',)),
        ("item,score\n1,2\n", ("Line 1: missing column system; the file has: item, score.",)),
        ("", ("Line 1: the file is empty.",)),
        ("system,m,m\na,1,2\n", ("Line 1, m: there are two columns of this name.",)),
    ],
)
def test_problems_of_scores_have_line_and_column(tmp_path, content, problems):
    file = tmp_path / "scores.csv"
    file.write_text(content)
    with pytest.raises(TableError) as raised:
        read_scores(file)
    assert raised.value.problems == problems


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys):
    table, scores = campaign()
    judgements, file = tmp_path / "judgements.csv", tmp_path / "scores.csv"
    with judgements.open("wb") as out:
        write_table(table, out)
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("system", "item", "metric", "score"))
        for m, s, i in np.ndindex(scores.segments.shape):
            row = scores.systems[s], scores.items[i], scores.metrics[m], scores.segments[m, s, i]
            writer.writerow(row)
    arguments = ["metrics", str(judgements), str(file), "--permutations=100", "--resamples=50"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = "metric pearson spearman kendall pairwise_accuracy soft_pairwise_accuracy"
    assert " ".join(list(found["system_level"][0])[:6]) == keys
    assert tuple(found["segment_level"][0])[:3] == ("metric", "acc_eq", "epsilon")
    assert found["segment_level"][0]["kendall"] > 0.5
    assert found["signature"].startswith("metrics|alpha:0.05|criterion:quality|")
    assert main([*arguments, "--z"]) == 0
    shown = capsys.readouterr().out
    assert "Soft pairwise accuracy" in shown and "held-out rater" in shown
    picture = tmp_path / "metrics.svg"
    assert main([*arguments, "--latex", "--plot", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert shown.count(r"\begin{tabular}") == shown.count("booktabs") == 9
    assert "% Metrics against people: whole systems" in shown and "good & 1 & " in shown
    assert picture.read_bytes().startswith(b"<?xml")
    assert main([*arguments, "--lower-is-better", "nothing"]) == 2
    assert "There is no metric 'nothing'" in capsys.readouterr().err
    assert main([*arguments[:3], "--permutations", "0"]) == 2
