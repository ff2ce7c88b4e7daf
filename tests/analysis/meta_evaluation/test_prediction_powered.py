"""Estimates that use a metric hold whatever it is worth, and are sharper with a good one."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.errors import Undefined
from analysis.meta_evaluation import prediction_powered as module
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.prediction_powered import (
    ControlVariate,
    Estimates,
    fit_control_variate,
    prediction_powered,
)
from analysis.typing import Codes

TRUTH = 0.4  # the second system is better by this
ITEMS, JUDGED, RATERS, PER_OUTPUT = 400, 80, 16, 2
NAMES = tuple(f"i{n:03}" for n in range(ITEMS))
JUDGES = ("good", "useless", "adversarial")


def simulated(
    seed: int, judged_items: int = JUDGED, raters: int = RATERS
) -> tuple[People, dict[str, np.ndarray]]:
    """Judgements of some items at random, and judges that score all."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=ITEMS), rng.normal(size=(2, ITEMS))
    merit = np.array([[0.0], [TRUTH]]) + shared + own
    judged = np.sort(rng.choice(ITEMS, judged_items, replace=False))
    taste = 0.3 * rng.normal(size=(raters, 2)) + 0.5 * rng.normal(size=(raters, 1))
    rows = [
        (system, place, rater, merit[system, item] + taste[rater, system] + 0.4 * rng.normal())
        for place, item in enumerate(judged)
        for rater in rng.choice(raters, PER_OUTPUT, replace=False)
        for system in (0, 1)
    ]
    system, item, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    names = tuple(f"r{n}" for n in range(raters))
    items = tuple(NAMES[item] for item in judged)
    people = People(("a", "b"), items, names, system, item, rater, value)
    # Every judge favours the first system by 2 units, more than their true difference.
    bias = np.array([[2.0], [0.0]])
    judges = {
        "good": merit + 0.4 * rng.normal(size=merit.shape) + bias,
        "useless": rng.normal(size=merit.shape) + bias,
        "adversarial": -merit + rng.normal(size=merit.shape) + bias,
    }
    return people, judges


def fit(people: People, scores: np.ndarray) -> ControlVariate:
    return fit_control_variate(people, "judge", scores, NAMES)


def interval(each: Estimates, df: float) -> tuple[float, float, float]:
    """The difference of the two systems and its 95 % interval."""
    half = stats.t.isf(0.025, df) * np.sqrt(each.variances[0, 1])
    difference = each.means[1] - each.means[0]
    return difference, difference - half, difference + half


@pytest.fixture(scope="module")
def simulation() -> dict[str, list]:
    found: dict[str, list] = {name: [] for name in (*JUDGES, "people", "judge alone")}
    for seed in range(400):
        people, judges = simulated(seed)
        for name in JUDGES:
            result = fit(people, judges[name])
            found[name].append((*interval(result.powered, result.df), result))
        found["people"].append((*interval(result.people, result.df), result))
        # The negative control: the judge's own means, with their own interval.
        differences = judges["good"][1] - judges["good"][0]
        half = 1.96 * differences.std() / np.sqrt(ITEMS)
        centre = differences.mean()
        found["judge alone"].append((centre, centre - half, centre + half, None))
    return found


def coverage(rows: list) -> float:
    return float(np.mean([low <= TRUTH <= high for _, low, high, _ in rows]))


def width(rows: list) -> float:
    return float(np.mean([high - low for _, low, high, _ in rows]))


@pytest.mark.slow
@pytest.mark.parametrize("judge", [*JUDGES, "people"])
def test_intervals_hold_whatever_the_judge_is_worth(simulation, judge: str):
    assert coverage(simulation[judge]) >= 0.92


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.slow
def test_estimates_are_not_biased_towards_the_judge(simulation, judge: str):
    errors = [estimate - TRUTH for estimate, *_ in simulation[judge]]
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / np.sqrt(len(errors))


def test_a_judge_alone_misleads(simulation):
    assert coverage(simulation["judge alone"]) < 0.05


def test_a_good_judge_narrows_and_no_judge_widens(simulation):
    people = width(simulation["people"])
    assert width(simulation["good"]) < 0.85 * people
    assert width(simulation["useless"]) < 1.01 * people
    assert width(simulation["adversarial"]) < people
    spread = {name: np.std([row[0] for row in rows]) for name, rows in simulation.items()}
    assert spread["good"] < 0.85 * spread["people"]
    for judge in JUDGES:  # never worse than people alone, beyond noise
        assert spread[judge] < 1.03 * spread["people"]
        assert width(simulation[judge]) < 1.01 * people


def test_the_worth_of_a_judge_in_judgements(simulation):
    worth = {name: np.mean([row[3].worth for row in simulation[name]]) for name in JUDGES}
    weight = {name: np.mean([row[3].weight for row in simulation[name]]) for name in JUDGES}
    judgements = 2 * PER_OUTPUT * JUDGED
    assert worth["good"] > 0.4 * judgements
    assert abs(worth["useless"]) < 0.05 * judgements
    assert weight["good"] > 0.5 and weight["adversarial"] < -0.2
    assert abs(weight["useless"]) < 0.1


def test_the_estimate_and_its_variance_are_those_of_the_definition():
    """Angelopoulos et al.: mean of people + λ (mean over all items − mean over judged ones), with
    the λ of each item fitted without it. With a rater for each item, only items are clusters."""
    people, judges = simulated(3)
    judged = np.array([int(name[1:]) for name in people.items])
    rows = np.unique(people.item * 2 + people.system, return_index=True)[1]  # one judgement each
    system, item, value = (each[rows] for each in (people.system, people.item, people.value))
    names = tuple(f"r{n}" for n in range(JUDGED))
    people = People(people.systems, people.items, names, system, item, item, value)
    scores = judges["good"]
    found = fit(people, scores)
    of_people = (
        value[system == 1][np.argsort(item[system == 1])]
        - (value[system == 0][np.argsort(item[system == 0])])
    )
    of_judge = scores[1] - scores[0]

    # What each item adds to the estimate: people alone, and the metric with weight 1.
    centred = of_judge - of_judge.mean()
    none, metric = np.zeros(ITEMS), centred / ITEMS
    none[judged] = (of_people - of_people.mean()) / JUDGED
    metric[judged] -= centred[judged] / JUDGED
    weights = np.array(
        [
            -(np.delete(none, item) @ np.delete(metric, item))
            / (np.delete(metric, item) ** 2).sum()
            for item in judged
        ]
    )
    assert found.weight == pytest.approx(weights.mean())
    weighed = weights * centred[judged]
    difference = found.powered.means[1] - found.powered.means[0]
    assert difference == pytest.approx((of_people - weighed).mean())
    added = weights.mean() * centred / ITEMS
    rest = of_people - weighed
    added[judged] += (rest - rest.mean()) / JUDGED
    expected = (added**2).sum() * ITEMS / (ITEMS - 1)
    assert found.powered.variances[0, 1] == pytest.approx(expected)


# (judged items, raters): where estimates are given, a few of the cells of docs/metrics.md
SMALL = [(20, 4), (20, 16), (30, 8)]


def held(cell: tuple[int, int], campaigns: int) -> dict[str, float]:
    """The share of campaigns whose intervals hold, by judge."""
    found: dict[str, list[bool]] = {}
    for seed in range(campaigns):
        people, judges = simulated(seed, *cell)
        for name in ("good", "useless"):
            try:
                fitted = fit(people, judges[name])
            except Undefined:
                continue
            low, high = interval(fitted.powered, fitted.df)[1:]
            found.setdefault(name, []).append(low <= TRUTH <= high)
    return {name: float(np.mean(each)) for name, each in found.items()}


@pytest.mark.parametrize("cell", SMALL, ids=str)
@pytest.mark.slow
def test_intervals_of_few_judged_items_hold(cell):
    shares = held(cell, 300)
    assert min(shares.values()) >= 0.94 - 2 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
def test_a_weight_fitted_to_what_it_weighs_makes_intervals_too_narrow(monkeypatch):
    """The negative control: eight items, and one weight for all of them."""
    monkeypatch.setattr(module, "LEAST_ITEMS", 3)
    without = module.Influence.weights
    shares = held((8, 16), 400)
    assert shares["useless"] > 0.92

    def of_all(self):
        human = self._summed(self.human, "items")
        metric = self._summed(-self.judged, "items") + self._by_unit(self.everywhere)
        human, metric = (each - each.mean(axis=1, keepdims=True) for each in (human, metric))
        return np.full_like(without(self), -(human * metric).sum() / (metric**2).sum())

    monkeypatch.setattr(module.Influence, "weights", of_all)
    assert held((8, 16), 400)["useless"] < shares["useless"] - 0.02


DOCUMENTS, SEGMENTS, JUDGED_DOCUMENTS = 60, 8, 24


def in_documents(seed: int) -> tuple[People, np.ndarray, Codes]:
    """Two equal systems, whose quality differs by document; some whole documents are judged."""
    rng = np.random.default_rng(seed)
    document = np.arange(DOCUMENTS * SEGMENTS) // SEGMENTS
    merit = rng.normal(size=(2, DOCUMENTS))[:, document]
    merit = merit + 0.7 * rng.normal(size=merit.shape)
    chosen = rng.choice(DOCUMENTS, JUDGED_DOCUMENTS, replace=False)
    judged = np.flatnonzero(np.isin(document, chosen))
    item = np.repeat(np.arange(len(judged)), 2)
    system = np.tile([0, 1], len(judged))
    rater = np.repeat(rng.integers(0, RATERS, len(judged)), 2)
    value = merit[system, judged[item]] + 0.2 * rng.normal(size=(RATERS, 2))[rater, system]
    value = value + 0.4 * rng.normal(size=len(value))
    names = tuple(f"i{n:03}" for n in range(len(document)))
    people = People(
        ("a", "b"), tuple(names[n] for n in judged), tuple(map(str, range(RATERS))),
        system, item, rater, value,
    )  # fmt: skip
    return people, merit + 0.3 * rng.normal(size=merit.shape), document[judged][item]


def test_documents_are_clusters_where_they_group_the_items():
    held = {"items": [], "documents": []}
    names = tuple(f"i{n:03}" for n in range(DOCUMENTS * SEGMENTS))
    for seed in range(200):
        people, scores, documents = in_documents(seed)
        for unit, each in (("items", people), ("documents", replace(people, group=documents))):
            found = fit_control_variate(each, "judge", scores, names)
            low, high = interval(found.powered, found.df)[1:]
            held[unit].append(low <= 0 <= high)
    assert np.mean(held["documents"]) >= 0.94 - 2 * np.sqrt(0.05 * 0.95 / 200)
    assert np.mean(held["items"]) < 0.85


def test_the_order_of_systems_and_the_unit_of_the_metric_change_nothing():
    people, judges = simulated(1)
    turned = replace(people, systems=("b", "a"), system=1 - people.system)
    one, other = fit(people, judges["good"]), fit(turned, 7 + 100 * judges["good"][::-1])
    assert other.weight == pytest.approx(one.weight / 100)
    assert other.powered.means[::-1] == pytest.approx(one.powered.means)
    assert other.powered.variances[0, 1] == pytest.approx(one.powered.variances[0, 1])
    assert other.worth == pytest.approx(one.worth)


def test_the_result_has_both_estimates_side_by_side():
    people, judges = simulated(1)
    fitted = fit(people, judges["good"])
    found = prediction_powered(people, "judge", judges["good"], NAMES)
    assert [each.system for each in found.means] == ["b", "a"]
    assert found.contrasts[0].difference == pytest.approx(np.ptp(fitted.powered.means))
    assert found.people_contrasts[0].difference == pytest.approx(np.ptp(fitted.people.means))
    assert (found.judged_items, found.items, found.worth) == (JUDGED, ITEMS, fitted.worth)
    assert found.judged_outputs == 2 * JUDGED


SYSTEMS, SHOWN, SHOWN_ITEMS = 6, 2, 120


def judged_in_blocks(seed: int) -> tuple[People, np.ndarray, np.ndarray]:
    """Every item is judged, but raters see two of its six outputs, drawn at random."""
    rng = np.random.default_rng(seed)
    truth = np.linspace(-0.5, 0.5, SYSTEMS)
    merit = truth[:, None] + rng.normal(size=SHOWN_ITEMS) + rng.normal(size=(SYSTEMS, SHOWN_ITEMS))
    severity = 0.5 * rng.normal(size=RATERS)
    rows = [
        (system, item, rater, merit[system, item] + severity[rater] + 0.4 * rng.normal())
        for item in range(SHOWN_ITEMS)
        for rater in rng.choice(RATERS, 1)
        for system in rng.choice(SYSTEMS, SHOWN, replace=False)
    ]
    system, item, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    raters = tuple(f"r{n}" for n in range(RATERS))
    people = People(tuple("abcdef"), NAMES[:SHOWN_ITEMS], raters, system, item, rater, value)
    return (
        people,
        merit + 0.4 * rng.normal(size=merit.shape) + 2 * rng.normal(size=SYSTEMS)[:, None],
        truth,
    )


def test_where_every_item_but_not_every_output_was_judged_a_metric_adds_to_people():
    """The design of the E2E campaign, where raters see five of 21 systems an item."""
    held = {"people": [], "powered": []}
    widths = {"people": [], "powered": []}
    first, second = np.triu_indices(SYSTEMS, 1)
    for seed in range(200):
        people, scores, truth = judged_in_blocks(seed)
        found = fit_control_variate(people, "judge", scores, people.items)
        for name, each in (("people", found.people), ("powered", found.powered)):
            half = stats.t.isf(0.025, found.df) * np.sqrt(each.variances[first, second])
            error = each.means[second] - each.means[first] - (truth[second] - truth[first])
            held[name].append(np.abs(error) <= half)
            widths[name].append(half.mean())
    assert np.mean(held["people"]) >= 0.93
    assert np.mean(held["powered"]) >= 0.93
    assert np.mean(widths["powered"]) < 0.8 * np.mean(widths["people"])


def test_unusable_judgements_are_refused():
    people, judges = simulated(1)
    gap = judges["good"].copy()
    gap[1, 3] = np.nan
    with pytest.raises(Undefined, match="no score of b on item i003"):
        fit(people, gap)
    with pytest.raises(Undefined, match="no score of the judged item"):
        fit_control_variate(people, "judge", judges["good"], tuple(map(str, range(ITEMS))))
    with pytest.raises(Undefined, match=r"at least 20 judged items.* here there are 15 items"):
        fit(simulated(1, 15)[0], judges["good"])
    with pytest.raises(Undefined, match="2 raters cannot show"):
        fit(simulated(1, 40, 2)[0], judges["good"])
    with pytest.raises(Undefined, match="Every output was judged"):
        fit_control_variate(people, "judge", judges["good"][:, :JUDGED], people.items)
