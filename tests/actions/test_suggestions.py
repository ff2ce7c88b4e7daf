"""Marks that came with an output are told from marks that only claim it."""

import pytest

from rankme.actions import campaigns
from rankme.errors import InvalidAnswer
from rankme.models import Judgement, Output
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

SUGGESTED = {
    **{"id": 1, "side": "output", "start": 0, "end": 4, "text": "Text", "severity": "minor"},
    **{"category": "", "note": "", "missing": False, "prefilled": "a model", "confirmed": False},
}


@pytest.fixture
def held():
    spans = {"name": "errors", "question": "?", "instrument": "spans"}
    definition = slider_definition(
        criteria=[spans | {"options": {"severities": {"minor": "Minor", "major": "Major"}}}],
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["errors"]}],
    )
    campaign = make_campaign(definition, items=1, systems=1, launch=False)
    Output.objects.update(marks=[SUGGESTED])
    return claim(make_rater(campaigns.launch_campaign(campaign, by=campaign.owner)))


def send(held, *marks):
    answer = {"criterion": "errors", "place": 0, "time_ms": 1.0}
    value = {"marks": list(marks), "events": []}
    return store(held.participant, payload_for(held) | {"answers": [answer | {"value": value}]})


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"confirmed": True},
        {"confirmed": True, "severity": "major"},
        {"confirmed": True, "start": 0, "end": 6, "text": "Text 0"},
    ],
)
def test_a_suggestion_comes_back_as_it_was_or_confirmed(held, change):
    send(held, SUGGESTED | change)
    assert Judgement.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"prefilled": "an expert"},
        {"id": 2},
        {"id": 2, "confirmed": True},
        {"start": 0, "end": 6, "text": "Text 0"},  # moved, and nobody has confirmed it
    ],
)
def test_nobody_makes_a_suggestion_up(held, change):
    with pytest.raises(InvalidAnswer, match="was not suggested"):
        send(held, SUGGESTED | change)
    assert not Judgement.objects.exists()


def test_marks_of_ones_own_claim_nothing(held):
    own = {name: SUGGESTED[name] for name in ("side", "start", "end", "text", "severity")}
    send(held, own | {"id": 7})
    assert Judgement.objects.get().value == 1
