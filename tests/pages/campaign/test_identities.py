"""The organisers' page about who the raters are, and erasing it."""

import pytest
from django.test import Client

from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.campaign.members import add_member
from rankme.models import Campaign
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.pages.addresses import address
from tests.pages.world import published_run
from tests.runs import rated_campaign
from tests.sittings import sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]


def page_of(client: Client, campaign: Campaign, name: str = "campaign-identities") -> str:
    return client.get(address(name, campaign)).text


def test_the_page_says_until_when_raters_are_known_and_erases_them(olga):
    campaign = make_campaign()
    sit(make_rater(campaign))
    assert "90 days after the close" in page_of(olga, campaign)
    assert "Close the campaign first" in page_of(olga, campaign)
    closed = close_campaign(campaign, by=campaign.owner)
    day = f"{closed.identities_until:%Y-%m-%d}"
    assert day in page_of(olga, campaign) and day in page_of(olga, campaign, "campaign-monitor")
    olga.post(address("campaign-identities", campaign))
    assert campaign.participants.get().erased_at is not None
    for name in ("campaign-identities", "campaign-monitor"):
        assert "erased on" in page_of(olga, campaign, name)


@pytest.mark.slow
def test_the_page_lists_reports_that_nobody_can_recall(olga):
    campaign = rated_campaign(raters=1, items=8)
    run = published_run(campaign)
    assert f"/reports/{run.report.code}/" in page_of(olga, campaign)


def test_only_the_owner_erases(client):
    campaign = make_campaign()
    rater = make_rater(campaign)
    sit(rater)
    add_member(campaign, make_owner("mia"), by=campaign.owner)
    close_campaign(campaign, by=campaign.owner)
    client.force_login(make_owner("mia"))
    assert "Erase now" not in page_of(client, campaign)
    assert client.post(address("campaign-identities", campaign)).status_code == 403
    erase = address("campaign-rater-erase", campaign, rater.label)
    assert client.post(erase).status_code == 403
    client.force_login(campaign.owner)
    client.post(erase)
    rater.refresh_from_db()
    assert rater.erased_at is not None


def test_closing_says_what_is_erased_afterwards(olga):
    campaign = make_campaign()
    assert "90 days later" in page_of(olga, campaign, "campaign-close")
