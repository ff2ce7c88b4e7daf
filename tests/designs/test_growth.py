"""Extending plans: what each design can take, what it refuses, and that old batches stay."""

import numpy as np
import pytest

from rankme.designs.growth import Growth, joined
from rankme.designs.plan import NO_SYSTEM, DesignError, DesignRequest, measure_balance
from rankme.designs.registry import checked_options, draw, grow


def grown(design, options, *, items, systems, new_items=0, new_systems=0, coverage=None, mixed=25):
    """A plan of items × systems and what it gets for what is new."""
    plan = draw(design, items, systems, options, 2, seed=5)
    n_items, n_systems = items + new_items, systems + new_systems
    if coverage is None:
        coverage = np.ones((n_items, n_systems), dtype=bool)
    request = DesignRequest(
        n_items,
        n_systems,
        checked_options(design, options),
        2,
        99,
        coverage,
        np.zeros(n_items, dtype=np.int64),
    )
    growth = Growth(request, plan.items, plan.systems, plan.batch_sizes, items, systems, mixed)
    added = grow(design, growth)
    return plan, added, measure_balance(joined(growth, added), request)


BLOCKS = {"outputs_per_screen": 3, "trials_per_batch": 5}


@pytest.mark.parametrize(
    ("design", "options", "systems"),
    [
        ("complete", {}, 3),
        ("complete", {"outputs_per_screen": 0}, 3),
        ("items_only", {}, 0),
        ("random_blocks", BLOCKS, 6),
        ("latin_square", {}, 4),
        ("latin_square", {"groups": 2}, 2),
    ],
)
def test_new_items_get_batches_of_their_own(design, options, systems):
    plan, added, balance = grown(design, options, items=8, systems=systems, new_items=8)
    assert set(added.items.tolist()) == set(range(8, 16))
    assert added.batch_sizes.sum() == len(added.items)
    assert balance.trials == len(plan.items) + len(added.items)
    assert balance.per_item.min == balance.per_item.max
    if systems:
        assert balance.per_system.max - balance.per_system.min <= 2


def test_the_same_seed_extends_in_the_same_way():
    drawn = [grown("random_blocks", BLOCKS, items=8, systems=6, new_systems=1) for _ in range(2)]
    assert (drawn[0][1].systems == drawn[1][1].systems).all()


def test_a_new_system_is_judged_on_every_item_of_a_complete_design():
    _, added, balance = grown("complete", {}, items=5, systems=3, new_systems=2, mixed=0)
    assert set(added.systems.ravel().tolist()) == {3, 4}
    assert balance.per_output.min == balance.per_output.max == 2


ALONE = {"outputs_per_screen": 1, "trials_per_batch": 8}


@pytest.mark.parametrize(
    ("design", "options", "new_items", "mixed"),
    [
        ("complete", {}, 0, 25),
        ("complete", {"trials_per_batch": 8}, 0, 25),
        ("complete", {"trials_per_batch": 8}, 0, 50),
        ("complete", {"trials_per_batch": 8}, 16, 25),
        ("complete", {"trials_per_batch": 2}, 0, 10),
        ("random_blocks", ALONE, 0, 25),
    ],
)
def test_batches_of_new_systems_show_a_share_of_earlier_ones(design, options, new_items, mixed):
    _, added, balance = grown(
        design, options, items=24, systems=3, new_items=new_items, new_systems=2, mixed=mixed
    )
    at_most = options.get("trials_per_batch", 10**6)
    screens = np.column_stack([added.items, added.systems[:, 0]])
    for batch in np.split(screens, np.cumsum(added.batch_sizes)[:-1]):
        old = np.count_nonzero(batch[:, 1] < 3)
        assert len(batch) <= at_most
        assert len(np.unique(batch, axis=0)) == len(batch), "no output is there twice"
        assert old >= 1
        assert new_items or abs(old - mixed / 100 * len(batch)) <= 1
    new = screens[screens[:, 1] >= 3]
    assert len(np.unique(new, axis=0)) == len(new) and (design != "complete" or len(new) >= 48)
    earlier = screens[(screens[:, 1] < 3) & (screens[:, 0] < 24)]
    assert np.ptp(np.bincount(earlier[:, 1], minlength=3)) <= 1, "systems take turns"
    for system in range(3):
        of_items = np.bincount(earlier[earlier[:, 1] == system, 0], minlength=24)
        assert np.ptp(of_items) <= 1, "and so do their items"
    assert balance.trials == 24 * 3 + len(screens) or design != "complete"


def test_a_batch_of_one_screen_has_no_room_for_an_earlier_system():
    _, added, _ = grown("complete", {"trials_per_batch": 1}, items=5, systems=3, new_systems=1)
    assert set(added.systems.ravel().tolist()) == {3}


def test_new_systems_catch_up_next_to_the_others():
    plan, added, balance = grown("random_blocks", BLOCKS, items=24, systems=6, new_systems=2)
    before = plan.balance.per_system.mean
    counts = np.array(balance.system_counts)
    assert (counts[6:] >= before).all() and (counts[6:] <= 1.25 * before).all()
    shown = [set(row[row != NO_SYSTEM].tolist()) for row in added.systems]
    assert all(row & {6, 7} and row - {6, 7} for row in shown)
    assert balance.per_pair.min > 0
    ends = np.cumsum(added.batch_sizes)
    for batch in np.split(added.items, ends[:-1]):
        assert len(set(batch.tolist())) == len(batch) <= 5


def test_new_items_and_new_systems_come_in_one_step():
    """New items show all systems alike; on the old ones, the new systems catch up."""
    _plan, added, balance = grown(
        "random_blocks", BLOCKS, items=24, systems=6, new_items=16, new_systems=2
    )
    is_new = added.items >= 24
    on_new = np.bincount(added.systems[is_new].ravel(), minlength=8)
    assert on_new.max() - on_new.min() <= 1
    assert np.bincount(added.items[is_new]).max() == 1, "each new item has its one screen"
    on_old = added.systems[~is_new]
    assert all(set(row.tolist()) & {6, 7} for row in on_old)
    counts = np.array(balance.system_counts)
    assert (counts[6:] >= counts[:6].mean() * 0.8).all() and balance.per_pair.min > 0
    assert added.batch_sizes.sum() == len(added.items)
    ends = np.cumsum(added.batch_sizes)
    for batch in np.split(added.items, ends[:-1]):
        assert len(set(batch.tolist())) == len(batch) <= 5


def test_new_systems_may_be_on_new_items_alone():
    coverage = np.ones((12, 7), dtype=bool)
    coverage[:8, 6] = False
    _, added, balance = grown(
        "random_blocks",
        BLOCKS,
        items=8,
        systems=6,
        new_items=4,
        new_systems=1,
        coverage=coverage,
    )
    assert set(added.items.tolist()) == {8, 9, 10, 11}
    assert balance.system_counts[6] > 0


def test_new_systems_are_shown_only_where_they_have_outputs():
    coverage = np.ones((6, 5), dtype=bool)
    coverage[3:, 4] = False
    _, added, _ = grown(
        "random_blocks", BLOCKS, items=6, systems=4, new_systems=1, coverage=coverage
    )
    assert set(added.items.tolist()) == {0, 1, 2}


REFUSED = {
    "only whole squares": ("latin_square", {}, {"new_items": 3}, "a multiple of 4"),
    "whole squares in groups": ("latin_square", {"groups": 2}, {"new_items": 4}, "multiple of 8"),
    "a square's systems": ("latin_square", {}, {"new_systems": 1}, "cannot take another"),
    "side by side": ("complete", {"outputs_per_screen": 0}, {"new_systems": 1}, "side by side"),
    "no outputs": ("items_only", {}, {"new_systems": 1}, "shows no outputs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_design_cannot_take_is_refused_with_the_reason(name):
    design, options, new, words = REFUSED[name]
    with pytest.raises(DesignError, match=words):
        grown(design, options, items=8, systems=4, **new)


def test_a_square_with_a_missing_output_is_refused():
    coverage = np.ones((8, 4), dtype=bool)
    coverage[6, 2] = False
    with pytest.raises(DesignError, match="needs every output"):
        grown("latin_square", {}, items=4, systems=4, new_items=4, coverage=coverage)


def test_without_anything_new_nothing_is_added():
    _, added, _ = grown("latin_square", {}, items=4, systems=4)
    assert len(added.items) == len(added.batch_sizes) == 0
