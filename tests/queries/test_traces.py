"""Evidence about a rater in words: from the rater's own traces, and never a verdict."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from rankme.errors import InvalidDefinition
from rankme.queries.watching.alarms import alarms_by_rater
from rankme.queries.watching.traces import FEWEST_PRESSES, WORDS, evidence_about
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.addresses import address
from tests.sittings import answer, claim

pytestmark = pytest.mark.django_db


def at_work(traces: bool = True):
    return claim(make_rater(make_campaign(slider_definition(crowd={"traces": traces}), items=2)))


def test_shares_are_of_all_screens_together():
    held = at_work()
    answer(held, 0, trace={"typed": 60, "pasted": 30, "events": 3})
    answer(held, 1, trace={"typed": 100, "dropped": 10})
    found = evidence_about(held.participant)
    assert found.screens == 2
    (sentence,) = found.sentences
    assert sentence.startswith("20 % of the characters in texts (40) were pasted")


def test_a_careful_rater_has_no_evidence():
    held = at_work()
    answer(held, trace={"typed": 60, "keys": 70, "presses": 30, "events": 130, "path_px": 900})
    assert evidence_about(held.participant).sentences == ()


@pytest.mark.parametrize(("presses", "is_said"), [(FEWEST_PRESSES - 1, 0), (FEWEST_PRESSES, 1)])
def test_few_presses_say_nothing(presses, is_said):
    held = at_work()
    answer(held, trace={"presses": presses, "centred": presses})
    assert len(evidence_about(held.participant).sentences) == is_said


def test_every_sentence_has_an_innocent_explanation():
    assert all("innocent if" in words or "do the same" in words for words in WORDS.values())


def test_a_repeated_session_and_an_obeyed_text_are_told_of():
    campaign = make_campaign(slider_definition(crowd={"traces": True}, raters_per_trial=2), items=2)
    first, second = (claim(make_rater(campaign, name)) for name in ("first", "second"))
    trace = {"path_px": 812.4, "last_ms": 551.2, "obeyed": 1}
    for held in (first, second):
        answer(held, 0, trace=trace)
    obeyed, repeated = evidence_about(second.participant).sentences
    assert "only readers of the page's source find: 1." in obeyed
    assert repeated.startswith("100 % of the screens (1) have exactly the trace")
    assert evidence_about(first.participant).sentences == (obeyed,)


MANY = {"events": 40, "presses": 20, "path_px": 900.5, "typed": 60}


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (MANY | {"untrusted": 11}, "made by a script in the page"),
        (MANY | {"webdriver": 1}, "a program controls it"),
        (MANY | {"untrusted": 10}, ""),  # the bound that rules accept is a quarter
        (MANY | {"centred": 20, "instant": 20, "jumps": 20}, ""),  # people have these, too
        (MANY | {"pasted": 400, "leaves": 9, "away_ms": 9e4, "obeyed": 1}, ""),
        (MANY, ""),
    ],
)
def test_an_alarm_is_raised_by_traces_that_rules_may_ask_for(trace, words):
    held = at_work()
    answer(held, trace=trace)
    rater = held.participant_id
    alarms = alarms_by_rater(held.campaign, [rater])[rater]
    assert [alarm.name for alarm in alarms] == ["program"] * bool(words)
    for alarm in alarms:
        assert words in alarm.sentence and "do the same" in alarm.sentence
        assert "1 in 100 careful people" in alarm.rate


def test_a_session_that_another_account_sends_again_raises_an_alarm_about_the_later_one():
    campaign = make_campaign(slider_definition(crowd={"traces": True}, raters_per_trial=2), items=2)
    first, second = (claim(make_rater(campaign, name)) for name in ("first", "second"))
    for held in (first, second):
        answer(held, 0, trace=MANY)
    raters = [first.participant_id, second.participant_id]
    found = alarms_by_rater(campaign, raters)
    assert [len(found[rater]) for rater in raters] == [0, 1]


def test_without_traces_no_alarm_asks_for_them():
    held = at_work(traces=False)
    answer(held, trace=MANY | {"untrusted": 40})
    with CaptureQueriesContext(connection) as asked:
        assert alarms_by_rater(held.campaign, [held.participant_id]) == {held.participant_id: ()}
    assert not any("screentrace" in query["sql"] for query in asked.captured_queries)


def test_a_hidden_text_needs_traces():
    with pytest.raises(InvalidDefinition, match="hidden_text is kept with traces"):
        slider_definition(crowd={"hidden_text": True})


@pytest.mark.parametrize("hidden_text", [True, False])
def test_the_consent_tells_of_a_hidden_text(client: Client, hidden_text):
    crowd = {"traces": True, "hidden_text": hidden_text}
    campaign = make_campaign(slider_definition(crowd=crowd), items=1, systems=1)
    page = client.get(f"/r/{campaign.code}/?id=ann", follow=True).content.decode()
    assert "The pages also count how you work" in page
    assert ("an invisible text for programs" in page) == hidden_text


@pytest.mark.parametrize("traces", [True, False])
def test_the_raters_page_has_the_evidence_where_the_campaign_keeps_it(client: Client, traces):
    held = at_work(traces)
    answer(held, trace={"events": 40, "untrusted": 20})
    client.force_login(held.campaign.owner)
    shown = client.get(address("campaign-rater", held.campaign, held.participant.label))
    page = shown.content.decode()
    assert ("50 % of the events (20) were made by a script" in page) == traces
    assert ("not for rejecting" in page) == traces
