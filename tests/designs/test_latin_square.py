"""Repeated Latin squares: the papers' own numbers, and what must hold for any material."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.designs.plan import DesignError, DrawnPlan
from rankme.designs.registry import draw


def test_tuna_2008_has_1440_trials_for_24_participants() -> None:
    """Gatt, Belz & Kow (2008), section 3: ten 12 × 12 squares, two halves of 60 items."""
    plan = draw("latin_square", 120, 12, {"groups": 2}, 1, seed=1)
    assert (len(plan.batches), plan.balance.trials) == (24, 1440)
    assert plan.notes == ()
    for batch in plan.batches:
        assert set(_times_each_system(batch.trials).values()) == {5}
        assert len({trial.item for trial in batch.trials}) == 60
    assert set(_times_each_pair(plan).values()) == {1}
    assert len(_times_each_pair(plan)) == 120 * 12
    halves = Counter(frozenset(trial.item for trial in batch.trials) for batch in plan.batches)
    assert sorted(halves.values()) == [12, 12]


def test_tuna_2008_duplicates_four_items_of_each_kind_of_the_112() -> None:
    furniture_and_people = np.repeat([0, 1], 56)
    options = {"groups": 2, "duplicate_items": True}
    plan = draw("latin_square", 112, 12, options, 1, seed=8, strata=furniture_and_people)
    assert plan.balance.trials == 1440
    times = Counter(plan.items.tolist())
    twice = [item for item in times if times[item] == 24]
    assert len(twice) == 8
    assert sum(furniture_and_people[twice]) == 4
    for batch in plan.batches:
        assert set(_times_each_system(batch.trials).values()) == {5}
        assert len({trial.item for trial in batch.trials}) == 60, "no rater meets an item twice"
        kinds = Counter(furniture_and_people[[trial.item for trial in batch.trials]].tolist())
        assert kinds == {0: 30, 1: 30}


def test_sr11_shallow_has_five_raters_who_do_all_items() -> None:
    """Belz et al. (2011), section 4: 4 systems and the topline, 100 items in chunks of 5."""
    plan = draw("latin_square", 100, 5, {"chunk_size": 5}, 1, seed=2)
    assert [len(batch.trials) for batch in plan.batches] == [100] * 5
    for batch in plan.batches:
        assert set(_times_each_system(batch.trials).values()) == {20}
    assert set(_times_each_pair(plan).values()) == {1}


def test_sr11_deep_has_six_raters_who_do_half_the_items_each_in_whole_chunks() -> None:
    plan = draw("latin_square", 100, 3, {"groups": 2, "raters": 6, "chunk_size": 5}, 1, seed=2)
    assert [len(batch.trials) for batch in plan.batches] == [50] * 6
    for batch in plan.batches:
        assert sorted(_times_each_system(batch.trials).values()) == [16, 17, 17]
        chunks = Counter(trial.item // 5 for trial in batch.trials)
        assert set(chunks.values()) == {5}
    assert set(_times_each_pair(plan).values()) == {1}
    assert "a rater sees some systems once more" in plan.notes[0]


@settings(deadline=None)
@given(
    n_items=st.integers(1, 60),
    n_systems=st.integers(1, 9),
    groups=st.integers(1, 4),
    seed=st.integers(0, 2**40),
)
def test_every_rater_meets_every_item_once_and_every_system_equally_often(
    n_items: int, n_systems: int, groups: int, seed: int
) -> None:
    groups = min(groups, n_items)
    plan = draw("latin_square", n_items, n_systems, {"groups": groups}, 1, seed=seed)
    assert len(plan.batches) == groups * n_systems
    for batch in plan.batches:
        items = [trial.item for trial in batch.trials]
        assert len(set(items)) == len(items)
        times = _times_each_system(batch.trials)
        counts = [times[system] for system in range(n_systems)]
        assert max(counts) - min(counts) <= 1
    pairs = _times_each_pair(plan)
    assert len(pairs) == n_items * n_systems
    assert set(pairs.values()) == {1}


@settings(deadline=None)
@given(raters=st.integers(1, 30), groups=st.integers(1, 3), seed=st.integers(0, 99))
def test_any_number_of_raters_is_shared_among_the_groups(
    raters: int, groups: int, seed: int
) -> None:
    groups = min(groups, raters)
    plan = draw("latin_square", 24, 4, {"raters": raters, "groups": groups}, 1, seed=seed)
    assert len(plan.batches) == raters
    for batch in plan.batches:
        times = _times_each_system(batch.trials)
        assert max(times.values()) - min(times.values()) <= 0 + (24 // groups % 4 > 0)
    uneven = any((raters // groups + (group < raters % groups)) % 4 for group in range(groups))
    assert any("not every output" in note for note in plan.notes) == uneven


@settings(deadline=None)
@given(data=st.data())
def test_missing_outputs_leave_their_trials_out_and_are_counted(data: st.DataObject) -> None:
    n_items, n_systems = data.draw(st.integers(2, 20)), data.draw(st.integers(2, 6))
    cells = data.draw(
        st.lists(st.booleans(), min_size=n_items * n_systems, max_size=n_items * n_systems).filter(
            any
        )
    )
    coverage = np.array(cells).reshape(n_items, n_systems)
    plan = draw("latin_square", n_items, n_systems, {}, 1, seed=3, coverage=coverage)
    assert set(_times_each_pair(plan)) == set(
        zip(*map(np.ndarray.tolist, np.nonzero(coverage)), strict=True)
    )
    missing = int((~coverage).sum())
    assert any(note.startswith(f"{missing} trials") for note in plan.notes) == bool(missing)


def test_a_rater_of_one_group_with_duplicates_is_told_of_the_repetition() -> None:
    plan = draw("latin_square", 10, 4, {"duplicate_items": True}, 1, seed=3)
    assert plan.balance.trials == 48
    assert "in the same batch" in plan.notes[0]


def test_more_groups_than_chunks_are_refused() -> None:
    with pytest.raises(DesignError, match="4 chunks of items cannot be divided into 5 groups"):
        draw("latin_square", 20, 3, {"groups": 5, "chunk_size": 5}, 1, seed=1)


def _times_each_system(trials: tuple) -> Counter[int]:
    return Counter(trial.systems[0] for trial in trials)


def _times_each_pair(plan: DrawnPlan) -> dict[tuple[int, int], int]:
    times: dict[tuple[int, int], int] = defaultdict(int)
    for batch in plan.batches:
        for trial in batch.trials:
            times[trial.item, trial.systems[0]] += 1
    return times
