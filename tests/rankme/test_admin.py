"""The admin shows rows to the staff, without their secrets and without scripts."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from tests.accounts import PASSWORD, make_account
from tests.campaigns import make_campaign
from tests.chromium import wait_for_path
from tests.live import LiveSite

pytestmark = pytest.mark.django_db
SECRETS = {
    "auth/user": ["password__startswith=pbkdf2", "password=x", "email__startswith=a"],
    "rankme/participant": [
        "external_id__startswith=5f",
        "session_id__contains=a",
        "campaign__owner__password__startswith=p",
    ],
    "rankme/invitation": ["token__startswith=a"],
    "rankme/campaign": ["owner__password__startswith=p"],
}


@pytest.fixture
def staff(db) -> Client:
    client = Client()
    client.force_login(make_account("boss", is_staff=True, is_superuser=True))
    return client


def test_no_filter_tells_a_secret_character_by_character(staff):
    asked = [f"/admin/{model}/?{each}" for model, secrets in SECRETS.items() for each in secrets]
    assert [address for address in asked if staff.get(address).status_code != 400] == []


def test_the_filters_of_a_list_work(staff):
    campaign = make_campaign()
    page = staff.get(reverse("admin:rankme_campaign_changelist") + "?state__exact=running")
    assert campaign.title in page.content.decode()
    raters = reverse("admin:rankme_participant_changelist")
    assert staff.get(f"{raters}?campaign__id__exact={campaign.pk}").status_code == 200


def test_no_list_breaks_the_policy_for_scripts(page, live_site: LiveSite):
    """The fixture `page` fails when a script fails or the policy is broken."""
    make_account("boss", is_staff=True, is_superuser=True)
    page.goto("/admin/")
    page.fill("[name=login]", "boss")
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    wait_for_path(page, "*/admin/")
    for model in admin.site._registry:
        page.goto(f"/admin/{model._meta.app_label}/{model._meta.model_name}/")
        assert page.locator("#changelist").count() == 1
