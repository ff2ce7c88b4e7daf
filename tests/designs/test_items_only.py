"""Items without outputs are distributed once to each rater."""

import pytest

from rankme.designs.plan import DesignError
from rankme.designs.registry import draw


@pytest.mark.parametrize("n_systems", [0, 3])
def test_every_item_is_given_once_and_nothing_is_shown(n_systems):
    plan = draw("items_only", 25, n_systems, {"trials_per_batch": 10}, 3, seed=5)
    trials = [trial for batch in plan.batches for trial in batch.trials]
    assert sorted(trial.item for trial in trials) == list(range(25))
    assert {trial.systems for trial in trials} == {()}
    assert plan.balance.judgements == 75
    assert plan.balance.trials_per_batch.max <= 10


def test_other_designs_still_need_outputs():
    with pytest.raises(DesignError, match="at least one item and one system"):
        draw("complete", 25, 0, {}, 3, seed=5)
