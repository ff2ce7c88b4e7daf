"""Leases: who gets which batch, when it is free again, and whose sitting counts."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, participation
from rankme.actions.sitting.assignments import NoBatch
from rankme.actions.sitting.presentations import draw_presentation
from rankme.errors import RefusedAction
from rankme.models import Assignment, Slot
from tests.campaigns import make_campaign, make_rater, rankme_definition, slider_definition
from tests.sittings import answer, answer_all, claim, finish, pages_of, run_out, sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_record_holds")]


@pytest.fixture
def campaign():
    return make_campaign(slider_definition(raters_per_trial=2))


@pytest.fixture
def one_slot():
    """A campaign of one batch that one rater does."""
    return make_campaign(slider_definition(design={"kind": "complete"}), items=2, systems=2)


def counting(slot: Slot) -> Assignment:
    return slot.assignments.get(counts=True)


def test_the_same_person_is_the_same_participant(campaign):
    first = participation.enter(campaign, panel="prolific", external_id="p1", session_id="a")
    second = participation.enter(campaign, panel="prolific", external_id="p1", session_id="b")
    assert (first.pk, second.session_id) == (second.pk, "b")
    assert "p1" not in first.label


def test_asking_again_returns_the_held_batch_and_renews_the_lease(campaign):
    held = claim(make_rater(campaign))
    run_out(held)
    assert {claim(held.participant).pk for _ in range(5)} == {held.pk}
    assert Slot.objects.filter(state="held").count() == 1
    assert assignments.expire_overdue() == 0


def test_every_batch_has_its_raters_before_any_is_done_again(campaign):
    for number in range(4):
        sit(make_rater(campaign, f"w{number}"))
    assert Slot.objects.filter(state="done").values("batch").distinct().count() == 4


def test_a_rater_meets_a_batch_once(campaign):
    definition = slider_definition(raters_per_trial=2, crowd={"batches_per_rater": 9})
    campaign = make_campaign(definition)
    rater = make_rater(campaign)
    batches = [sit(rater).batch_id for _ in range(4)]
    assert len(set(batches)) == 4
    # The second copy of each batch is free, but this rater has met it.
    assert assignments.claim_batch(rater) == NoBatch("complete")


def test_raters_do_not_wait_for_batches_they_have_done():
    definition = slider_definition(raters_per_trial=2, crowd={"batches_per_rater": 9})
    campaign = make_campaign(definition, items=1, systems=1)
    sit(make_rater(campaign, "w1"))
    claim(make_rater(campaign, "w2"))
    first = campaign.participants.order_by("pk").first()
    assert assignments.claim_batch(first) == NoBatch("complete")


def test_a_rater_gets_no_more_batches_than_the_campaign_says(campaign):
    rater = make_rater(campaign)
    sit(rater)
    assert assignments.claim_batch(rater) == NoBatch("enough")


def test_raters_with_the_code_get_no_more_work():
    campaign = make_campaign(slider_definition(crowd={"batches_per_rater": 3}))
    rater = make_rater(campaign)
    sit(rater)
    participation.complete_participation(rater)
    assert assignments.claim_batch(rater) == NoBatch("enough")


def test_raters_without_consent_get_no_work(campaign):
    rater = participation.enter(campaign, panel="generic", external_id="w1")
    with pytest.raises(RefusedAction):
        assignments.claim_batch(rater)


def test_screened_out_raters_get_no_work():
    question = {"name": "native", "question": "Native?", "kind": "yes-no", "accept": ["yes"]}
    campaign = make_campaign(slider_definition(entry_questions=[question]))
    rater = make_rater(campaign)
    assert not participation.answer_entry_questions(rater, {"native": "no"})
    with pytest.raises(RefusedAction):
        assignments.claim_batch(rater)


def test_a_paused_campaign_hands_out_nothing_but_lets_holders_finish(campaign):
    held = claim(make_rater(campaign, "w1"))
    campaigns.pause_campaign(campaign, by=campaign.owner)
    assert assignments.claim_batch(make_rater(campaign, "w2")) == NoBatch("paused")
    assert claim(held.participant).pk == held.pk
    answer_all(held)
    assert finish(held).state == "completed"


def test_a_closed_campaign_hands_out_nothing(campaign):
    campaigns.close_campaign(campaign, by=campaign.owner)
    assert assignments.claim_batch(make_rater(campaign)) == NoBatch("closed")


def test_one_may_ask_again_while_others_work_on_the_rest_but_not_once_all_is_done(one_slot):
    held = claim(make_rater(one_slot, "w1"))
    found = assignments.claim_batch(make_rater(one_slot, "w2"))
    assert found == NoBatch("later") and found.ask_again
    sit(held.participant)
    found = assignments.claim_batch(make_rater(one_slot, "w2"))
    assert found == NoBatch("complete") and not found.ask_again


def test_a_lease_frees_its_slot_when_it_has_run_out_and_not_before(one_slot):
    left = claim(make_rater(one_slot, "w1"))
    assert assignments.expire_overdue(one_slot) == 0
    left.refresh_from_db()
    assert left.state == "held"
    run_out(left)
    taken = claim(make_rater(one_slot, "w2"))
    left.refresh_from_db()
    assert (left.state, taken.slot_id) == ("expired", left.slot_id)


def test_a_full_batch_whose_rater_left_is_completed_not_expired(one_slot):
    held = claim(make_rater(one_slot))
    answer_all(held)
    run_out(held)
    assert assignments.expire_overdue() == 1
    held.refresh_from_db()
    assert (held.state, held.slot.state) == ("completed", "done")


def test_returning_raters_get_their_batch_back(one_slot):
    left = claim(make_rater(one_slot))
    run_out(left)
    assignments.expire_overdue()
    again = claim(left.participant)
    assert (again.pk, again.state, again.presentation) == (left.pk, "held", left.presentation)


def test_returning_raters_are_told_that_all_batches_are_done(one_slot):
    left = claim(make_rater(one_slot, "w1"))
    run_out(left)
    sit(make_rater(one_slot, "w2"))
    assert assignments.claim_batch(left.participant) == NoBatch("complete")


def test_a_batch_is_given_back_once_and_free_for_others(one_slot):
    given = claim(make_rater(one_slot, "w1"))
    assignments.return_batch(given)
    with pytest.raises(RefusedAction):
        assignments.return_batch(given)
    assert claim(make_rater(one_slot, "w2")).slot_id == given.slot_id


def test_a_lease_that_the_organiser_freed_does_not_come_back(one_slot):
    freed = claim(make_rater(one_slot))
    assignments.free_lease(freed, by=one_slot.owner)
    assert assignments.claim_batch(freed.participant) == NoBatch("complete")
    assert one_slot.audit_events.filter(verb="lease freed").exists()


def test_a_batch_with_missing_screens_cannot_be_finished(one_slot):
    held = claim(make_rater(one_slot))
    answer(held, 0)
    with pytest.raises(RefusedAction, match="3 screens"):
        finish(held)


def test_finishing_twice_is_finishing_once(one_slot):
    finished = sit(make_rater(one_slot))
    ended_at = Assignment.objects.get().ended_at
    finish(finished)
    assert Assignment.objects.get().ended_at == ended_at


def test_the_sitting_with_more_answers_counts_for_a_free_slot(one_slot):
    much = claim(make_rater(one_slot, "w1"))
    answer(much, 0)
    answer(much, 1)
    assignments.return_batch(much)
    little = claim(make_rater(one_slot, "w2"))
    answer(little, 0)
    assert counting(little.slot).pk == little.pk
    assignments.return_batch(little)
    assert counting(much.slot).pk == much.pk


def test_answers_are_counted_by_screens_not_by_trials():
    two_screens = rankme_definition(
        criteria=[
            {"name": "quality", "question": "Good?", "instrument": "slider"},
            {"name": "fluency", "question": "Fluent?", "instrument": "slider"},
        ],
        screens=[
            {"name": "one", "show": ["outputs"], "ask": ["quality"]},
            {"name": "two", "show": ["outputs"], "ask": ["fluency"]},
        ],
        standard=None,
    )
    campaign = make_campaign(two_screens)
    shallow = claim(make_rater(campaign, "w1"))
    answer(shallow, 0, 0)
    assignments.return_batch(shallow)
    deep = claim(make_rater(campaign, "w2"))
    assert deep.slot_id == shallow.slot_id
    answer(deep, 0, 0)
    answer(deep, 0, 1)
    assignments.return_batch(deep)
    assert counting(deep.slot).pk == deep.pk


def test_the_first_finished_sitting_counts(one_slot):
    slow = claim(make_rater(one_slot, "slow"))
    run_out(slow)
    quick = sit(make_rater(one_slot, "quick"))
    answer_all(slow)
    assert finish(slow).state == "completed"
    assert counting(slow.slot).pk == quick.pk


def test_late_work_counts_where_no_other_rater_finished(one_slot):
    late = claim(make_rater(one_slot, "late"))
    run_out(late)
    other = claim(make_rater(one_slot, "other"))
    answer_all(late)
    assert counting(late.slot).pk == late.pk
    answer_all(other)
    finish(other)
    assert counting(late.slot).pk == late.pk


def test_a_complete_late_sitting_earns_the_code(one_slot):
    late = claim(make_rater(one_slot))
    assignments.return_batch(late)
    answer_all(late)
    late.refresh_from_db()
    assert late.state == "completed"
    assert participation.complete_participation(late.participant).completion_code


def test_a_clock_set_back_does_not_change_whose_sitting_counts(one_slot):
    first = claim(make_rater(one_slot, "w1"))
    run_out(first)
    sit(make_rater(one_slot, "w2"))
    counted_before = counting(first.slot).pk
    answer_all(first)
    finish(first)
    # As if the second ending had come while the server's clock was behind the first one.
    Assignment.objects.filter(pk=first.pk).update(ended_at="2001-01-01T00:00:00Z")
    assignments.settle_slot(first.slot)
    assert counting(first.slot).pk == counted_before


def test_the_code_comes_after_a_finished_batch_only(one_slot):
    rater = make_rater(one_slot)
    with pytest.raises(RefusedAction, match="No batch"):
        participation.complete_participation(rater)
    held = claim(rater)
    with pytest.raises(RefusedAction, match="current batch first"):
        participation.complete_participation(rater)
    answer_all(held)
    finish(held)
    code = participation.complete_participation(rater).completion_code
    assert len(code) == 22
    assert participation.complete_participation(rater).completion_code == code


def test_each_rater_has_a_presentation_of_their_own_and_it_is_drawn_once():
    campaign = make_campaign(rankme_definition(raters_per_trial=6), items=4, systems=3)
    shown = [claim(make_rater(campaign, f"w{number}")).presentation for number in range(6)]
    assert len({str(presentation) for presentation in shown}) > 1
    assert len({str(sorted(trial for trial, _ in presentation)) for presentation in shown}) == 1
    first = campaign.participants.get(external_id="w0")
    batch = first.assignments.get().batch_id
    definition = campaigns.definition_of(campaign)
    assert draw_presentation(first, batch, definition, pages_of(batch)) == shown[0]


def test_the_database_enforces_the_rules_of_holding():
    rules = ["one_holder_per_slot", "one_live_batch_per_rater", "a_slot_counts_once"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = ANY(%s)", [rules])
        assert ["UNIQUE" in found for (found,) in cursor.fetchall()] == [True] * 3


@pytest.mark.parametrize("is_known", [False, True])
def test_entering_takes_one_statement(is_known):
    campaign = make_campaign()
    if is_known:
        participation.enter(campaign, panel="p", external_id="w1")
    with CaptureQueriesContext(connection) as captured:
        rater = participation.enter(campaign, panel="p", external_id="w1", language="cs")
    statements = [
        query["sql"] for query in captured if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))
    ]
    assert len(statements) == 1, statements
    assert campaign.participants.get() == rater


def test_a_label_that_two_people_share_is_never_silent(monkeypatch):
    """Only the same person may be taken for a repetition; any other conflict is an error."""
    campaign = make_campaign()
    monkeypatch.setattr(participation, "new_label", lambda: "r1")
    participation.enter(campaign, panel="p", external_id="w1")
    with pytest.raises(IntegrityError), transaction.atomic():
        participation.enter(campaign, panel="p", external_id="w2")
