"""Every output of every item."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankme.designs.registry import draw


def test_rotowire_ordering_has_each_summary_from_three_raters() -> None:
    """Wiseman, Shieber & Rush (2017), section 6.2: 30 summaries, three different raters each."""
    options = {"trials_per_batch": 10}
    balance = draw("complete", 6, 5, options, raters_per_trial=3, seed=1).balance
    assert (balance.batches, balance.trials, balance.judgements) == (3, 30, 90)
    assert (balance.per_output.min, balance.per_output.max) == (3, 3)


@settings(deadline=None)
@given(data=st.data())
def test_every_output_that_exists_is_shown_once(data: st.DataObject) -> None:
    n_items, n_systems = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 7))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    coverage = rng.random((n_items, n_systems)) < data.draw(st.sampled_from([0.5, 1.0]))
    coverage[0, 0] = True
    options = {
        "outputs_per_screen": data.draw(st.integers(0, 8)),
        "trials_per_batch": data.draw(st.integers(0, 9)),
    }
    plan = draw("complete", n_items, n_systems, options, 1, seed=5, coverage=coverage)
    shown = Counter(
        (trial.item, system)
        for batch in plan.batches
        for trial in batch.trials
        for system in trial.systems
    )
    assert set(shown.values()) == {1}
    assert set(shown) == {(int(i), int(s)) for i, s in np.argwhere(coverage)}
    assert all(trial.systems for batch in plan.batches for trial in batch.trials)


def test_without_a_limit_one_batch_is_fully_crossed() -> None:
    plan = draw("complete", 12, 4, {}, raters_per_trial=9, seed=1)
    assert len(plan.batches) == 1
    assert plan.balance.judgements == 12 * 4 * 9


def test_batches_of_single_outputs_have_their_items_once_and_their_systems_evenly() -> None:
    plan = draw("complete", 100, 5, {"trials_per_batch": 50}, 1, seed=1)
    for batch in plan.batches:
        assert len({trial.item for trial in batch.trials}) == 50
        systems = Counter(trial.systems for trial in batch.trials)
        assert set(systems.values()) == {10}
