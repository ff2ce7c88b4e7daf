"""Drawing by name: options, seeds, the plan as objects, and the order for one participant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankme.designs.order import draw_order
from rankme.designs.plan import DesignError
from rankme.designs.registry import DESIGNS, checked_options, draw


@pytest.mark.parametrize("design", sorted({*DESIGNS} - {"own_plan"}))
def test_the_same_seed_draws_the_same_plan_and_another_seed_another(design: str) -> None:
    first, again, other = (draw(design, 40, 6, {}, 2, seed=seed) for seed in (7, 7, 8))
    assert first.batches == again.batches
    assert first.batches != other.batches


@pytest.mark.parametrize("design", DESIGNS)
def test_defaults_are_allowed_values_and_every_option_says_what_it_does(design: str) -> None:
    for option in DESIGNS[design].options:
        assert option.problem_with(option.default) is None
        assert option.help.endswith(".")


def test_all_wrong_options_are_named_at_once() -> None:
    with pytest.raises(DesignError) as refused:
        checked_options(
            "random_blocks", {"outputs_per_screen": 0, "screens_per_item": True, "outputs": 5}
        )
    assert len(refused.value.problems) == 3
    assert "outputs_per_screen must be a number from 1 to 50." in refused.value.problems


def test_an_unknown_design_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DesignError, match="latin_square, random_blocks, complete"):
        draw("latin", 3, 3, {}, 1, seed=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 3, {}, 1, 1), "at least one item"),
        ((3, 0, {}, 1, 1), "one system"),
        ((3, 3, {}, 0, 1), "one rater"),
        ((3, 3, {}, 1, -1), "seed"),
        ((3, 3, {}, 1, 1, np.ones((2, 3), dtype=bool)), "do not fit"),
        ((3, 3, {}, 1, 1, np.zeros((3, 3), dtype=bool)), "no outputs"),
    ],
)
def test_impossible_requests_are_refused(arguments: tuple, message: str) -> None:
    *counts, seed, coverage = arguments if len(arguments) == 6 else (*arguments, None)
    with pytest.raises(DesignError, match=message):
        draw("complete", *counts, seed=seed, coverage=coverage)


@given(sizes=st.lists(st.integers(1, 8), max_size=30), seed=st.integers(0, 2**60))
def test_a_participants_order_holds_every_trial_and_output_once(
    sizes: list[int], seed: int
) -> None:
    order = draw_order(sizes, seed)
    assert sorted(trial for trial, _ in order) == list(range(len(sizes)))
    for trial, outputs in order:
        assert sorted(outputs) == list(range(sizes[trial]))
    assert draw_order(sizes, seed) == order


def test_the_order_of_the_trials_can_be_kept() -> None:
    assert [trial for trial, _ in draw_order([2] * 9, 5, shuffle_trials=False)] == list(range(9))


def test_every_place_is_equally_likely_for_every_output() -> None:
    counts = np.zeros((5, 5), dtype=int)
    for seed in range(4000):
        [(_, places)] = draw_order([5], seed)
        counts[np.arange(5), places] += 1
    # 800 expected in each cell; five standard deviations are 126.
    assert abs(counts - 800).max() < 130
