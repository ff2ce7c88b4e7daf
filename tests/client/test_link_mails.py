"""Personal links by mail, and pages of all work, from a script."""

import pytest
from django.core import mail
from django.test import Client
from rankme_client import ApiError

from rankme.worker.tasks import remind_raters
from tests.campaigns import make_campaign
from tests.client.in_process import site_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(settings):
    settings.EMAIL_HOST = "mail.example.org"
    site = site_of("olga")
    return site.campaign(make_campaign().code)


def test_links_are_mailed_and_reminded_of(campaign):
    (link,) = campaign.invite(["Nora"])["id"]
    campaign.mail_link(link, "nora@example.org", keep=True)
    assert list(campaign.invitations()["has_address"]) == [True]
    assert (campaign.to_remind(), campaign.remind(), campaign.to_remind()) == (1, 1, 0)
    remind_raters()
    assert [sent.to for sent in mail.outbox] == [["nora@example.org"]] * 2
    with pytest.raises(ApiError, match="There is nobody to remind now"):
        campaign.remind()
    campaign.forget_address(link)
    assert list(campaign.invitations()["has_address"]) == [False]


def test_a_rater_gets_a_page_of_all_work(campaign):
    (link,) = campaign.invite(["Nora"])["id"]
    page = campaign.make_work_page(link)
    other = campaign.site.campaign(make_campaign().code)
    (joined,) = other.invite(["Nora"], on_pages=True)["link"]
    assert joined in Client().get(page).content.decode()
    campaign.revoke_work_page(link)
    assert Client().get(page).status_code == 404
