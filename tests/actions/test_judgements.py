"""Submissions: stored once, never changed, and counted by one rule."""

import json
import math
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from rankme.actions import rate_limits
from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, exclusions, judgements, screen_rules
from rankme.errors import InvalidAnswer, KeyReused, RefusedAction, TooManySubmissions
from rankme.models import Assignment, Judgement, QuarantinedPayload, Submission
from rankme.protocols.instruments.base import Instrument
from rankme.queries.watching.own_words import payload_as_sent
from tests.campaigns import make_campaign, make_rater, rankme_definition, slider_definition
from tests.database.rules import assert_kept_by
from tests.invariants import acknowledged, check_record, counted_submissions
from tests.sittings import (
    answer,
    answer_all,
    claim,
    finish,
    outputs_in_order,
    payload_for,
    run_out,
    store,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_record_holds")]


@pytest.fixture(scope="module")
def held_once(rows_of_the_module: None) -> Assignment:
    """A batch in a rater's hands. Tests roll back what they do to it."""
    campaign = make_campaign(slider_definition(design={"kind": "complete"}), items=2, systems=2)
    return claim(make_rater(campaign))


@pytest.fixture
def held(held_once):
    return Assignment.objects.get(pk=held_once.pk)


def record(assignment: Assignment, payload: dict) -> judgements.Receipt:
    return store(assignment.participant, payload)


def test_a_screen_is_stored_with_its_values(held):
    payload = payload_for(held, 1, value=73.5)
    receipt = record(held, payload)
    stored = Submission.objects.get(key=payload["key"])
    assert (receipt.revision, receipt.is_new) == (1, True)
    assert not (receipt.late or receipt.surplus)
    judgement = stored.judgements.get()
    assert (judgement.value, judgement.time_ms, judgement.position) == (73.5, 1500.0, 0)
    assert stored.payload == payload
    check_record([acknowledged(payload)])


def test_each_value_belongs_to_the_output_shown_at_its_place():
    held = claim(make_rater(make_campaign(rankme_definition())))
    trial_id, _ = held.presentation[0]
    shown = outputs_in_order(held.presentation)[trial_id]
    payload = payload_for(held)
    for place, found in enumerate(payload["answers"]):
        found["value"] = 10 + place
    record(held, payload)
    stored = dict(Judgement.objects.values_list("output_id", "value"))
    assert stored == {output: 10 + place for place, output in enumerate(shown)}


def test_the_same_submission_again_changes_nothing(held):
    payload = payload_for(held)
    first = record(held, payload)
    again = record(held, json.loads(json.dumps(payload)))
    assert (first.is_new, again.is_new) == (True, False)
    assert (again.key, again.revision) == (first.key, first.revision)
    assert Submission.objects.count() == Judgement.objects.count() == 1


def test_a_key_stands_for_one_payload(held):
    payload = payload_for(held, value=10, comment="a")
    record(held, payload)
    for other in ({"comment": "b"}, {"answers": payload_for(held, value=20)["answers"]}):
        with pytest.raises(KeyReused):
            record(held, payload | other)
    assert payload_as_sent(Submission.objects.get()) == payload


def test_another_raters_key_is_refused_without_details(held):
    payload = payload_for(held)
    record(held, payload)
    other = claim(make_rater(make_campaign(), "other"))
    with pytest.raises(KeyReused):
        record(other, payload_for(other, key=payload["key"]))


def test_submissions_into_another_raters_batch_are_refused(held):
    stranger = make_rater(held.campaign, "stranger")
    with pytest.raises(InvalidAnswer, match="does not belong to you"):
        store(stranger, payload_for(held))
    assert not Submission.objects.exists()


def test_a_changed_answer_replaces_the_one_it_names(held):
    first = payload_for(held, value=10)
    record(held, first)
    changed = answer(held, value=20, replaces=first["key"])
    assert (changed.revision, changed.surplus) == (2, False)
    assert counted_submissions(held.campaign).get().key == changed.key


def test_a_second_tab_does_not_overwrite_the_first_and_learns_of_it(held):
    first = answer(held, value=10)
    payload = payload_for(held, 0, value=20)
    second = record(held, payload)
    assert (second.revision, second.surplus) == (2, True)
    assert counted_submissions(held.campaign).get().key == first.key
    repeated = record(held, payload)
    changed = answer(held, value=30, replaces=str(first.key))
    receipts = (first, second, repeated, changed)
    assert [receipt.answered_elsewhere for receipt in receipts] == [False, True, True, False]


def test_a_press_that_was_too_early_is_flagged(held):
    answer(held, times={"spent_ms": 9_000, "early": [120.5]})
    assert "anticipation" in Submission.objects.get().flags


def test_a_change_of_an_outdated_answer_is_surplus(held):
    first = answer(held, value=10)
    second = answer(held, value=20, replaces=str(first.key))
    third = answer(held, value=30, replaces=str(first.key))
    assert (second.surplus, third.surplus) == (False, True)
    assert counted_submissions(held.campaign).get().key == second.key


def test_a_change_after_the_end_is_kept_and_not_counted(held):
    answer_all(held)
    finish(held)
    standing = Submission.objects.filter(trial_id=held.presentation[0][0]).get()
    late = answer(held, value=1, replaces=str(standing.key))
    assert (late.surplus, late.late) == (True, False)
    assert late.key not in counted_submissions(held.campaign).values_list("key", flat=True)


def test_late_work_is_kept_and_flagged(held):
    run_out(held)
    assignments.expire_overdue()
    receipt = answer(held)
    assert (receipt.late, receipt.surplus) == (True, False)


def test_work_after_the_close_is_kept_and_flagged(held):
    campaigns.close_campaign(held.campaign, by=held.campaign.owner)
    receipt = answer(held)
    assert (receipt.late, receipt.surplus) == (True, False)


def test_work_during_a_pause_is_not_late(held):
    campaigns.pause_campaign(held.campaign, by=held.campaign.owner)
    assert not answer(held).late


@pytest.mark.parametrize("years", [-10, 10])
def test_a_web_server_whose_clock_is_wrong_by_years_changes_nothing(years, monkeypatch):
    wrong = timezone.now() + timedelta(days=365 * years)
    monkeypatch.setattr(timezone, "now", lambda: wrong)
    held = claim(make_rater(make_campaign()))
    receipt = answer(held, times={"spent_ms": 1_000})
    assert not receipt.late
    assert Submission.objects.get().flags == []
    assert assignments.expire_overdue() == 0
    run_out(held)
    answer(held, 1)
    assert assignments.expire_overdue() == 0, "work did not renew the lease"


def test_a_lease_by_the_web_servers_clock_would_have_ended_long_ago(monkeypatch):
    """The guard taken away: what the clock of a web server can do when it is asked."""
    rater = make_rater(make_campaign())
    claim(rater)
    wrong = timezone.now() - timedelta(days=3_650)
    monkeypatch.setattr(assignments, "lease_end", lambda definition: wrong + timedelta(hours=1))
    claim(rater)  # asking again renews the lease
    assert assignments.expire_overdue() == 1


def test_work_renews_the_lease(held):
    run_out(held)
    answer(held)
    assert assignments.expire_overdue() == 0


@pytest.mark.parametrize(
    "change",
    [
        {"key": "no key"},
        {"key": None},
        {"assignment": "1"},
        {"assignment": True},
        {"assignment": 2**70},
        {"trial": -1},
        {"trial": 99},
        {"trial": 1.5},
        {"screen": 7},
        {"answers": None},
        {"answers": []},
        {"answers": [{"criterion": "fluency", "place": 0, "value": 101}]},
        {"answers": [{"criterion": "fluency", "place": 0, "value": "50"}]},
        {"answers": [{"criterion": "fluency", "place": 0, "value": math.nan}]},
        {"answers": [{"criterion": "fluency", "place": 0, "value": math.inf}]},
        {"answers": [{"criterion": "fluency", "place": 9, "value": 50}]},
        {"answers": [{"criterion": "beauty", "place": 0, "value": 50}]},
        {"answers": [{"criterion": "fluency", "place": 0, "value": 50}] * 2},
        {"times": {"spent_ms": math.inf}},
        {"comment": "\x00"},
        {"comment": "\ud800"},
        {"comment": json.loads("[" * 40 + "]" * 40)},
        {"junk": "x"},
        {"answer": []},
        pytest.param({"comment": "x" * 20_000}, id="long comment"),
        pytest.param({"times": {str(number): number for number in range(5_000)}}, id="long times"),
    ],
    ids=str,
)
def test_impossible_screens_are_refused_whole(held, change):
    with pytest.raises(InvalidAnswer):
        record(held, payload_for(held) | change)
    assert not Submission.objects.exists()


def test_impossible_and_fast_times_are_flagged_never_refused():
    definition = slider_definition(crowd={"least_seconds_per_screen": 3})
    held = claim(make_rater(make_campaign(definition)))
    keys = [
        answer(held, trial, times=times).key
        for trial, times in enumerate(
            [
                {"spent_ms": 100},
                {"spent_ms": 3_600_000},
                {"spent_ms": 3_100, "hidden": [[1, 2]]},
            ]
        )
    ]
    flags = dict(Submission.objects.values_list("key", "flags"))
    assert flags[keys[0]] == ["fast"]
    assert "impossible time" in flags[keys[1]]
    assert "page was hidden" in flags[keys[2]]


def test_the_chain_binds_every_submission_to_the_one_before(held):
    for trial in range(3):
        answer(held, trial)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE rankme_submission DISABLE TRIGGER submission_is_insert_only")
        cursor.execute(
            "UPDATE rankme_submission SET payload = jsonb_set(payload, '{comment}', '\"x\"')"
            " WHERE id = (SELECT min(id) FROM rankme_submission)"
        )
    with pytest.raises(AssertionError):
        check_record()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rankme_submission SET payload = payload - 'comment'"
            " WHERE id = (SELECT min(id) FROM rankme_submission)"
        )
        cursor.execute("ALTER TABLE rankme_submission ENABLE TRIGGER submission_is_insert_only")


def test_an_unreadable_submission_is_kept_as_it_came(held):
    kept = judgements.quarantine(held.participant, "{\x00broken", reason="version 9")
    kept.refresh_from_db()
    assert kept.body == "{\\u0000broken"


def test_an_exclusion_needs_a_reason_and_can_be_withdrawn(held):
    rater, owner = held.participant, held.campaign.owner
    with pytest.raises(RefusedAction):
        exclusions.exclude_rater(rater, reason=" ", by=owner)
    first = exclusions.exclude_rater(rater, reason="All the same.", by=owner)
    assert exclusions.exclude_rater(rater, reason="Again.", by=owner).pk == first.pk
    exclusions.readmit_rater(rater, by=owner)
    exclusions.exclude_rater(rater, reason="Indeed.", by=owner)
    assert rater.exclusions.count() == 2


# --- What the database itself refuses --------------------------------------------------------

RECORDS = {
    "submission_is_insert_only": ("rankme_submission", "late = true"),
    "judgement_is_insert_only": ("rankme_judgement", "value = 1"),
    "quarantine_is_insert_only": ("rankme_quarantinedpayload", "reason = 'x'"),
}


@pytest.fixture
def recorded(held):
    answer(held)
    judgements.quarantine(held.participant, "{}", reason="version 9")
    return held


@pytest.mark.parametrize("trigger", RECORDS)
def test_no_row_of_the_record_is_changed_or_deleted(recorded, trigger):
    with transaction.atomic():
        assert_kept_by(trigger, *RECORDS[trigger], "never changed")
        transaction.set_rollback(True)


def test_infinite_values_are_refused_by_the_database_too(recorded):
    judgement = Judgement.objects.get()
    judgement.pk = None
    judgement.output, judgement.value = None, math.inf
    with pytest.raises(DatabaseError), transaction.atomic():
        judgement.save(force_insert=True)


def test_two_rows_of_one_revision_are_refused(recorded):
    submission = Submission.objects.get()
    submission.pk, submission.key = None, uuid4()
    with pytest.raises(DatabaseError, match="one_row_per_revision"), transaction.atomic():
        submission.save(force_insert=True)


def test_revisions_are_limited_and_the_last_one_counts(held, monkeypatch):
    monkeypatch.setattr(screen_rules, "MOST_REVISIONS", 3)
    standing = answer(held, value=1)
    for value in (2, 3):
        standing = answer(held, value=value, replaces=str(standing.key))
    with pytest.raises(InvalidAnswer, match="3 times"):
        answer(held, value=4, replaces=str(standing.key))
    assert counted_submissions(held.campaign).get().key == standing.key
    assert not answer(held, 1).surplus, "other screens are not affected"
    payload = Submission.objects.get(key=standing.key).payload
    assert not record(held, payload).is_new, "and a repetition is answered as ever"


def test_a_sitting_that_sends_more_than_a_person_can_is_told_to_wait(held, monkeypatch):
    monkeypatch.setattr(screen_rules, "MOST_IN_A_MINUTE", 3)
    for trial in range(3):
        answer(held, trial)
    payload = payload_for(held, 3)
    with pytest.raises(TooManySubmissions):
        record(held, payload)
    again = Submission.objects.order_by("id").first().payload
    assert not record(held, again).is_new, "a repetition stores nothing and is never refused"
    monkeypatch.setattr(screen_rules, "MOST_IN_A_MINUTE", 4)
    assert record(held, payload).is_new


def test_a_long_text_that_the_campaign_asks_for_is_taken():
    """Every character of it has four bytes."""
    story = {
        "name": "fluency",
        "question": "Write.",
        "instrument": "text",
        "options": {"most": 20_000},
    }
    held = claim(make_rater(make_campaign(slider_definition(criteria=[story]))))
    payload = payload_for(held)
    payload["answers"][0]["value"] = "𝄞" * 20_000
    assert record(held, payload).is_new


def test_a_comment_as_long_as_the_page_allows_is_taken_with_the_times_of_a_busy_rater(held):
    """The page's script keeps the times below 14 kB."""
    payload = payload_for(held) | {"comment": "好" * 5_000, "times": {"hidden": "x" * 14_000}}
    assert record(held, payload).is_new


def busy_log(place):
    """A sound that was played again and again, as the page would send it without its bound."""
    events = [["seeked", 3_600_000 + n, 1_234.567 + n] for n in range(100)]
    played = [[1_000.001 + 10 * n, 1_004.878 + 10 * n] for n in range(150)]
    return {"place": place, "events": events, "played": played, "ended": False}


def test_logs_of_playing_without_a_bound_would_cost_the_answers(held, monkeypatch):
    payload = payload_for(held) | {"times": {"files": [busy_log(place) for place in range(4)]}}
    with pytest.raises(InvalidAnswer, match="too long"):
        record(held, payload)
    monkeypatch.setattr(screen_rules, "LARGEST_SCREEN", 1_000_000)
    assert record(held, payload).is_new


def test_times_are_bounded_however_long_the_answers_may_be(held, monkeypatch):
    monkeypatch.setattr(Instrument, "most_characters", lambda *_: 1_000_000)
    payload = payload_for(held) | {"times": {"input": "x" * 20_000}}
    with pytest.raises(InvalidAnswer, match="too long"):
        record(held, payload)


def test_an_unreadable_body_is_kept_once_and_its_size_is_bounded(held):
    rater = held.participant
    first = judgements.quarantine(rater, "{}", reason="version 9")
    assert judgements.quarantine(rater, "{}", reason="version 9") == first
    with pytest.raises(InvalidAnswer):
        judgements.quarantine(rater, "ß" * 10_001, reason="version 9")
    with pytest.raises(IntegrityError), transaction.atomic():
        QuarantinedPayload.objects.create(
            participant=rater, body="{}", body_sha256=first.body_sha256
        )
    other = make_rater(held.campaign, "other")
    assert judgements.quarantine(other, "{}", reason="version 9") != first


def test_unreadable_bodies_have_a_bucket_per_rater(held, monkeypatch):
    few = rate_limits.Limit("few", 2, timedelta(hours=1))
    monkeypatch.setattr(rate_limits, "UNREADABLE", few)
    for body in ("1", "2"):
        judgements.quarantine(held.participant, body, reason="version 9")
    with pytest.raises(TooManySubmissions):
        judgements.quarantine(held.participant, "3", reason="version 9")
    judgements.quarantine(held.participant, "1", reason="version 9")
    judgements.quarantine(make_rater(held.campaign, "other"), "3", reason="version 9")
