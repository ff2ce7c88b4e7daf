"""Balanced random k of n: even over systems, pairs of systems and items, whatever is missing."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.designs.plan import NO_SYSTEM, DesignError, DrawnPlan, count_pairs
from rankme.designs.registry import draw


@pytest.mark.parametrize("seed", range(3))
def test_e2e_shows_every_system_and_every_pair_equally_often(seed: int) -> None:
    """Dušek et al. (2020), section 8.4: 630 MRs, 5 of 21 systems, pages of at most 20 screens."""
    balance = draw("random_blocks", 630, 21, {}, 3, seed=seed).balance
    assert (balance.trials, balance.judgements, balance.batches) == (630, 9450, 32)
    assert (balance.per_system.min, balance.per_system.max) == (450, 450)
    assert balance.per_pair is not None
    # 630 × 10 / 210 pairs × 3 raters = 90 of each: as even as can be.
    assert (balance.per_pair.min, balance.per_pair.max) == (90, 90)
    assert (balance.per_item.min, balance.per_item.max) == (15, 15)
    assert balance.trials_per_batch.max <= 20


def test_a_batch_of_e2e_shows_each_system_about_equally_often() -> None:
    plan = draw("random_blocks", 630, 21, {"trials_per_batch": 21}, 1, seed=4)
    for batch in plan.batches:
        times = np.bincount([s for trial in batch.trials for s in trial.systems], minlength=21)
        assert set(times.tolist()) == {5}


@settings(deadline=None, max_examples=60)
@given(
    n_items=st.integers(1, 150),
    n_systems=st.integers(2, 16),
    width=st.integers(1, 6),
    screens=st.integers(1, 4),
    seed=st.integers(0, 2**40),
)
def test_systems_pairs_and_outputs_are_spread_evenly(
    n_items: int, n_systems: int, width: int, screens: int, seed: int
) -> None:
    options = {"outputs_per_screen": width, "screens_per_item": screens}
    plan = draw("random_blocks", n_items, n_systems, options, 1, seed=seed)
    balance, shown = plan.balance, min(width, n_systems)
    assert balance.per_item.min == balance.per_item.max == shown * screens
    assert balance.per_system.max - balance.per_system.min <= 1
    assert balance.per_output.max - balance.per_output.min <= 1
    if balance.per_pair and n_items >= n_systems:
        assert balance.per_pair.max - balance.per_pair.min <= (3 if screens == 1 else 5)
    assert all(len(set(trial.systems)) == shown for batch in plan.batches for trial in batch.trials)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_missing_outputs_are_never_shown_and_the_rest_stays_even(data: st.DataObject) -> None:
    n_items, n_systems = data.draw(st.integers(30, 80)), data.draw(st.integers(6, 10))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    coverage = rng.random((n_items, n_systems)) < 0.9
    plan = draw(
        "random_blocks", n_items, n_systems, {"outputs_per_screen": 3}, 1, seed=1, coverage=coverage
    )
    shown = plan.systems != NO_SYSTEM
    assert coverage[plan.items[:, None], plan.systems][shown].all()
    assert plan.balance.per_system.max - plan.balance.per_system.min <= 1
    assert any("missing" in note for note in plan.notes) == (not coverage.all())


def test_a_system_without_half_of_the_items_catches_up_on_the_other_half() -> None:
    coverage = np.ones((400, 10), dtype=bool)
    coverage[::2, 3] = False
    balance = draw(
        "random_blocks", 400, 10, {"outputs_per_screen": 5}, 1, seed=1, coverage=coverage
    ).balance
    assert balance.per_system.max - balance.per_system.min <= 1


def test_an_item_with_one_output_has_nothing_to_compare_and_is_left_out() -> None:
    coverage = np.ones((10, 4), dtype=bool)
    coverage[0, 1:] = False
    plan = draw("random_blocks", 10, 4, {"outputs_per_screen": 2}, 1, seed=1, coverage=coverage)
    assert 0 not in plan.items
    assert "1 items have too few outputs" in plan.notes[0]


def test_an_item_with_few_outputs_has_a_shorter_screen() -> None:
    coverage = np.ones((10, 6), dtype=bool)
    coverage[0, 3:] = False
    plan = draw("random_blocks", 10, 6, {"outputs_per_screen": 5}, 1, seed=1, coverage=coverage)
    assert sorted(_systems_of(plan, 0)[0]) == [0, 1, 2]


def test_no_batch_has_an_item_twice() -> None:
    options = {"outputs_per_screen": 2, "screens_per_item": 3, "trials_per_batch": 20}
    plan = draw("random_blocks", 13, 8, options, 1, seed=1)
    for batch in plan.batches:
        items = [trial.item for trial in batch.trials]
        assert len(set(items)) == len(items)


def test_more_outputs_per_screen_than_systems_shows_all_of_them() -> None:
    plan = draw("random_blocks", 6, 3, {"outputs_per_screen": 5}, 1, seed=1)
    assert all(sorted(trial.systems) == [0, 1, 2] for trial in plan.batches[0].trials)
    assert "only 3 systems" in plan.notes[0]


def test_no_item_with_two_outputs_is_refused() -> None:
    with pytest.raises(DesignError, match="No item has two outputs"):
        draw("random_blocks", 3, 3, {}, 1, seed=1, coverage=np.eye(3, dtype=bool))


def test_pairs_are_counted_once_for_every_screen_that_shows_both() -> None:
    screens = [(0, 1, 2), (2, 1, NO_SYSTEM), (3, 0, 1)]
    expected = np.zeros((4, 4), dtype=int)
    for screen in screens:
        for first, second in combinations([s for s in screen if s != NO_SYSTEM], 2):
            expected[first, second] += 1
            expected[second, first] += 1
    assert (count_pairs(np.array(screens), 4) == expected).all()


def _systems_of(plan: DrawnPlan, item: int) -> list[tuple[int, ...]]:
    return [trial.systems for batch in plan.batches for trial in batch.trials if trial.item == item]
