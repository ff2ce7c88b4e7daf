"""Traces of how raters work: kept where the campaign says so, outside the record, until erased."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rankme.actions.campaign import changes
from rankme.actions.sitting import erasing
from rankme.errors import RefusedAction
from rankme.exporting.own_data import own_data
from rankme.models import Campaign, ScreenTrace, Submission, SubmissionWords
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer, answer_all, claim, finish

pytestmark = pytest.mark.django_db
TRACE = {"keys": 12, "pasted": 340, "key_mean_ms": 180.5}


def campaign_that_keeps(traces: bool) -> Campaign:
    return make_campaign(slider_definition(crowd={"traces": traces}), items=2, systems=2)


def test_a_campaign_without_traces_stores_none():
    held = claim(make_rater(campaign_that_keeps(False)))
    answer(held, trace=TRACE)
    assert Submission.objects.count() == 1
    assert not ScreenTrace.objects.exists()
    assert "340" not in str(Submission.objects.get().payload)


def test_a_trace_is_a_row_of_its_own_outside_the_hashed_answer():
    held = claim(make_rater(campaign_that_keeps(True)))
    first = answer(held, trace=TRACE)
    answer(held, 1, trace="nothing that can be read")
    answer(held, key=str(first.key), trace={"keys": 1})  # a repetition adds none
    assert Submission.objects.count() == 2
    trace = ScreenTrace.objects.get()
    assert trace.summary == TRACE
    assert "trace" not in trace.submission.payload
    with_trace, without = own_data(held.participant)["batches"][0]["screens"]
    assert with_trace["trace"] == TRACE and "trace" not in without


def test_a_screen_with_words_and_a_trace_keeps_both_in_as_many_statements_as_one_with_neither():
    screens = [{"name": "rate", "show": ["outputs"], "ask": ["fluency"], "comment": True}]
    definition = slider_definition(screens=screens, crowd={"traces": True})
    held = claim(make_rater(make_campaign(definition, items=3, systems=1)))
    answer(held)  # so that what is remembered and planned costs nothing more
    with CaptureQueriesContext(connection) as plain:
        answer(held, 1)
    with CaptureQueriesContext(connection) as full:
        answer(held, 2, comment="A long day.", trace=TRACE)
    sent = Submission.objects.latest("pk")
    assert (sent.own_words.words[0]["text"], sent.trace.summary) == ("A long day.", TRACE)
    assert ScreenTrace.objects.count() == SubmissionWords.objects.count() == 1
    assert len(full) == len(plain)


def test_traces_go_with_the_identity_and_others_stay():
    campaign = campaign_that_keeps(True)
    for name in ("w1", "w2"):
        held = claim(make_rater(campaign, name))
        answer_all(held, trace=TRACE)
        finish(held)
    gone, stays = campaign.participants.order_by("pk")
    answered = Submission.objects.count()
    erasing.erase_rater(gone, by=campaign.owner)
    left = ScreenTrace.objects.values_list("submission__assignment__participant", flat=True)
    assert set(left) == {stays.pk}
    assert Submission.objects.count() == answered


@pytest.mark.parametrize(("before", "after", "is_refused"), [(0, 1, True), (1, 0, False)])
def test_traces_can_only_be_switched_off_after_somebody_has_agreed(before, after, is_refused):
    campaign = campaign_that_keeps(bool(before))
    make_rater(campaign)
    changed = slider_definition(crowd={"traces": bool(after)})
    try:
        changes.change_campaign(campaign, changed, reason="Wish", by=campaign.owner, base=1)
    except RefusedAction as refusal:
        assert is_refused and "before they read about traces" in str(refusal)
    else:
        assert not is_refused
