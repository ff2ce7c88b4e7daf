"""Changing, extending and reopening a launched campaign over the API."""

import pytest

from rankme.actions.campaign import campaigns
from rankme.models import Campaign
from rankme.protocols.files import definition_to_document
from tests.campaigns import make_campaign, make_owner, slider_definition

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return make_campaign()


def at(campaign, rest=""):
    return f"/api/v1/campaigns/{campaign.code}/{rest}"


def changed(**parts):
    return {
        "base": 1,
        "reason": "A typo.",
        "definition": definition_to_document(slider_definition(**parts)),
    }


def test_a_script_changes_a_launched_campaign(olga, campaign):
    answer = olga.post(at(campaign, "versions/"), changed(title="New"), format="json")
    assert answer.status_code == 201
    assert (answer.json()["number"], answer.json()["author"]) == (2, "olga")
    assert olga.get(at(campaign)).json()["version"] == 2
    lines = olga.get(at(campaign, "versions/")).json()
    assert [line["version"]["reason"] for line in lines] == ["", "A typo."]
    assert olga.get(at(campaign, "versions/1/")).json()["definition"]["title"] == "Fluency"
    stale = olga.post(at(campaign, "versions/"), changed(title="Late"), format="json")
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "changed_meanwhile")


def test_refused_changes_are_named(olga, campaign):
    answer = olga.post(at(campaign, "versions/"), changed(raters_per_trial=3), format="json")
    assert answer.status_code == 400
    assert [one["place"] for one in answer.json()["error"]["problems"]] == ["raters_per_trial"]


def test_a_plan_is_extended_and_a_campaign_reopened(olga, campaign):
    look = olga.get(at(campaign, "extension/"), {"raters_per_trial": 2})
    assert look.json()["new_sittings"] == 4
    given = {"base": 1, "reason": "More.", "raters_per_trial": 2}
    assert olga.post(at(campaign, "extension/"), given, format="json").status_code == 201
    assert campaign.slots.count() == 8
    campaigns.close_campaign(campaign, by=make_owner())
    again = {"base": 2, "reason": "Not enough."}
    assert olga.post(at(campaign, "reopen/"), again, format="json").status_code == 201
    assert Campaign.objects.get().state == "running"


def test_stale_edits_do_not_overwrite_a_draft(olga):
    draft = make_campaign(launch=False)
    tag = olga.get(at(draft)).headers["ETag"]
    document = {"definition": definition_to_document(slider_definition(title="Mine"))}
    first = olga.put(at(draft), document, format="json", HTTP_IF_MATCH=tag)
    assert first.status_code == 200 and first.headers["ETag"] != tag
    stale = olga.put(at(draft), document, format="json", HTTP_IF_MATCH=tag)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "changed_meanwhile")
