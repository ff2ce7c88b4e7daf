"""Races for batches: however many ask at once, a slot has one holder and a rater one batch."""

from collections import Counter

import pytest
from django.db import connection, transaction

from rankme.actions.sitting import assignments
from rankme.actions.sitting.assignments import NoBatch
from rankme.models import Assignment, Slot
from tests.campaigns import make_campaign, make_rater, make_raters, slider_definition
from tests.invariants import check_record
from tests.races.threads import errors_in, meet_after, run_together, without_locks, without_rules
from tests.sittings import claim

pytestmark = pytest.mark.django_db(transaction=True)

RULES_OF_HOLDING = ("one_holder_per_slot", "a_slot_counts_once", "one_live_batch_per_rater")


def campaign_of_slots(slots: int):
    """Batches of one trial, each for two raters."""
    definition = slider_definition(
        design={"kind": "complete", "options": {"trials_per_batch": 1}}, raters_per_trial=2
    )
    return make_campaign(definition, items=slots // 2, systems=1)


def claim_for_all(raters):
    return lambda: [assignments.claim_batch(rater) for rater in raters]


def holders_per_slot() -> Counter:
    return Counter(Assignment.objects.live().values_list("slot_id", flat=True))


@pytest.mark.slow
def test_300_slots_and_50_raters_at_once():
    campaign = campaign_of_slots(300)
    raters = make_raters(campaign, (f"w{number}" for number in range(300)))
    results = run_together([claim_for_all(raters[start::50]) for start in range(50)])
    assert not errors_in(results)
    # Who comes when the last free rows are just being taken is told "busy" and asks again.
    for start, claims in enumerate(results):
        for rater, found in zip(raters[start::50], claims, strict=True):
            if isinstance(found, NoBatch):
                assert found.reason == "busy"
                claim(rater)
    assert set(holders_per_slot().values()) == {1}
    assert len(holders_per_slot()) == 300
    check_record()


def test_without_the_lock_and_the_rule_slots_are_given_out_twice(monkeypatch):
    with without_rules(*RULES_OF_HOLDING):
        campaign = campaign_of_slots(100)
        raters = make_raters(campaign, (f"w{number}" for number in range(100)))
        without_locks(monkeypatch)
        meet_after(monkeypatch, assignments, "_look", threads=20)
        run_together([claim_for_all(raters[start::20]) for start in range(20)])
        assert max(holders_per_slot().values()) > 1
        with pytest.raises(AssertionError):
            check_record()


def test_without_the_lock_the_rule_still_refuses(monkeypatch):
    campaign = campaign_of_slots(100)
    raters = make_raters(campaign, (f"w{number}" for number in range(40)))
    without_locks(monkeypatch)
    meet_after(monkeypatch, assignments, "_look", threads=20)
    results = run_together([claim_for_all(raters[start::20]) for start in range(20)])
    assert errors_in(results), "nobody met anybody: this race proves nothing"
    assert set(holders_per_slot().values()) == {1}
    check_record()


def test_one_rater_asking_20_times_at_once_holds_one_batch():
    rater = make_rater(campaign_of_slots(100))
    results = run_together([lambda: assignments.claim_batch(rater).pk] * 20)
    assert len(set(results)) == 1
    check_record()


def test_without_the_guards_one_rater_holds_many(monkeypatch):
    with without_rules(*RULES_OF_HOLDING, "a_rater_meets_a_batch_once"):
        rater = make_rater(campaign_of_slots(100))
        without_locks(monkeypatch)
        meet_after(monkeypatch, assignments, "_look", threads=20)
        run_together([lambda: assignments.claim_batch(rater).pk] * 20)
        assert rater.assignments.live().count() > 1


def test_a_locked_last_slot_is_busy_not_the_end():
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    rater = make_rater(campaign)
    with transaction.atomic():
        Slot.objects.select_for_update().get()
        (answer,) = run_together([lambda: assignments.claim_batch(rater)])
    assert answer == NoBatch("busy") and answer.ask_again
    assert claim(rater)


def test_claims_do_not_wait_for_other_locks():
    campaign = campaign_of_slots(4)
    raters = [make_rater(campaign, name) for name in ("w1", "w2")]
    with transaction.atomic():
        claim(raters[0])
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            assert cursor.fetchone() == (0,)
        (other,) = run_together([lambda: assignments.claim_batch(raters[1])])
    assert isinstance(other, Assignment)
    assert set(holders_per_slot().values()) == {1}
