"""A campaign that was published by hand, without a panel account: from the link to the code."""

import re

import pytest
from django.urls import reverse

from rankme.actions.sitting import credits
from rankme.models import PanelAccount, PanelCredit, PanelStudy
from rankme.panel_calls import calls
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import begin, complete

pytestmark = pytest.mark.django_db
RETURN = "https://panel.example/back?code={code}&who={id}&visit={session}"


@pytest.fixture(autouse=True)
def no_panel_is_called(monkeypatch):
    """Nothing of this needs a panel, so that any call would be a mistake."""

    def refuse(base, headers):
        raise AssertionError(f"the site called {base}")

    monkeypatch.setattr(calls, "new_client", refuse)


def last_page(client, campaign, **link) -> str:
    """What a rater sees who has followed the link and done all work."""
    complete(client, campaign, begin(client, campaign, **link))
    page = client.get(reverse("rankme:work", args=[campaign.code]), follow=True)
    assert page.status_code == 200
    credits.report_credits()
    assert not (PanelAccount.objects.exists() or PanelStudy.objects.exists())
    assert not PanelCredit.objects.exists()
    return page.content.decode()


def test_the_open_link_ends_with_a_code_of_the_raters_own(client):
    campaign = make_campaign(slider_definition())
    text = last_page(client, campaign)
    rater = campaign.participants.get()
    assert (rater.panel, rater.outcome) == ("open", "completed")
    assert re.fullmatch(r"[A-Za-z0-9]{22}", rater.completion_code)
    assert f">{rater.completion_code}<" in text


def test_the_open_link_leads_nobody_back_to_the_panel(client):
    campaign = make_campaign(slider_definition(crowd={"return_url": RETURN}))
    assert "panel.example" not in last_page(client, campaign)


@pytest.mark.parametrize(
    ("crowd", "link", "code"),
    [
        ({}, {"id": "p 1", "session": "s1"}, ""),
        ({"completion_codes": {"completed": "STUDY-7"}}, {"id": "p 1", "session": "s1"}, "STUDY-7"),
        (
            {"id_parameter": "worker", "session_parameter": "visit", "open_link": False},
            {"worker": "p 1", "visit": "s1"},
            "",
        ),
    ],
)
def test_a_generic_panel_gets_its_people_back_with_the_code(client, crowd, link, code):
    campaign = make_campaign(slider_definition(crowd={"return_url": RETURN} | crowd))
    text = last_page(client, campaign, **link)
    rater = campaign.participants.get()
    assert (rater.panel, rater.external_id, rater.outcome) == ("generic", "p 1", "completed")
    assert rater.completion_code == (code or rater.completion_code) != ""
    back = f"https://panel.example/back?code={rater.completion_code}&amp;who=p%201&amp;visit=s1"
    assert back in text and f">{rater.completion_code}<" in text


CONNECT_LINK = {"participantId": "w1", "assignmentId": "a1", "projectId": "p9"}


def declined(client, campaign, **link) -> str:
    """What somebody sees who does not agree."""
    entry = reverse("rankme:enter", args=[campaign.code])
    arrival = client.get(entry, link).context["arrival"]
    return client.post(entry, {"arrival": arrival, "decision": "no"}).content.decode()


def test_a_rater_who_declines_is_not_sent_to_the_address_that_pays(client):
    campaign = make_campaign(slider_definition(crowd={"panel": "connect"}))
    page = declined(client, campaign, **CONNECT_LINK)
    assert "connect.cloudresearch.com" not in page
    assert "give your place back on the page of your panel" in page


def test_a_rater_who_has_finished_is_sent_to_the_address_that_pays(client):
    campaign = make_campaign(slider_definition(crowd={"panel": "connect"}))
    text = last_page(client, campaign, **CONNECT_LINK)
    assert "https://connect.cloudresearch.com/participant/project/p9/complete" in text
    assert "give your place back" not in text


def test_people_whom_no_panel_sent_are_not_told_to_go_back_to_one(client):
    campaign = make_campaign(slider_definition(crowd={"panel": "connect", "open_link": True}))
    assert "give your place back" not in declined(client, campaign)
