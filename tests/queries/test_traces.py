"""Evidence about a rater in words: from the rater's own traces, and never a verdict."""

import pytest
from django.test import Client

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


@pytest.mark.parametrize("traces", [True, False])
def test_the_raters_page_has_the_evidence_where_the_campaign_keeps_it(client: Client, traces):
    held = at_work(traces)
    answer(held, trace={"events": 40, "untrusted": 20})
    client.force_login(held.campaign.owner)
    shown = client.get(address("campaign-rater", held.campaign, held.participant.label))
    page = shown.content.decode()
    assert ("50 % of the events (20) were made by a script" in page) == traces
    assert ("not for rejecting" in page) == traces
