"""Scripts send personal links, remind and forget as the pages do, and make pages of all work."""

import pytest
from django.core import mail
from django.test import Client

from rankme.actions.accounts import link_mails
from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign import campaigns
from rankme.models import AuditEvent, Campaign, Invitation, Role
from rankme.worker.tasks import remind_raters
from tests.api.conftest import script_with
from tests.campaigns import make_campaign, make_owner
from tests.pages.addresses import address

pytestmark = pytest.mark.django_db
NORA = "nora@example.org"


@pytest.fixture(autouse=True)
def sends_mail(settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(owner=make_owner("olga"))


@pytest.fixture
def link(campaign) -> Invitation:
    return invite_raters(campaign, ["Nora"], by=campaign.owner)[0]


def links_of(campaign: Campaign) -> str:
    return f"/api/v1/campaigns/{campaign.code}/links/"


def mail_of(link: Invitation) -> str:
    return f"{links_of(link.campaign)}personal/{link.pk}/mail/"


def listed(client, campaign: Campaign) -> dict:
    (found,) = client.get(f"{links_of(campaign)}personal/").json()["results"]
    return found


def test_a_link_is_sent_reminded_of_and_its_address_forgotten(olga, campaign, link):
    assert not listed(olga, campaign)["has_address"]
    assert olga.post(mail_of(link), {"mail": NORA, "keep": True}).status_code == 204
    assert [sent.to for sent in mail.outbox] == [[NORA]]
    assert NORA not in str(found := listed(olga, campaign)) and found["has_address"]
    reminders = f"{links_of(campaign)}reminders/"
    assert olga.get(reminders).json() == {"number": 1}
    asked = olga.post(reminders)
    assert (asked.status_code, asked.json()) == (202, {"number": 1})
    assert listed(olga, campaign)["reminder_asked_at"]
    remind_raters()
    assert len(mail.outbox) == 2 and listed(olga, campaign)["reminded_at"]
    for _time in range(2):
        assert olga.delete(mail_of(link)).status_code == 204
    assert not listed(olga, campaign)["has_address"]
    verbs = list(AuditEvent.objects.values_list("verb", flat=True))
    assert verbs.count("address of a personal link forgotten") == 1


def test_an_address_that_is_forgotten_is_not_reminded_though_it_was_asked_for(olga, campaign, link):
    olga.post(mail_of(link), {"mail": NORA, "keep": True})
    olga.post(f"{links_of(campaign)}reminders/")
    olga.delete(mail_of(link))
    remind_raters()
    assert len(mail.outbox) == 1 and listed(olga, campaign)["reminder_asked_at"] is None


def close(link: Invitation, _settings) -> None:
    campaigns.close_campaign(link.campaign, by=link.campaign.owner)


def stop(link: Invitation, _settings) -> None:
    link_mails.stop_mails(link)


def lose_the_server(_link: Invitation, settings) -> None:
    settings.EMAIL_HOST = ""


def lose_the_keys(_link: Invitation, settings) -> None:
    settings.PANEL_KEYS = []


@pytest.mark.parametrize("change", [close, stop, lose_the_server, lose_the_keys])
def test_a_refusal_has_the_words_of_the_page(olga, campaign, link, settings, change):
    change(link, settings)
    answer = olga.post(mail_of(link), {"mail": NORA, "keep": True})
    assert answer.status_code == 409
    browser = Client()
    browser.force_login(campaign.owner)
    page = address("campaign-link-mail", campaign, link.pk)
    said = browser.post(page, {"mail": NORA, "keep": "on"}).content.decode()
    assert answer.json()["error"]["message"] in said
    assert mail.outbox == []


def test_nobody_to_remind_is_said_in_the_words_of_the_page(olga, campaign, settings):
    reminders = f"{links_of(campaign)}reminders/"
    answer = olga.post(reminders)
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == "There is nobody to remind now."
    settings.EMAIL_HOST = ""
    assert olga.get(reminders).json() == {"number": 0}
    assert "This site sends no mail." in olga.post(reminders).json()["error"]["message"]


@pytest.mark.parametrize("given", [{}, {"mail": "nora"}, {"mail": NORA, "remember": True}])
def test_a_wrong_address_is_refused_at_its_field(olga, link, given):
    answer = olga.post(mail_of(link), given)
    assert answer.status_code == 400 and answer.json()["error"]["problems"]
    assert mail.outbox == []


def test_a_link_of_another_campaign_is_not_there(olga, campaign, link):
    other = make_campaign(owner=campaign.owner)
    elsewhere = mail_of(link).replace(campaign.code, other.code)
    assert olga.post(elsewhere, {"mail": NORA}).status_code == 404
    assert olga.delete(elsewhere).status_code == 404


# --- Pages of all work --------------------------------------------------------------------------


def page_of(link: Invitation) -> str:
    return f"{links_of(link.campaign)}personal/{link.pk}/work-page/"


def test_a_page_of_all_work_is_made_joined_and_ended(olga, campaign, link):
    made = olga.post(page_of(link))
    assert made.status_code == 201 and Client().get(made.json()["link"]).status_code == 200
    other = make_campaign(owner=campaign.owner)
    wanted = {"names": ["Nora"], "on_pages": True}
    (joined,) = olga.post(f"{links_of(other)}personal/", wanted).json()
    assert joined["has_work_page"] and joined["link"] in Client().get(made.json()["link"]).text
    assert olga.delete(page_of(link)).status_code == 204
    assert Client().get(made.json()["link"]).status_code == 404
    assert not listed(olga, other)["has_work_page"]


def test_a_key_for_one_campaign_neither_opens_nor_joins_the_work_of_another(olga, campaign, link):
    made = olga.post(page_of(link))
    other = make_campaign(owner=campaign.owner)
    key = make_key(campaign.owner, KeyPlan(role=Role.OWNER, campaigns=[other]))
    script = script_with(f"Token {key.secret}")
    wanted = {"names": ["Nora"], "on_pages": True}
    (alone,) = script.post(f"{links_of(other)}personal/", wanted).json()
    assert not alone["has_work_page"]
    (joined,) = olga.post(f"{links_of(other)}personal/", wanted).json()
    refused = script.post(f"{links_of(other)}personal/{joined['id']}/work-page/")
    assert refused.status_code == 409
    assert "a campaign that you may not edit" in refused.json()["error"]["message"]
    assert Client().get(made.json()["link"]).status_code == 200
