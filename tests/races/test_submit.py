"""Races of submissions: with each other, with the end of the batch, with the end of the lease."""

import threading
import time

import pytest

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, judgements
from rankme.errors import KeyReused, RefusedAction
from rankme.models import Assignment, Judgement, Submission
from rankme.queries import trial_material
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.invariants import acknowledged, check_record
from tests.live import PATIENCE
from tests.races.threads import (
    errors_in,
    rule_of_keys,
    run_together,
    without_locks,
    without_rules,
)
from tests.sittings import answer, answer_all, claim, finish, payload_for, run_out, store

pytestmark = pytest.mark.django_db(transaction=True)

RULES_OF_ROWS = ("one_row_per_revision",)
ROUNDS = 25


def short_batch(raters_per_trial: int = 1, items: int = 1) -> Assignment:
    definition = slider_definition(
        design={"kind": "complete"}, raters_per_trial=raters_per_trial, title="Race"
    )
    return claim(make_rater(make_campaign(definition, items=items, systems=1)))


def submit(held: Assignment, payload: dict):
    return lambda: store(held.participant, payload)


@pytest.fixture
def slow_reading(monkeypatch):
    """Let every submission take its time between looking and writing, so that races meet."""
    quick = trial_material.read_answers

    def slow(*arguments, **options):
        time.sleep(0.05)
        return quick(*arguments, **options)

    monkeypatch.setattr(trial_material, "read_answers", slow)


@pytest.fixture
def reading_together(monkeypatch):
    """Let two submissions look before either of them writes. With locks they would wait in vain."""
    quick = trial_material.read_answers
    both = threading.Barrier(2)

    def meet(*arguments, **options):
        both.wait(PATIENCE)
        return quick(*arguments, **options)

    monkeypatch.setattr(trial_material, "read_answers", meet)


def test_one_key_sent_20_times_at_once_is_stored_once(slow_reading):
    held = short_batch()
    payload = payload_for(held)
    results = run_together([submit(held, payload)] * 20)
    assert not errors_in(results)
    assert sorted(receipt.is_new for receipt in results) == [False] * 19 + [True]
    assert {(receipt.key, receipt.revision) for receipt in results} == {(results[0].key, 1)}
    assert Submission.objects.count() == Judgement.objects.count() == 1
    check_record([acknowledged(payload)])


def test_without_lock_and_rules_one_key_is_stored_twice(reading_together, monkeypatch):
    with without_rules(rule_of_keys(), *RULES_OF_ROWS):
        held = short_batch()
        payload = payload_for(held)
        without_locks(monkeypatch)
        run_together([submit(held, payload)] * 2)
        assert Submission.objects.count() == 2
        with pytest.raises(AssertionError):
            check_record([acknowledged(payload)])


def test_without_the_lock_the_rule_of_keys_still_refuses(slow_reading, monkeypatch):
    held = short_batch()
    payload = payload_for(held)
    without_locks(monkeypatch)
    results = run_together([submit(held, payload)] * 20)
    assert not errors_in(results)
    assert Submission.objects.count() == 1
    check_record([acknowledged(payload)])


def test_without_the_comparison_of_hashes_an_acknowledged_answer_is_lost(monkeypatch):
    held = short_batch()
    first = payload_for(held, value=10)
    second = payload_for(held, value=90, key=first["key"])
    store(held.participant, first)
    with pytest.raises(KeyReused):
        store(held.participant, second)
    monkeypatch.setattr(
        judgements,
        "replay",
        lambda found, digest: judgements.Receipt(found.key, 1, False, False, is_new=False),
    )
    store(held.participant, second)
    with pytest.raises(AssertionError, match="not stored as sent"):
        check_record([acknowledged(first), acknowledged(second)])


def test_two_keys_for_one_screen_leave_one_that_counts(slow_reading):
    history = []
    for _ in range(5):
        held = short_batch()
        payloads = [payload_for(held, value=value) for value in (10, 90)]
        results = run_together([submit(held, payload) for payload in payloads])
        assert not errors_in(results)
        assert sorted(receipt.surplus for receipt in results) == [False, True]
        assert sorted(receipt.revision for receipt in results) == [1, 2]
        history += payloads
    check_record(map(acknowledged, history))


def test_without_lock_and_rule_two_keys_for_one_screen_both_count(reading_together, monkeypatch):
    with without_rules(*RULES_OF_ROWS):
        held = short_batch()
        payloads = [payload_for(held, value=value) for value in (10, 90)]
        without_locks(monkeypatch)
        run_together([submit(held, payload) for payload in payloads])
        assert Submission.objects.filter(surplus=False).count() == 2
        with pytest.raises(AssertionError):
            check_record()


def test_one_key_for_two_batches_at_once_is_refused_to_the_second(slow_reading):
    holds = [short_batch(), short_batch()]
    first = payload_for(holds[0])
    payloads = [first, payload_for(holds[1], key=first["key"])]
    results = run_together(
        [submit(held, payload) for held, payload in zip(holds, payloads, strict=True)]
    )
    assert [type(error) for error in errors_in(results)] == [KeyReused]
    assert Submission.objects.count() == 1
    check_record()


def test_a_change_meets_the_end_of_the_batch(slow_reading):
    """What came before the end counts, what came after it is surplus."""
    for _ in range(ROUNDS // 5):
        change_meets_end()
    check_record()


def test_without_the_lock_a_change_slips_in_after_the_end(slow_reading, monkeypatch):
    without_locks(monkeypatch)
    with pytest.raises(AssertionError, match="after the end"):
        for _ in range(ROUNDS):
            change_meets_end()


def change_meets_end() -> None:
    held = short_batch()
    first = answer(held)
    change = payload_for(held, value=90, replaces=str(first.key))
    results = run_together([submit(held, change), lambda: finish(held)])
    assert not errors_in(results)
    held.refresh_from_db()
    stored = Submission.objects.get(key=change["key"])
    came_before = stored.received_at < held.ended_at
    assert stored.surplus is not came_before, "a standing change came after the end"


def test_the_last_screen_meets_the_end_of_the_batch(slow_reading):
    history = []
    for _ in range(ROUNDS // 5):
        held = short_batch()
        payload = payload_for(held)
        sent, finished = run_together([submit(held, payload), lambda held=held: finish(held)])
        assert not isinstance(sent, Exception)
        assert isinstance(finished, RefusedAction) or finished.state == "completed"
        history.append(payload)
    check_record(map(acknowledged, history))


def test_a_submission_meets_the_end_of_its_lease(slow_reading):
    for _ in range(ROUNDS // 5):
        submission_meets_expiry()
    check_record()


def test_without_the_lock_late_work_passes_for_timely(slow_reading, monkeypatch):
    without_locks(monkeypatch)
    with pytest.raises(AssertionError, match="late"):
        for _ in range(ROUNDS):
            submission_meets_expiry()


def submission_meets_expiry() -> None:
    held = short_batch(items=2)
    run_out(held)
    results = run_together([submit(held, payload_for(held)), assignments.expire_overdue])
    assert not errors_in(results)
    held.refresh_from_db()
    was_late = held.submissions.get().late
    assert was_late == (held.state == "expired"), f"{held.state}, and late is {was_late}"


def test_late_work_and_the_new_holders_work_are_both_kept_and_one_counts():
    for turn in range(ROUNDS // 2):
        late = short_batch()
        run_out(late)
        new = claim(make_rater(late.campaign, "second"))
        answer_all(late)
        answer_all(new)
        works = [
            lambda held=held: finish(held) for held in ((late, new) if turn % 2 else (new, late))
        ]
        assert not errors_in(run_together(works))
        assert late.slot.assignments.filter(state="completed").count() == 2
        assert late.slot.assignments.filter(counts=True).count() == 1
    check_record()


def test_no_submission_is_lost_to_the_close_of_the_campaign(slow_reading):
    held = short_batch(items=8)
    payloads = [payload_for(held, trial) for trial in range(8)]
    works = [submit(held, payload) for payload in payloads]
    owner = held.campaign.owner
    close = [lambda: campaigns.close_campaign(held.campaign, by=owner)]
    assert not errors_in(run_together(works + close))
    check_record(map(acknowledged, payloads))
