"""Statements that raters tick before they begin."""

import re

import pytest

from rankme.actions import rate_limits
from rankme.actions.campaign.changes import change_campaign
from rankme.errors import InvalidDefinition
from rankme.exporting.own_data import own_data
from rankme.pages.rater.rater_identity import Arrival
from rankme.protocols.files import definition_from_document, definition_to_document
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address

from .visits import arrival_at

pytestmark = pytest.mark.django_db
ADULT, READ = "I am at least 18 years old.", "I have read “the <b>information</b>” above."
TEXTS = {"consent": "Agree?", "instructions": "Move.", "statements": [ADULT, READ]}
BOTH = {"statement-1": ADULT, "statement-2": READ}


@pytest.fixture
def campaign():
    return make_campaign(slider_definition(texts=TEXTS))


def send(client, campaign, decision="agree", **ticked):
    door = address("enter", campaign)
    arrival = arrival_at(client, door, {"id": "w1"})
    named = {name.replace("_", "-"): text for name, text in ticked.items()}
    return client.post(door, {"arrival": arrival, "decision": decision} | named)


def boxes(answer):
    return re.findall(r'<input\s+type="checkbox"[^>]*>', answer.text)


def test_the_page_has_a_labelled_box_for_each_statement(client, campaign):
    page = client.get(address("enter", campaign))
    assert len(boxes(page)) == 2
    assert all("required" in box and "checked" not in box for box in boxes(page))
    labels = re.findall(r'<label class="tick">(.*?)</label>', page.text, re.DOTALL)
    assert [ADULT in labels[0], "&lt;b&gt;information" in labels[1]] == [True, True]
    assert "<b>information" not in page.text


def test_a_campaign_without_statements_has_no_boxes(client):
    page = client.get(address("enter", make_campaign()))
    assert boxes(page) == []


@pytest.mark.parametrize(
    ("ticked", "missing"),
    [
        ({}, [1, 2]),
        ({"statement_1": ADULT}, [2]),
        ({"statement_1": ADULT, "statement_2": "on"}, [2]),
        ({"statement_1": READ, "statement_2": ADULT}, [1, 2]),
    ],
)
def test_nobody_begins_without_every_tick(client, campaign, ticked, missing):
    answer = send(client, campaign, **ticked)
    assert answer.status_code == 422
    assert not campaign.participants.exists()
    for number, box in enumerate(boxes(answer), start=1):
        assert (f'aria-describedby="statement-{number}-error"' in box) == (number in missing)
        assert ("checked" in box) == (number not in missing)
    assert answer.text.count("Only people who tick this") == len(missing)


def test_declining_needs_no_tick(client, campaign):
    assert "You chose not to take part" in send(client, campaign, "decline").text


def test_what_was_ticked_is_stored_word_for_word(client, campaign):
    assert send(client, campaign, statement_1=ADULT, statement_2=READ).status_code == 302
    rater = campaign.participants.get()
    assert rater.ticked == [ADULT, READ] and rater.consent_version == 1
    assert own_data(rater)["consent"]["ticked"] == [ADULT, READ]


def test_a_page_from_before_a_change_ticks_nothing_new(client, campaign):
    door = address("enter", campaign)
    arrival = arrival_at(client, door, {"id": "w1"})
    changed = slider_definition(texts=TEXTS | {"statements": [ADULT, "I speak English."]})
    change_campaign(campaign, changed, reason="Asked too little.", by=campaign.owner, base=1)
    sent = {"arrival": arrival, "decision": "agree", "version": "1"} | BOTH
    answer = client.post(door, sent)
    assert answer.status_code == 422 and "I speak English." in answer.text
    assert client.post(door, sent | {"statement-2": "I speak English."}).status_code == 302
    assert campaign.participants.get().ticked == [ADULT, "I speak English."]


def test_somebody_who_has_agreed_is_not_asked_again(client, campaign):
    send(client, campaign, statement_1=ADULT, statement_2=READ)
    door = address("enter", campaign)
    arrival = Arrival("generic", "w1").signed(campaign)
    again = client.post(door, {"arrival": arrival, "decision": ""})
    assert again.status_code == 302
    assert campaign.participants.get().ticked == [ADULT, READ]


def test_who_comes_in_a_crowd_ticks_once(client, campaign, monkeypatch):
    monkeypatch.setattr(rate_limits, "take", lambda *_: False)
    crowded = send(client, campaign, statement_1=ADULT, statement_2=READ)
    assert crowded.status_code == 429
    form = dict(re.findall(r'type="hidden" name="(.+?)" value="(.*?)"', crowded.text))
    assert form["statement-1"] == ADULT and "statement-2" in form and form["version"] == "1"


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (["  "], "needs words"),
        (["x" * 501], "500 characters"),
        (["Yes.", "Yes. "], "are the same"),
        ([str(number) for number in range(11)], "10"),
    ],
)
def test_statements_that_nobody_can_tick_are_refused(statements, problem):
    document = definition_to_document(slider_definition())
    document["texts"]["statements"] = statements
    with pytest.raises(InvalidDefinition, match=problem):
        definition_from_document(document)


def test_lines_of_a_file_become_one_line_as_forms_send_them():
    texts = slider_definition(texts=TEXTS | {"statements": ["I am\n 18."]}).texts
    assert texts.statements == ["I am 18."]
    assert texts.promises == "Agree?\n\nI am 18."
