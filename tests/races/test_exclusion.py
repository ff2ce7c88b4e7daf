"""Races with an exclusion: however they end, an excluded rater fills no place of the plan."""

import threading
import time

import pytest
from django.db import transaction

from rankme.actions.sitting import assignments, exclusions
from rankme.models import Assignment, RaterExclusion
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.invariants import check_record
from tests.live import PATIENCE
from tests.races.threads import errors_in, run_together, without_locks
from tests.sittings import answer_all, claim, finish

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 8


def two_raters_for_one_batch():
    return make_campaign(slider_definition(design={"kind": "complete"}), items=1, systems=1)


def exclude(rater):
    return lambda: exclusions.exclude_rater(rater, reason="Odd.", by=rater.campaign.owner)


def test_an_exclusion_and_the_end_of_the_sitting_at_once_leave_the_place_open():
    for _ in range(ROUNDS):
        campaign = two_raters_for_one_batch()
        held = claim(make_rater(campaign))
        answer_all(held)
        results = run_together([exclude(held.participant), lambda held=held: finish(held)])
        assert not errors_in(results)
        assert campaign.slots.get().state == "free"
    check_record()


def test_an_exclusion_and_a_claim_of_the_same_rater_leave_the_place_open():
    for _ in range(ROUNDS):
        campaign = two_raters_for_one_batch()
        rater = make_rater(campaign)
        run_together([exclude(rater), lambda rater=rater: assignments.claim_batch(rater)])
        assert campaign.slots.get().state == "free"
        assert not rater.assignments.live().exists()
    check_record()


def test_of_ten_raters_for_a_place_that_is_open_again_one_gets_it():
    campaign = two_raters_for_one_batch()
    held = claim(make_rater(campaign))
    answer_all(held)
    finish(held)
    others = [make_rater(campaign, f"x{number}") for number in range(10)]
    claims = [lambda rater=rater: assignments.claim_batch(rater) for rater in others]
    run_together([exclude(held.participant), *claims])
    run_together(claims)
    assert Assignment.objects.live().count() == 1
    assert Assignment.objects.counting().get().participant in others
    check_record()


def finish_while_excluding(rater, held) -> None:
    """The sitting ends after the exclusion was written, and before it can be seen."""
    written, finished = threading.Event(), threading.Event()

    def excluding() -> None:
        with transaction.atomic():
            RaterExclusion.objects.create(
                campaign=rater.campaign,
                participant=rater,
                reason="Odd.",
                decided_by=rater.campaign.owner,
            )
            written.set()
            finished.wait(2)
            assignments.settle_slots_of(rater)

    def finishing() -> None:
        written.wait(PATIENCE)
        finish(held)
        finished.set()

    assert not errors_in(run_together([excluding, finishing]))


def test_a_sitting_that_ends_unseen_is_settled_by_the_exclusion():
    campaign = two_raters_for_one_batch()
    held = claim(make_rater(campaign))
    answer_all(held)
    finish_while_excluding(held.participant, held)
    assert campaign.slots.get().state == "free"
    check_record()


def exclude_while_finishing(held) -> list[Exception]:
    """Begin the exclusion after the sitting has ended, and before that can be seen."""
    ended = threading.Event()

    def finishing() -> None:
        with transaction.atomic():
            finish(held)
            ended.set()
            time.sleep(1)

    def excluding() -> None:
        ended.wait(PATIENCE)
        exclude(held.participant)()

    return errors_in(run_together([finishing, excluding]))


def test_a_finished_sitting_stays_finished_and_may_be_paid():
    held = claim(make_rater(two_raters_for_one_batch()))
    answer_all(held)
    assert not exclude_while_finishing(held)
    held.refresh_from_db()
    assert held.state == "completed"
    check_record()


def test_without_the_lock_of_the_slot_the_database_alone_keeps_the_finished_sitting(monkeypatch):
    """The control: what the exclusion read is no longer so when it writes; a trigger refuses."""
    held = claim(make_rater(two_raters_for_one_batch()))
    answer_all(held)
    without_locks(monkeypatch)
    (refused,) = exclude_while_finishing(held)
    assert "is completed and stays so" in str(refused)
    held.refresh_from_db()
    assert held.state == "completed"
