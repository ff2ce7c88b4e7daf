"""Scripts look at a campaign while it runs, as its launch planned."""

import pytest

from rankme.actions.runs import looks
from rankme.models import LookRequest
from tests.campaigns import make_campaign
from tests.looking import ANYTIME, looked_at

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def looks_of(campaign) -> str:
    return f"/api/v1/campaigns/{campaign.code}/looks/"


def test_a_look_is_asked_for_and_read(olga):
    address = looks_of(campaign := looked_at(12, **ANYTIME))
    before = olga.get(address).json()
    assert (before["mode"], before["raters"], before["needed"]) == ("anytime", 12, 12)
    assert (before["why_not_now"], before["request"], before["looks"]) == ("", None, [])
    asked = olga.post(address)
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    assert olga.get(address).json()["request"]["id"] == asked.json()["id"]
    assert olga.post(address).json()["error"]["message"] == "A look is already being computed."
    assert looks.execute(LookRequest.objects.get().pk, "worker")
    after = olga.get(address).json()
    [look] = after["looks"]
    assert after["request"] is None and "No further rater" in after["why_not_now"]
    assert (look["number"], look["raters"], look["proposes_to_stop"]) == (1, 12, True)
    assert look["sentences"]["fluency"] and look["result"]["fluency"]["pairs"]
    assert campaign.audit_events.filter(detail__what="API: looks").exists()


def test_a_plan_without_looks_says_why(olga):
    address = looks_of(looked_at(2))
    found = olga.get(address).json()
    assert found["mode"] == "fixed" and "analysed once" in found["why_not_now"]
    refused = olga.post(address)
    assert refused.status_code == 409 and "analysed once" in refused.json()["error"]["message"]
    assert not LookRequest.objects.exists()


def test_a_draft_has_nothing_to_look_at(olga):
    answer = olga.get(looks_of(make_campaign(launch=False)))
    assert "Only a campaign with raters" in answer.json()["error"]["message"]


def test_nobody_else_looks(olga, stranger):
    address = looks_of(looked_at(0))
    assert (stranger.get(address).status_code, stranger.post(address).status_code) == (404, 404)
