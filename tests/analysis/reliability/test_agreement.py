"""Agreement coefficients against published examples, a plain reference, and their edges."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.errors import Undefined
from analysis.reliability.coefficients import Coefficient, defined, fleiss_kappa, kendall_w
from analysis.reliability.intraclass import intraclass_correlation
from analysis.reliability.krippendorff import METRICS, krippendorff_alpha, self_consistency

GAP = None
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: four observers
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
    [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
]


def long(table: list[list[float | None]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, units and raters of a table with one line for each rater."""
    cells = [
        (value, unit, rater)
        for rater, line in enumerate(table)
        for unit, value in enumerate(line)
        if value is not None
    ]
    values, units, raters = zip(*cells, strict=True)
    return np.array(values, dtype=float), np.array(units), np.array(raters)


@pytest.mark.parametrize(
    ("metric", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorff_own_example(metric, published):
    assert krippendorff_alpha(*long(KRIPPENDORFF), metric).value == pytest.approx(
        published, abs=5e-4
    )


def plain_alpha(values, units, raters, metric) -> float:
    """Krippendorff (2011) as written: coincidences, distances, quotient."""
    levels = sorted(set(values))
    place = {level: number for number, level in enumerate(levels)}
    coincidences = np.zeros((len(levels), len(levels)))
    for unit in set(units):
        members = values[units == unit]
        if len(members) > 1:
            for first, second in itertools.permutations(range(len(members)), 2):
                coincidences[place[members[first]], place[members[second]]] += 1 / (
                    len(members) - 1
                )
    totals = coincidences.sum(axis=1)
    distance = np.array(
        [
            [plain_distance(levels, totals, i, j, metric) for j in range(len(levels))]
            for i in range(len(levels))
        ]
    )
    expected = totals @ distance @ totals / (totals.sum() - 1)
    return 1 - np.sum(coincidences * distance) / expected


def plain_distance(levels, totals, i, j, metric) -> float:
    if i == j:
        return 0.0
    if metric == "nominal":
        return 1.0
    if metric == "interval":
        return (levels[i] - levels[j]) ** 2
    if metric == "ratio":
        return ((levels[i] - levels[j]) / (levels[i] + levels[j])) ** 2
    low, high = min(i, j), max(i, j)
    return (totals[low : high + 1].sum() - (totals[i] + totals[j]) / 2) ** 2


@given(st.integers(0, 10_000), st.sampled_from(METRICS))
def test_alpha_equals_the_definition(seed, metric):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, size=60).astype(float)
    key = rng.permutation(20 * 6)[:60]  # distinct (unit, rater) cells
    units, raters = key // 6, key % 6
    try:
        found = krippendorff_alpha(values, units, raters, metric).value
    except Undefined:
        return
    assert found == pytest.approx(plain_alpha(values, units, raters, metric))


@pytest.mark.parametrize("metric", METRICS)
def test_alpha_interval_covers_the_estimate_and_is_of_the_seed(metric):
    rng = np.random.default_rng(4)
    units, raters = np.divmod(np.arange(400), 4)
    values = np.round(3 + (units % 5) + rng.normal(size=400)).clip(1, 9)
    made = [
        krippendorff_alpha(
            values, units, raters, metric, clusters=units // 2, rng=np.random.default_rng(1)
        )
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert made[0].low < made[0].value < made[0].high


def test_the_bootstrap_of_items_covers_as_often_as_it_says():
    """Simulated: about 95 of 100 intervals hold the true α (4/5 of the variance is the units')."""
    held = 0
    units, raters = np.divmod(np.arange(240), 3)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = 2 * rng.normal(size=80)[units] + rng.normal(size=240)
        found = krippendorff_alpha(
            values, units, raters, "interval", rng=np.random.default_rng(seed), resamples=400
        )
        held += found.low <= 0.8 <= found.high
    assert 88 <= held <= 99


# Shrout & Fleiss (1979), Table 2: six targets, four judges
SHROUT_FLEISS = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]


def test_intraclass_correlations_of_shrout_and_fleiss():
    found = intraclass_correlation(*long(SHROUT_FLEISS))
    assert found.single.value == pytest.approx(0.29, abs=5e-3)
    assert found.mean.value == pytest.approx(0.62, abs=5e-3)
    assert [found.single.low, found.single.high] == pytest.approx([0.019, 0.761], abs=1e-3)
    assert found.k == 4


def test_judges_who_only_disagree_have_no_reliability_of_means_and_no_interval():
    outputs, judges = np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)
    found = intraclass_correlation(np.array([60, 61, 61, 61, 61, 60]), outputs, judges)
    assert found.single.value == pytest.approx(-1)
    assert (found.mean.value, bool(found.mean.reason)) == (None, True)
    # All outputs have the same mean.
    found = intraclass_correlation(np.array([60, 61, 61, 60, 60, 61]), outputs, judges)
    assert (found.single.low, found.single.high) == (None, None)
    # All judges have the same mean, too.
    outputs, judges = np.repeat([0, 1, 2, 3], 2), np.tile([0, 1], 4)
    found = intraclass_correlation(np.array([60, 61, 61, 60] * 2), outputs, judges)
    assert (found.single.value, found.single.low, found.single.high) == (-2, None, None)


def test_incomplete_tables_take_variance_components():
    rng = np.random.default_rng(3)
    units, raters = np.divmod(np.arange(80 * 12), 12)
    values = 2 * rng.normal(size=80)[units] + rng.normal(size=12)[raters] + rng.normal(size=960)
    whole = intraclass_correlation(values, units, raters)
    kept = rng.random(960) < 0.4
    part = intraclass_correlation(values[kept], units[kept], raters[kept])
    assert part.method.startswith("REML")
    assert part.single.value == pytest.approx(whole.single.value, abs=0.08)


def test_complete_and_incomplete_ways_agree_where_both_apply():
    from analysis.reliability.intraclass import incomplete_icc

    values, units, raters = long(SHROUT_FLEISS)
    found = incomplete_icc(values, units, raters)
    assert found.single.value == pytest.approx(
        intraclass_correlation(values, units, raters).single.value, rel=1e-4
    )


def test_incomplete_tables_have_the_interval_of_their_restricted_likelihood():
    """Against the likelihood of the whole covariance matrix, maximised at both ends."""
    rng = np.random.default_rng(5)
    units, raters = np.nonzero(rng.random((15, 4)) < 0.8)
    values = 2 * rng.normal(size=15)[units] + rng.normal(size=4)[raters]
    values += rng.normal(size=len(units))
    found = intraclass_correlation(values, units, raters).single
    same_unit, same_rater = units[:, None] == units, raters[:, None] == raters

    def deviance(correlation: float, rater_share: float) -> float:
        rater, rest = (1 - correlation) * rater_share, (1 - correlation) * (1 - rater_share)
        v = correlation * same_unit + rater * same_rater + rest * np.eye(len(values))
        inverse = np.linalg.inv(v)
        mean = inverse.sum(axis=0) @ values / inverse.sum()
        squares = (values - mean) @ inverse @ (values - mean)
        logs = np.linalg.slogdet(v)[1] + np.log(inverse.sum())
        return logs + (len(values) - 1) * np.log(squares)

    profile = [
        min(deviance(each, share) for share in np.linspace(0, 0.97, 300))
        for each in (found.low, found.value, found.high)
    ]
    limit = stats.chi2.isf(0.05, 1) * (1 + 1 / 9)
    assert np.array(profile) - profile[1] == pytest.approx([limit, 0, limit], abs=0.02)


def test_intervals_of_correlations_end_at_their_bounds():
    rng = np.random.default_rng(6)
    units, raters = np.nonzero(rng.random((12, 3)) < 0.9)
    found = intraclass_correlation(rng.normal(size=len(units)), units, raters)
    assert found.single.low == found.mean.low == 0
    assert found.single.low <= found.single.value <= found.single.high < 1


# Fleiss (1971), Table 1: thirty patients, six psychiatrists, five categories
FLEISS = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050
02031 00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""


def test_fleiss_own_example():
    counts = [int(digit) for patient in FLEISS.split() for digit in patient]
    labels = np.repeat(np.tile(np.arange(5), 30), counts)
    units, raters = np.divmod(np.arange(180), 6)
    assert fleiss_kappa(labels, units, raters).value == pytest.approx(0.430, abs=5e-4)


def screens(rankings: list[list[float]]) -> tuple[np.ndarray, ...]:
    """One screen for each ranking of the same outputs of one item."""
    values = np.array(rankings, dtype=float)
    screen, system = np.indices(values.shape)
    item = np.zeros(values.size, dtype=int)
    return values.ravel(), screen.ravel(), item, system.ravel()


def test_kendall_w_with_ties():
    """Kendall (1948, example 6.3): three rankings of ten with ties, W = 0.828."""
    rankings = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    assert kendall_w(*screens(rankings)).value == pytest.approx(0.828, abs=5e-4)


def test_kendall_w_of_equal_and_opposite_rankings():
    assert kendall_w(*screens([[1, 2, 3], [10, 20, 30]])).value == pytest.approx(1)
    assert kendall_w(*screens([[1, 2, 3], [3, 2, 1]])).value == pytest.approx(0)


def test_only_screens_with_the_same_outputs_are_compared():
    values, screen, item, system = screens([[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    item = np.where(screen == 2, 1, item)
    found = kendall_w(values, screen, item, system)
    assert (found.value, found.units) == (pytest.approx(1), 1)


def test_a_rater_who_repeats_answers_is_consistent():
    values = np.array([1, 1, 5, 5, 3, 3, 9.0])
    outputs, raters = np.array([0, 0, 1, 1, 2, 2, 3]), np.zeros(7, dtype=int)
    found = self_consistency(values, outputs, raters)
    assert (found.value, found.units) == (pytest.approx(1), 3)


ONCE = (np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 0]))
SAME = (np.ones(4), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
UNDEFINED = {
    "one judgement an output": lambda: krippendorff_alpha(*ONCE, "interval"),
    "constant scores": lambda: krippendorff_alpha(*SAME, "ordinal"),
    "negative magnitudes": lambda: krippendorff_alpha(
        np.array([-1.0, 2, 3, 4]), SAME[1], SAME[2], "ratio"
    ),
    "no categories": lambda: krippendorff_alpha(
        np.arange(40) / 7, np.arange(40) // 2, np.arange(40) % 2, "nominal"
    ),
    "one rater": lambda: intraclass_correlation(*ONCE),
    "no repeated item": lambda: self_consistency(*ONCE),
    "one category": lambda: fleiss_kappa(SAME[0].astype(int), SAME[1], SAME[2]),
    "nobody else's screen": lambda: kendall_w(*screens([[1, 2, 3]])),
}


@pytest.mark.parametrize("case", sorted(UNDEFINED))
def test_undefined_coefficients_have_a_reason(case):
    with pytest.raises(Undefined) as why:
        UNDEFINED[case]()
    found = defined("x", UNDEFINED[case])
    assert found == Coefficient("x", None, reason=str(why.value))
    assert len(found.reason) > 20


def test_a_second_judgement_of_the_same_rater_does_not_count_as_another_rater():
    values, units, raters = long(KRIPPENDORFF)
    again = (np.append(values, 5.0), np.append(units, units[0]), np.append(raters, raters[0]))
    assert krippendorff_alpha(*again, "interval") == krippendorff_alpha(
        values, units, raters, "interval"
    )
