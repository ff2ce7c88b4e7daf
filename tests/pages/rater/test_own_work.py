"""A rater's page of all her work: over campaigns, behind a lasting link, without an account."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.work_pages import make_work_page
from rankme.actions.campaign import campaigns, members
from rankme.actions.sitting import erasing
from rankme.errors import RefusedAction
from rankme.models import AuditEvent, Campaign, Invitation, Participant, Role
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.django_db


def study(title: str, pay: float = 2.5, owner=None, **crowd) -> Campaign:
    definition = slider_definition()
    crowd = {"batches_per_rater": 2, "pay_per_batch": pay, "currency": "EUR"} | crowd
    definition = definition.model_copy(
        update={"title": title, "crowd": definition.crowd.model_copy(update=crowd)}
    )
    return make_campaign(definition, items=4, systems=2, owner=owner)


@pytest.fixture
def herons() -> Campaign:
    return study("Herons")


@pytest.fixture
def kestrels(herons: Campaign) -> Campaign:
    return study("Kestrels", pay=4, owner=herons.owner)


def invite(campaign: Campaign, name: str = "Nora", **more) -> Invitation:
    return invite_raters(campaign, [name], by=campaign.owner, **more)[0]


def page_of(secret: str) -> str:
    return Client().get(reverse("rankme:my-work", args=[secret])).text


def rater_behind(invitation: Invitation) -> Participant:
    return arrive(Client(), invitation.campaign, invitation=invitation.token)


def row(page: str, title: str) -> str:
    """The words of one campaign's row."""
    (found,) = [part for part in page.split("<tr")[1:] if title in part]
    return " ".join(re.sub("<[^>]+>", " ", found.partition(">")[2]).split())


def test_a_rater_sees_what_waits_what_is_done_and_what_it_pays(herons, kestrels):
    secret = make_work_page(invite(herons), by=herons.owner)
    invite(kestrels, on_pages=True)
    rater = rater_behind(Invitation.objects.get(campaign=herons))
    sit(rater)
    held = claim(rater)
    answer(held)
    page = page_of(secret)
    assert "1 sitting The one that you began waits until" in row(page, "Herons")
    assert "2.50 EUR" in row(page, "Herons") and "4.00 EUR a sitting" in row(page, "Kestrels")
    assert "0 sittings" in row(page, "Kestrels") and "Begin" in row(page, "Kestrels")
    sit(rater_behind(Invitation.objects.get(campaign=kestrels)))
    assert "these studies promise: 6.50 EUR" in page_of(secret)
    assert "Finished sittings by week" in page_of(secret)


def test_its_links_lead_back_to_the_same_work(herons):
    invitation = invite(herons)
    page = page_of(make_work_page(invitation, by=herons.owner))
    assert f"invitation={invitation.token}" in page
    assert herons.participants.count() == 0, "looking begins nothing"


def test_there_is_nothing_about_other_raters(herons, kestrels):
    secret = make_work_page(invite(herons), by=herons.owner)
    other = invite(herons, "Otto")
    invite(kestrels, "Otto", on_pages=True)
    sit(rater_behind(other))
    sit(make_rater(herons))
    page = page_of(secret)
    assert "Otto" not in page and other.token not in page and "Kestrels" not in page
    assert "0 sittings" in row(page, "Herons")
    assert "week" not in page.lower()


def test_a_page_has_no_stored_copy_and_its_address_goes_nowhere(herons):
    secret = make_work_page(invite(herons), by=herons.owner)
    answer = Client().get(reverse("rankme:my-work", args=[secret]))
    assert answer["Cache-Control"] == "no-store" and answer["Referrer-Policy"] == "no-referrer"
    assert secret not in str(list(Invitation.objects.values()))
    assert secret not in str(list(AuditEvent.objects.values()))


def test_a_page_is_revoked_in_all_campaigns_and_personal_links_go_on(herons, kestrels, client):
    invitation = invite(herons)
    secret = make_work_page(invitation, by=herons.owner)
    invite(kestrels, on_pages=True)
    client.force_login(herons.owner)
    client.post(address("campaign-work-page-revoke", herons, invitation.pk))
    assert Client().get(reverse("rankme:my-work", args=[secret])).status_code == 404
    assert not Invitation.objects.exclude(work_page="").exists()
    assert rater_behind(invitation).panel == "invitation"
    verbs = herons.audit_events.values_list("verb", flat=True)
    assert "page of a rater’s work revoked" in verbs


def test_a_new_link_ends_the_one_before_and_keeps_the_campaigns(herons, kestrels, client):
    invitation = invite(herons)
    old = make_work_page(invitation, by=herons.owner)
    invite(kestrels, on_pages=True)
    client.force_login(herons.owner)
    shown = client.post(address("campaign-work-page", herons, invitation.pk)).text
    new = re.search(r"/my-work/([\w-]+)/", shown)[1]
    assert Client().get(reverse("rankme:my-work", args=[old])).status_code == 404
    assert "Herons" in page_of(new) and "Kestrels" in page_of(new)
    assert new not in client.get(address("campaign-links", herons)).text


def test_an_editor_of_one_campaign_gets_no_link_to_the_work_in_another(herons, kestrels, client):
    secret = make_work_page(invite(herons), by=herons.owner)
    joined = invite(kestrels, on_pages=True)
    mia = make_owner("mia")
    members.add_member(kestrels, mia, role=Role.EDITOR, by=kestrels.owner)
    client.force_login(mia)
    page = address("campaign-work-page", kestrels, joined.pk)
    assert "a campaign that you may not edit" in client.post(page, follow=True).text
    assert "Herons" in page_of(secret)
    members.add_member(herons, mia, role=Role.EDITOR, by=herons.owner)
    assert "/my-work/" in client.post(page).text


def test_a_page_ends_with_the_rater(herons, kestrels):
    secret = make_work_page(invite(herons), by=herons.owner)
    invite(kestrels, on_pages=True)
    erasing.erase_campaign(campaigns.close_campaign(herons, by=herons.owner), by=herons.owner)
    assert "Herons" not in page_of(secret) and "Kestrels" in page_of(secret)
    erasing.erase_campaign(campaigns.close_campaign(kestrels, by=kestrels.owner), by=kestrels.owner)
    assert "the link was revoked, or what it led to was erased" in page_of(secret)


def test_a_closed_campaign_waits_for_nobody(herons):
    secret = make_work_page(invite(herons), by=herons.owner)
    campaigns.close_campaign(herons, by=herons.owner)
    assert "Nothing: it is over" in row(page_of(secret), "Herons")


def test_a_name_that_two_raters_have_is_not_guessed(herons, kestrels):
    for _ in range(2):
        make_work_page(invite(herons), by=herons.owner)
    with pytest.raises(RefusedAction, match="Several raters called Nora"):
        invite(kestrels, on_pages=True)
    assert not kestrels.invitations.exists()


def test_only_campaigns_of_the_account_are_joined(herons):
    """Somebody else's rater of the same name is somebody else."""
    make_work_page(invite(herons), by=herons.owner)
    mia = make_owner("mia")
    of_mia = study("Mia's", owner=mia)
    assert invite(of_mia, on_pages=True).work_page == ""
    members.add_member(herons, mia, role=Role.VIEWER, by=herons.owner)
    assert invite(of_mia, on_pages=True).work_page == ""


def test_an_organiser_adds_links_by_the_form(herons, kestrels, client):
    secret = make_work_page(invite(herons), by=herons.owner)
    client.force_login(herons.owner)
    page = address("campaign-links", kestrels)
    client.post(page, {"names": "Nora\nOtto", "unnamed": 0})
    assert "Kestrels" not in page_of(secret)
    client.post(page, {"names": "Nora\nOtto", "unnamed": 0, "on_pages": "on"})
    assert "Kestrels" in page_of(secret)
    assert kestrels.invitations.exclude(work_page="").count() == 1
