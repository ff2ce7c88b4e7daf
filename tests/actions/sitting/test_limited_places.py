"""At most so many raters with an answer to an entry question."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from rankme.actions.sitting import participation
from rankme.errors import InvalidDefinition
from rankme.models import Campaign, Participant
from rankme.queries.watching.limited_places import limited_places
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.races.threads import run_together
from tests.sittings import claim

pytestmark = pytest.mark.django_db


def asking(**most: int) -> dict:
    return {
        "name": "variety",
        "question": "Which English?",
        "choices": {"british": "British", "american": "American"},
        "most": most,
    }


def limited_campaign(**most: int) -> Campaign:
    return make_campaign(slider_definition(entry_questions=[asking(**most)]))


def enter(campaign: Campaign, name: str, answer: str) -> Participant:
    rater = make_rater(campaign, name)
    participation.answer_entry_questions(rater, {"variety": answer})
    rater.refresh_from_db()
    return rater


def outcomes(campaign: Campaign) -> list[tuple[str, str]]:
    return list(campaign.participants.order_by("pk").values_list("state", "outcome"))


def test_those_who_come_when_an_answer_is_full_are_turned_away():
    campaign = limited_campaign(british=2)
    for name in ("a", "b", "c"):
        enter(campaign, name, "british")
    enter(campaign, "d", "american")
    at_work = ("working", "")
    assert outcomes(campaign) == [at_work, at_work, ("screened_out", "quota_full"), at_work]
    (place,) = limited_places(campaign)
    assert (place.answer, place.taken, place.most, place.is_full) == ("British", 2, 2, True)


def test_without_a_limit_everybody_comes_in():
    campaign = limited_campaign()
    for name in ("a", "b", "c"):
        enter(campaign, name, "british")
    assert set(outcomes(campaign)) == {("working", "")}
    assert limited_places(campaign) == []


def test_who_gives_the_work_back_frees_the_place():
    campaign = limited_campaign(british=1)
    participation.give_back(enter(campaign, "a", "british"))
    assert enter(campaign, "b", "british").state == "working"


def test_who_left_long_ago_without_work_frees_the_place_and_a_holder_keeps_it():
    campaign = limited_campaign(british=1)
    gone = enter(campaign, "a", "british")
    long_ago = timezone.now() - timedelta(days=2)
    Participant.objects.filter(pk=gone.pk).update(entered_at=long_ago)
    held = enter(campaign, "b", "british")
    claim(held)
    Participant.objects.filter(pk=held.pk).update(entered_at=long_ago)
    assert enter(campaign, "c", "british").outcome == "quota_full"


@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_not_both_get_the_last_place():
    campaign = limited_campaign(british=1)
    raters = [make_rater(campaign, name) for name in "abcd"]
    british = {"variety": "british"}
    run_together(
        [partial(participation.answer_entry_questions, rater, british) for rater in raters]
    )
    states = sorted(state for state, _outcome in outcomes(campaign))
    assert states == ["screened_out"] * 3 + ["working"]


@pytest.mark.parametrize(
    "wrong",
    [
        asking(scottish=2),
        asking(british=0),
        asking(british=2) | {"accept": ["american"]},
        {"name": "variety", "question": "Which?", "kind": "text", "most": {"any": 1}},
    ],
)
def test_limits_name_accepted_answers_and_allow_somebody(wrong: dict):
    with pytest.raises(InvalidDefinition):
        slider_definition(entry_questions=[wrong])
