"""Members come by links, have a role, leave and are removed; a campaign is handed over."""

import re
from datetime import timedelta
from smtplib import SMTPException

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from rankme.actions.campaign import members
from rankme.actions.rate_limits import MAILS
from rankme.errors import RefusedAction
from rankme.models import MemberInvitation, Role
from tests.campaigns import make_campaign, make_owner
from tests.pages.addresses import address
from tests.searching import tables

pytestmark = pytest.mark.django_db

LINK = re.compile(r"/join/([\w-]+)/")
PASSWORD = "correct horse battery staple"


@pytest.fixture
def campaign():
    return make_campaign(owner=make_owner("olga"), launch=False)


def browser(name: str) -> Client:
    client = Client()
    client.force_login(make_owner(name))
    return client


def invited(campaign, role: str = "monitor") -> str:
    """The secret of a link that Olga makes on the page."""
    page = browser("olga").post(address("campaign-members", campaign), {"role": role, "days": "3"})
    return LINK.findall(page.text)[0]


def mailed(campaign, address_of_mia: str = "mia@example.org") -> str:
    """Olga's page after she has sent an invitation by mail."""
    form = {"role": "monitor", "days": "3", "mail": address_of_mia}
    page = browser("olga").post(address("campaign-members", campaign), form)
    return page.text


def test_a_link_is_mailed_and_the_address_is_stored_nowhere(campaign, settings):
    settings.EMAIL_HOST = "mail.example.org"
    page = mailed(campaign)
    assert "The link was sent to mia@example.org." in page
    (sent,) = mail.outbox
    assert sent.to == ["mia@example.org"] and "Monitor" in sent.body
    assert set(LINK.findall(sent.body)) == set(LINK.findall(page))
    browser("mia").post(reverse("rankme:join", args=LINK.findall(sent.body)))
    assert campaign.memberships.get().user == make_owner("mia")
    stored = b"".join(content for _table, content in tables()).lower()
    assert b"mia@example.org" not in stored and b"monitor" in stored


def test_without_a_mail_server_nobody_is_asked_for_an_address(campaign):
    assert "Mail address" not in browser("olga").get(address("campaign-members", campaign)).text
    assert LINK.findall(mailed(campaign)) and not mail.outbox


def test_a_link_that_could_not_be_mailed_is_still_shown(campaign, settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"

    def refuse(self) -> None:
        raise SMTPException("no such mailbox")

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    page = mailed(campaign)
    assert "The mail server did not take the mail." in page and LINK.findall(page)


def test_an_account_cannot_mail_without_end(campaign, settings):
    settings.EMAIL_HOST = "mail.example.org"
    for _time in range(MAILS.most):
        assert "was sent to" in mailed(campaign)
    assert "Much mail was sent lately" in mailed(campaign)
    assert "was sent to" in mailed(campaign, "another@example.org")
    assert len(mail.outbox) == MAILS.most + 1


def test_a_link_lets_one_account_in_once_with_its_role(campaign):
    secret = invited(campaign)
    assert secret not in str(MemberInvitation.objects.values())
    mia, stan = browser("mia"), browser("stan")
    page = reverse("rankme:join", args=[secret])
    assert "as: Monitor" in " ".join(mia.get(page).text.split())
    assert not campaign.memberships.exists(), "to look is not to join"
    assert mia.post(page)["Location"] == address("campaign", campaign)
    member = campaign.memberships.get()
    assert (member.user, member.role) == (make_owner("mia"), Role.MONITOR)
    for method in (stan.get, stan.post):
        refused = method(page)
        assert refused.status_code == 410
        assert "Somebody has used this link" in refused.text
    assert stan.get(address("campaign", campaign)).status_code == 404


def test_a_link_is_shown_once_and_revoked(campaign):
    secret = invited(campaign)
    olga = browser("olga")
    shown = olga.get(address("campaign-members", campaign)).text
    assert "Open invitations" in shown and secret not in shown
    invitation = campaign.member_invitations.get()
    olga.post(address("campaign-invitation-revoke", campaign, invitation.pk))
    answer = browser("mia").post(reverse("rankme:join", args=[secret]))
    assert "was revoked" in answer.text
    assert not campaign.memberships.exists()


def test_a_link_ends(campaign):
    secret = invited(campaign)
    MemberInvitation.objects.update(ends_at=Now() - timedelta(minutes=1))
    assert "has ended" in browser("mia").post(reverse("rankme:join", args=[secret])).text
    unknown = browser("mia").get(reverse("rankme:join", args=["x" * 43]))
    assert "no such invitation" in unknown.text


def test_who_is_in_a_campaign_uses_no_link_up(campaign):
    secret = invited(campaign)
    with pytest.raises(RefusedAction, match="still unused"):
        members.accept_invitation(secret, by=campaign.owner)
    members.accept_invitation(secret, by=make_owner("mia"))


def test_without_an_account_one_logs_in_and_comes_back(campaign, client):
    page = reverse("rankme:join", args=[invited(campaign)])
    assert f"?next={page}" in client.get(page).text
    form = {"username": "nora", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(page, form).status_code == 200
    assert not campaign.memberships.exists(), "this site makes no accounts by links"


def test_a_link_makes_an_account_where_the_site_allows_it(campaign, client, settings):
    settings.SIGN_UP_BY_INVITATION = True
    page = reverse("rankme:join", args=[invited(campaign)])
    form = {"username": "nora", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(page, form | {"password2": "other"}).status_code == 422
    assert client.post(page, form | {"username": "olga"}).status_code == 422
    title = f"{campaign.title} 27"
    near = client.post(page, form | {"password1": title, "password2": title})
    assert "words that belong to this site" in near.text
    assert client.post(page, form)["Location"] == reverse("account_login")
    member = campaign.memberships.get()
    assert (member.username, member.role) == ("nora", "monitor")
    assert member.user.check_password(PASSWORD)
    assert client.post(page, form | {"username": "nick"}).status_code == 410


def test_a_role_is_changed_and_a_member_removed(campaign):
    member = members.add_member(campaign, make_owner("mia"), role=Role.VIEWER, by=campaign.owner)
    olga, mia = browser("olga"), browser("mia")
    assert mia.get(address("campaign-items", campaign)).status_code == 403
    change = address("campaign-member-role", campaign, member.pk)
    olga.post(change, {f"member-{member.pk}-role": "analyst"})
    assert mia.get(address("campaign-items", campaign)).status_code == 200
    olga.post(change, {f"member-{member.pk}-role": "owner"})
    member.refresh_from_db()
    assert member.role == "analyst"
    olga.post(address("campaign-member-remove", campaign, member.pk))
    assert mia.get(address("campaign", campaign)).status_code == 404
    verbs = campaign.audit_events.filter(verb__startswith="member").values_list("verb", flat=True)
    assert list(verbs) == ["member removed", "member’s role changed", "member joined"]


def test_a_member_leaves_and_an_owner_does_not(campaign):
    members.add_member(campaign, make_owner("mia"), by=campaign.owner)
    mia = browser("mia")
    page = address("campaign-leave", campaign)
    assert "Leave this campaign?" in mia.get(page).text
    assert campaign.memberships.exists()
    assert mia.post(page)["Location"] == reverse("rankme:campaigns")
    assert mia.get(address("campaign", campaign)).status_code == 404
    with pytest.raises(RefusedAction, match="hand it over"):
        members.leave(campaign, by=campaign.owner)


def test_a_campaign_is_handed_over_after_a_question(campaign):
    member = members.add_member(campaign, make_owner("mia"), role=Role.VIEWER, by=campaign.owner)
    olga = browser("olga")
    page = address("campaign-hand-over", campaign, member.pk)
    assert "Make mia the owner?" in olga.get(page).text
    campaign.refresh_from_db()
    assert campaign.owner == make_owner("olga")
    olga.post(page)
    campaign.refresh_from_db()
    assert campaign.owner == make_owner("mia")
    assert campaign.memberships.get().user == make_owner("olga")
    assert campaign.memberships.get().role == Role.EDITOR
    assert olga.post(page).status_code == 403
    handed = campaign.audit_events.get(verb="campaign handed over")
    assert (handed.actor, handed.detail) == (make_owner("olga"), {"to": "mia"})


@pytest.mark.parametrize("row", ["membership", "invitation"])
def test_the_database_refuses_a_second_owner(campaign, row):
    with pytest.raises(IntegrityError, match="role_is_known"), transaction.atomic():
        if row == "membership":
            campaign.memberships.create(username="mia", user=make_owner("mia"), role="owner")
        else:
            campaign.member_invitations.create(
                hash="x", role="owner", made_by=campaign.owner, ends_at=Now()
            )
