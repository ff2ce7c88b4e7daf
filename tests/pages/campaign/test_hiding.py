"""Members hide campaigns from their own list, and show them again."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from rankme.models import Role
from tests.campaigns import make_campaign, make_owner
from tests.pages.addresses import address

pytestmark = pytest.mark.django_db
LIST = reverse("rankme:campaigns")


def page(client, query=""):
    return client.get(LIST + query).text


@pytest.fixture
def sven():
    client = Client()
    client.force_login(make_owner("sven"))
    return client


@pytest.fixture
def campaign(olga):
    return make_campaign(owner=make_owner("olga"))


def test_a_hidden_campaign_leaves_the_list_and_comes_back(olga, campaign):
    assert campaign.code in page(olga) and "1 hidden" not in page(olga)
    olga.post(address("campaign-hide", campaign))
    listed = page(olga)
    assert campaign.code not in listed and "1 hidden" in listed
    assert "No campaigns yet" not in listed
    assert campaign.code in page(olga, "?hidden=1")
    olga.post(address("campaign-unhide", campaign))
    assert campaign.code in page(olga) and "No campaign is hidden" in page(olga, "?hidden=1")


def test_it_is_hidden_from_one_account_alone(olga, sven, campaign):
    user = User.objects.get(username="sven")
    campaign.memberships.create(user=user, username="sven", role=Role.VIEWER)
    assert campaign.code in page(sven)
    sven.post(address("campaign-hide", campaign))
    assert campaign.code in page(olga)
    assert campaign.code not in page(sven)


def test_hiding_changes_nothing_else(olga, campaign):
    state, events = campaign.state, campaign.audit_events.count()
    olga.post(address("campaign-hide", campaign))
    campaign.refresh_from_db()
    assert (campaign.state, campaign.audit_events.count()) == (state, events)
    assert olga.get(address("campaign", campaign)).status_code == 200


def test_a_draft_offers_no_hiding(olga):
    draft = make_campaign(owner=make_owner("olga"), launch=False)
    assert draft.code in page(olga)
    assert address("campaign-hide", draft) not in page(olga)
