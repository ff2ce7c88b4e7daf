"""Scripts do what the pages do with raters, links, plans and quality."""

import pytest

from rankme.actions.accounts.invitations import invite_raters
from rankme.models import Participant
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.django_db

CAMPAIGNS = "/api/v1/campaigns/"


@pytest.fixture
def campaign(olga):
    """One rater has finished a batch, another one holds one."""
    campaign = make_campaign(owner=make_owner("olga"))
    sit(make_rater(campaign, "w1"))
    answer(claim(make_rater(campaign, "w2")), comment="The text is cut off.")
    return campaign


@pytest.fixture
def base(campaign) -> str:
    return f"{CAMPAIGNS}{campaign.code}/"


def test_raters_are_read_excluded_and_readmitted(olga, campaign, base):
    late, early = olga.get(f"{base}raters/").json()["results"]
    assert (early["state"], early["screens"], early["exclusion"]) == ("completed", 4, None)
    rater = f"{base}raters/{late['rater']}/"
    found = olga.get(rater).json()
    assert found["comments"][0]["text"] == "The text is cut off."
    assert [batch["screens_done"] for batch in found["batches"]] == [1]
    assert olga.post(f"{rater}exclusion/", {}, format="json").status_code == 400
    excluded = olga.post(f"{rater}exclusion/", {"reason": "Bots."}, format="json").json()
    assert excluded["exclusion"]["reason"] == "Bots."
    assert excluded["exclusion"]["decided_by"] == "olga"
    again = olga.delete(f"{rater}exclusion/").json()
    assert again["exclusion"] is None and again["past_exclusions"][0]["reason"] == "Bots."
    assert olga.post(f"{rater}end-access/").status_code == 200
    assert olga.get(f"{base}raters/nobody/").status_code == 404


def test_a_batch_is_taken_back(olga, base):
    (held,) = olga.get(f"{base}leases/").json()
    assert held["screens_done"] == 1 and not held["is_overdue"]
    assert olga.post(f"{base}leases/{held['id']}/release/").status_code == 204
    assert olga.get(f"{base}leases/").json() == []


def test_quality_agrees_with_the_page(olga, campaign, base):
    lines = olga.get(f"{base}quality/?limit=1").json()
    assert lines["results"][0]["rater"] == Participant.objects.get(external_id="w2").label
    following = olga.get(lines["next"]).json()
    assert following["next"] is None
    assert [line["rater"] for line in following["results"]] == [
        Participant.objects.get(external_id="w1").label
    ]


def test_links_are_made_for_names_and_without(olga, campaign, base):
    open_link = olga.get(f"{base}links/").json()["open_link"]
    assert open_link.endswith(f"/r/{campaign.code}/")
    wanted = {"names": ["Anna"], "unnamed": 1}
    made = olga.post(f"{base}links/personal/", wanted, format="json").json()
    assert [each["name"] for each in made] == ["Anna", ""]
    listed = olga.get(f"{base}links/personal/").json()["results"]
    assert [each["link"] for each in listed] == [each["link"] for each in made[::-1]]
    assert olga.get(made[0]["link"]).status_code == 200
    assert olga.post(f"{base}links/personal/", {}, format="json").status_code == 409
    invite_raters(campaign, [""], by=campaign.owner)


def test_a_plan_is_tried_fitted_to_raters_and_launched_with_its_figures(olga):
    campaign = make_campaign(launch=False, owner=make_owner("olga"))
    base = f"{CAMPAIGNS}{campaign.code}/"
    outlook = olga.get(f"{base}plan/outlook/?raters=40&pay=10&money=200").json()
    assert outlook["plan"]["raters"] == 40
    assert outlook["best"]["money"] <= 200
    refused = olga.get(f"{base}plan/outlook/?raters=2&repeats=5")
    assert refused.status_code == 409 and "different raters" in refused.content.decode()
    tried = olga.get(f"{base}plan/?raters=2").json()
    assert (tried["batches"], tried["raters"], tried["batches_per_rater"]) == (4, 4, 2)
    assert not campaign.batches.exists()
    fitted = olga.post(f"{base}plan/", {"raters": 2}, format="json").json()
    assert fitted["raters"] == 2
    launched = olga.post(f"{base}launch/").json()
    assert launched["state"] == "running" and launched["plan"] == fitted
    assert launched["plan"]["minutes_per_batch"] > 0 and launched["plan"]["cost"] == 0
    assert launched["open_link"].endswith(f"/r/{campaign.code}/")
    assert olga.get(f"{base}plan/").status_code == 409
    assert olga.get(f"{base}plan/outlook/").status_code == 409


def test_an_owner_erases_who_a_rater_is(olga):
    campaign = make_campaign()
    rater = make_rater(campaign)
    address = f"/api/v1/campaigns/{campaign.code}/raters/{rater.label}/erase/"
    assert olga.post(address).status_code == 409  # at work
    sit(rater)
    said = olga.post(address).json()
    assert said["state"] == "completed" and said["erased_at"] is not None
    rater.refresh_from_db()
    assert rater.erased_at is not None
