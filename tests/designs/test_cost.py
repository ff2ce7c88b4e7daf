"""What a plan means for raters and for the budget."""

from rankme.designs.cost import estimate
from rankme.designs.registry import draw
from rankme.protocols.crowd import Crowd

TERMS = Crowd(batches_per_rater=2, pay_per_batch=3, currency="CZK", expected_seconds_per_screen=60)
FOUR_BATCHES_OF_FOUR = draw("random_blocks", 16, 5, {"trials_per_batch": 4}, 3, seed=1)


def test_minutes_raters_and_pay_follow_from_the_plan():
    found = estimate(FOUR_BATCHES_OF_FOUR, TERMS, screens_per_trial=1)
    assert (found.sittings, found.raters) == (12, 6)  # 4 batches × 3 raters, 2 batches each
    assert (found.minutes_per_batch, found.minutes_per_rater) == (4, 8)
    assert (found.cost, found.currency, found.hours_in_all) == (36, "CZK", 0.8)
    assert found.pay_per_hour == 45  # 3 for 4 minutes


def test_every_screen_of_a_trial_takes_its_time():
    found = estimate(FOUR_BATCHES_OF_FOUR, TERMS, screens_per_trial=2)
    assert (found.minutes_per_batch, found.cost) == (8, 36)


def test_nobody_does_a_batch_twice_however_many_a_rater_may_do():
    eager = TERMS.model_copy(update={"batches_per_rater": 100})
    found = estimate(FOUR_BATCHES_OF_FOUR, eager, screens_per_trial=1)
    assert (found.raters, found.minutes_per_rater) == (3, 16)
