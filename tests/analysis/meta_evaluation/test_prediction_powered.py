"""Estimates that use a metric hold whatever it is worth, and are sharper with a good one."""

import numpy as np
import pytest
from scipy import stats

from analysis.errors import Undefined
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.prediction_powered import (
    ControlVariate,
    Estimates,
    fit_control_variate,
    prediction_powered,
)

TRUTH = 0.4  # the second system is better by this
ITEMS, JUDGED, RATERS, PER_OUTPUT = 400, 80, 16, 2
JUDGES = ("good", "useless", "adversarial")


def simulated(seed: int) -> tuple[People, dict[str, np.ndarray], float]:
    """Judgements of a random fifth of the items, judges that score all, and the true difference."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=ITEMS), rng.normal(size=(2, ITEMS))
    merit = np.array([[0.0], [TRUTH]]) + shared + own
    judged = np.sort(rng.choice(ITEMS, JUDGED, replace=False))
    taste = 0.3 * rng.normal(size=(RATERS, 2)) + 0.5 * rng.normal(size=(RATERS, 1))
    rows = [
        (system, place, rater, merit[system, item] + taste[rater, system] + 0.4 * rng.normal())
        for place, item in enumerate(judged)
        for rater in rng.choice(RATERS, PER_OUTPUT, replace=False)
        for system in (0, 1)
    ]
    system, item, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    names = [f"i{n:03}" for n in range(ITEMS)]
    people = People(
        ("a", "b"),
        tuple(names[item] for item in judged),
        tuple(f"r{n}" for n in range(RATERS)),
        system,
        item,
        rater,
        value,
    )
    # Every judge favours the first system by 2 units, more than their true difference.
    bias = np.array([[2.0], [0.0]])
    judges = {
        "good": merit + 0.4 * rng.normal(size=merit.shape) + bias,
        "useless": rng.normal(size=merit.shape) + bias,
        "adversarial": -merit + rng.normal(size=merit.shape) + bias,
    }
    return people, judges, TRUTH


NAMES = tuple(f"i{n:03}" for n in range(ITEMS))


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
        people, judges, truth = simulated(seed)
        for name in JUDGES:
            result = fit(people, judges[name])
            found[name].append((*interval(result.powered, result.df), truth, result))
        found["people"].append((*interval(result.people, result.df), truth, result))
        # The negative control: the judge's own means, with their own interval.
        differences = judges["good"][1] - judges["good"][0]
        half = 1.96 * differences.std() / np.sqrt(ITEMS)
        centre = differences.mean()
        found["judge alone"].append((centre, centre - half, centre + half, truth, None))
    return found


def coverage(rows: list) -> float:
    return float(np.mean([low <= truth <= high for _, low, high, truth, _ in rows]))


def width(rows: list) -> float:
    return float(np.mean([high - low for _, low, high, _, _ in rows]))


@pytest.mark.parametrize("judge", [*JUDGES, "people"])
def test_intervals_hold_whatever_the_judge_is_worth(simulation, judge: str):
    assert coverage(simulation[judge]) >= 0.92


@pytest.mark.parametrize("judge", JUDGES)
def test_estimates_are_not_biased_towards_the_judge(simulation, judge: str):
    errors = [estimate - truth for estimate, _, _, truth, _ in simulation[judge]]
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
    worth = {name: np.mean([row[4].worth for row in simulation[name]]) for name in JUDGES}
    weight = {name: np.mean([row[4].weight for row in simulation[name]]) for name in JUDGES}
    judgements = 2 * PER_OUTPUT * JUDGED
    assert worth["good"] > 0.4 * judgements
    assert abs(worth["useless"]) < 0.05 * judgements
    assert weight["good"] > 0.5 and weight["adversarial"] < -0.2
    assert abs(weight["useless"]) < 0.1


def test_the_estimate_and_its_variance_are_those_of_the_definition():
    """Angelopoulos et al.: mean of people + λ (mean over all items − mean over judged ones).

    With a rater for each item, only items are clusters, and leaving out one item at a time gives
    the variance in another way.
    """
    people, judges, _ = simulated(3)
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

    def estimate(out: int | None, weight: float) -> float:
        mine, all_items = judged != out, np.arange(ITEMS) != out
        return float(
            of_people[mine].mean()
            + weight * (of_judge[all_items].mean() - of_judge[judged[mine]].mean())
        )

    assert found.powered.means[1] - found.powered.means[0] == pytest.approx(
        estimate(None, found.weight)
    )
    without = [estimate(out, found.weight) for out in range(ITEMS)]
    # What each item contributes; judged items weigh more than the others.
    contributions = np.array(without) - estimate(None, found.weight)
    assert found.powered.variances[0, 1] == pytest.approx((contributions**2).sum(), rel=0.03)
    # The weight is the one with the least variance: what is left out is linear in it.
    none, one = (
        np.array([estimate(out, weight) - estimate(None, weight) for out in range(ITEMS)])
        for weight in (0.0, 1.0)
    )
    best = -(none @ (one - none)) / ((one - none) @ (one - none))
    assert found.weight == pytest.approx(best, rel=0.03)


def test_the_order_of_systems_and_the_unit_of_the_metric_change_nothing():
    people, judges, _ = simulated(1)
    turned = People(
        ("b", "a"),
        people.items,
        people.raters,
        1 - people.system,
        people.item,
        people.rater,
        people.value,
    )
    one, other = fit(people, judges["good"]), fit(turned, 7 + 100 * judges["good"][::-1])
    assert other.weight == pytest.approx(one.weight / 100)
    assert other.powered.means[::-1] == pytest.approx(one.powered.means)
    assert other.powered.variances[0, 1] == pytest.approx(one.powered.variances[0, 1])
    assert other.worth == pytest.approx(one.worth)


def test_the_result_has_both_estimates_side_by_side():
    people, judges, _ = simulated(1)
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
    people, judges, _ = simulated(1)
    gap = judges["good"].copy()
    gap[1, 3] = np.nan
    with pytest.raises(Undefined, match="no score of b on item i003"):
        fit(people, gap)
    with pytest.raises(Undefined, match="no score of the judged item"):
        fit_control_variate(people, "judge", judges["good"], tuple(map(str, range(ITEMS))))
    with pytest.raises(Undefined, match="Every output was judged"):
        fit_control_variate(people, "judge", judges["good"][:, :JUDGED], people.items)
