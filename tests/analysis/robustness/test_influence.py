"""Sets of raters and items that the answer depends on, against refits of all small sets."""

from itertools import combinations

import numpy as np
import pytest

from analysis.errors import RankingError, Undefined
from analysis.ranking.bradley_terry import existing_fit, influences
from analysis.ranking.pairs import count, pairs_from_table
from analysis.robustness.influence import ComparedPairs, ComparedValues, influence
from analysis.scales.clustered import Within
from benchmarks.false_claims import Cell

SMALL = Cell(7, 10, 4, "tasteful raters")


def models(table):
    yield ComparedPairs(pairs_from_table(table), 0.05, "both")
    rater, item = table.rater, table.item
    yield ComparedValues(
        table.value, table.system.codes, table.system.labels, rater.codes, rater.labels,
        item.codes, item.labels, rater.codes, 0.05, "both",
    )  # fmt: skip


def campaign(number: int, effect: float = 0.6, cell: Cell = SMALL):
    return cell.campaign(number, effect)


def without(model, units, removed) -> np.ndarray:
    codes, labels = model.units[units]
    return ~np.isin(codes, [list(labels).index(name) for name in removed])


def first_of(model, kept) -> str:
    return model.systems[int(np.argmax(model.estimates(kept)))]


def smallest(model, units) -> int:
    """By trying all sets: how many units have to go before another system is first; 9 if many."""
    codes, labels = model.units[units]
    everybody = first_of(model, np.ones(len(codes), dtype=bool))
    for size in range(1, len(labels) // 2 + 1):
        for removed in combinations(range(len(labels)), size):
            try:
                if first_of(model, ~np.isin(codes, removed)) != everybody:
                    return size
            except (Undefined, RankingError):
                continue
    return 9


@pytest.mark.parametrize("kind", [0, 1], ids=["comparisons", "values"])
def test_sets_are_about_as_small_as_the_smallest_that_exist(kind):
    sizes = []
    for number in range(12):
        model = list(models(campaign(number)))[kind]
        found = influence(model)
        mine = [
            each for each in found.removals if (each.units, each.changes) == ("raters", "first")
        ]
        sizes.append((len(mine[0].removed) if mine else 9, smallest(model, "raters")))
    assert all(mine >= least for mine, least in sizes), "an upper bound"
    assert sum(mine == least for mine, least in sizes) >= 10, sizes
    assert {1, 2, 3} & {least for _, least in sizes}, "some answers are fragile"


@pytest.mark.parametrize("number", range(8))
def test_every_removal_changes_what_it_says_and_keeps_half_of_the_units(number):
    for model in models(campaign(number)):
        for each in influence(model).removals:
            kept = without(model, each.units, each.removed)
            assert len(each.removed) <= each.of // 2
            assert each.share == pytest.approx(1 - kept.mean())
            if each.changes == "first":
                assert first_of(model, np.ones(len(kept), dtype=bool)) == each.a
                assert first_of(model, kept) == each.b
            else:
                places = [model.systems.index(name) for name in (each.a, each.b)]
                assert model.lower_bounds(np.ones(len(kept), dtype=bool))[tuple(places)] > 0
                assert not model.lower_bounds(kept)[tuple(places)] > 0


def test_no_set_is_named_where_everybody_agrees():
    """With a difference that every rater sees on every item, no half of them takes it away."""
    for model in models(campaign(1, 12.0)):
        found = influence(model)
        assert ("raters", "first") in found.searched
        assert not [each for each in found.removals if each.changes == "first"]


def test_nothing_that_is_not_claimed_can_be_lost():
    for model in models(campaign(3, 0.0)):
        found = influence(model)
        if not (model.lower_bounds(np.ones(len(model.units["raters"][0]), dtype=bool)) > 0).any():
            assert all(changes == "first" for _, changes in found.searched)


def test_influence_approximates_what_leaving_out_one_rater_does():
    table = campaign(2, cell=Cell(24, 20, 4, "tasteful raters"))
    pairs = pairs_from_table(table)
    fit = existing_fit(pairs.systems, count(pairs))[0]
    values = table.value - table.value.mean()
    within = Within.of(values, table.system.codes, table.rater.codes)
    for model, estimate, moved in zip(
        models(table),
        (fit.ability, within.coefficients),
        (influences(pairs, fit, pairs.rater), within.influences(table.rater.codes)),
        strict=True,
    ):
        codes = model.units["raters"][0]
        refits = [model.estimates(codes != rater) for rater in range(24)]
        changes = estimate - np.array(refits)
        assert np.corrcoef(changes.ravel(), moved.ravel())[0, 1] > 0.99
        assert np.abs(changes - moved).max() < 0.15 * np.abs(changes).max()
