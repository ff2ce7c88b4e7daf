"""Marks that came with an output are told from marks that only claim it."""

import pytest

from analysis.report.layout.span_tables import span_tables
from analysis.report.options import ReportOptions
from analysis.report.span_section import span_section
from analysis.spans.judged import marked_outputs, read_cell
from rankme.actions.campaign import campaigns
from rankme.errors import InvalidAnswer
from rankme.models import Judgement, Output
from rankme.protocols.answers import read_answers
from rankme.protocols.files import stored_definition
from rankme.queries.judgement_table import judgement_table
from rankme.queries.quality import quality_of
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import claim, payload_for, store

pytestmark = pytest.mark.django_db

SUGGESTED = {
    **{"id": 1, "side": "output", "start": 0, "end": 4, "text": "Text", "severity": "minor"},
    **{"category": "", "note": "", "missing": False, "prefilled": "a model", "confirmed": False},
}


@pytest.fixture
def held():
    return holding("count")


def holding(unconfirmed):
    spans = {"name": "errors", "question": "?", "instrument": "spans"}
    options = {"severities": {"minor": "Minor", "major": "Major"}}
    if unconfirmed:
        options["unconfirmed"] = unconfirmed
    definition = slider_definition(
        criteria=[spans | {"options": options}],
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


OWN = SUGGESTED | {"id": 7, "start": 5, "end": 6, "text": "0", "severity": "major"}
del OWN["prefilled"], OWN["confirmed"]


def test_an_untouched_suggestion_is_asked_about_by_default():
    held = holding("")
    with pytest.raises(InvalidAnswer, match="still open: 1"):
        send(held, SUGGESTED, OWN)
    assert not Judgement.objects.exists()
    send(held, SUGGESTED | {"confirmed": True}, OWN)
    assert Judgement.objects.get().value == 6


@pytest.mark.parametrize(("unconfirmed", "penalty"), [("count", 6), ("leave_out", 5)])
def test_an_untouched_suggestion_counts_only_where_the_campaign_says_so(unconfirmed, penalty):
    held = holding(unconfirmed)
    send(held, SUGGESTED, OWN)
    judgement = Judgement.objects.get()
    assert judgement.value == penalty
    table = judgement_table(held.campaign)
    [cell] = [read_cell(label) for label in table.factors["marks"].labels if label]
    assert sum({"minor": 1, "major": 5}[mark.severity] for mark in cell.marks) == penalty
    [note] = marked_outputs(table).notes
    assert note in next(iter(span_tables(span_section(table, ReportOptions())))).notes
    counted = 1 if unconfirmed == "count" else 0
    assert "1 of 1 (100.0 %) were left untouched" in note
    assert f"{counted} of these count as the raters' own" in note
    [line] = quality_of(held.campaign, [held.participant])
    assert line.facts.untouched == 1
    assert "left 100 % of the suggested marks untouched" in line.sentence.lower()


def test_answers_from_before_the_question_are_still_read_as_they_are():
    held = holding("")
    campaign = held.campaign
    definition = stored_definition(campaign.definition)
    answer = {"criterion": "errors", "place": 0, "time_ms": 1.0}
    answer["value"] = {"marks": [SUGGESTED], "events": []}
    [reading] = read_answers(
        definition, 0, [answer], outputs=1, texts=["Text 0 of system 0"], item_input=""
    )
    assert reading.number == 1


@pytest.mark.parametrize(
    "change",
    [
        {"prefilled": "an expert"},
        {"id": 2},
        {"id": 2, "confirmed": True},
        {"start": 0, "end": 6, "text": "Text 0"},  # moved, and nobody has confirmed it
    ],
)
def test_invented_suggestions_are_refused(held, change):
    with pytest.raises(InvalidAnswer, match="was not suggested"):
        send(held, SUGGESTED | change)
    assert not Judgement.objects.exists()


def test_marks_of_ones_own_claim_nothing(held):
    own = {name: SUGGESTED[name] for name in ("side", "start", "end", "text", "severity")}
    send(held, own | {"id": 7})
    assert Judgement.objects.get().value == 1
