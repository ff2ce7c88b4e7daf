"""A forgotten password: by mail where the site sends mail, and by an operator elsewhere."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from rankme.actions import rate_limits
from rankme.actions.rate_limits import Limit
from rankme.forms import account
from rankme.models import AuditEvent
from rankme.sign_in import events
from tests.accounts import PASSWORD, is_in, logged_in, make_account

pytestmark = pytest.mark.django_db
ADDRESS = "olga@example.org"
NEW = "kestrels and herons"
PAGE = "/password/reset/"


@pytest.fixture
def sends_mail(settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


def link_in(sent: mail.EmailMessage) -> str:
    return re.search(r"http://testserver(/\S+)", sent.body)[1]


def set_password(client: Client, link: str) -> int:
    page = client.get(link, follow=True)
    form = {"password1": NEW, "password2": NEW}
    return client.post(
        page.redirect_chain[-1][0] if page.redirect_chain else link, form
    ).status_code


def test_a_link_in_a_mail_sets_a_new_password_once(client, sends_mail):
    make_account(email=ADDRESS)
    elsewhere = logged_in()
    assert client.post(PAGE, {"email": ADDRESS.upper()})["Location"] == f"{PAGE}sent/"
    (sent,) = mail.outbox
    assert sent.to == [ADDRESS] and "olga" in sent.body and PASSWORD not in sent.body
    assert set_password(client, link_in(sent)) == 302
    assert get_user_model().objects.get().check_password(NEW)
    assert not is_in(elsewhere) and "_auth_user_id" not in client.session
    assert "has been used" in Client().get(link_in(sent), follow=True).text
    assert AuditEvent.objects.filter(verb=events.RESET, actor__username="olga").count() == 1


def test_nobody_learns_which_addresses_have_accounts(client, sends_mail):
    make_account(email=ADDRESS)
    known = client.post(PAGE, {"email": ADDRESS})
    unknown = client.post(PAGE, {"email": "nobody@example.org"})
    assert known["Location"] == unknown["Location"]
    assert [sent.to for sent in mail.outbox] == [[ADDRESS]]


def test_a_closed_account_gets_no_mail(client, sends_mail):
    make_account(email=ADDRESS, is_active=False)
    client.post(PAGE, {"email": ADDRESS})
    assert mail.outbox == []


def test_nobody_fills_a_mailbox(client, sends_mail, monkeypatch):
    usual = rate_limits.MAILS
    few = Limit("few mails", most=2, again_every=usual.again_every)
    monkeypatch.setattr(account, "MAILS", few)
    make_account(email=ADDRESS)
    for _ in range(4):
        answer = client.post(PAGE, {"email": ADDRESS})
    assert "Too many requests" in answer.text and len(mail.outbox) == 2


def test_a_mail_server_that_is_away_makes_no_error_page(client, sends_mail, monkeypatch):
    def refuse(*arguments: object, **named: object) -> None:
        raise ConnectionRefusedError("no mail server")

    monkeypatch.setattr(mail.EmailMultiAlternatives, "send", refuse)
    make_account(email=ADDRESS)
    assert client.post(PAGE, {"email": ADDRESS}).status_code == 302


def test_without_mail_the_page_says_who_helps(client):
    make_account(email=ADDRESS)
    assert PAGE in client.get(reverse("account_login")).text
    page = client.get(PAGE).text
    assert "manage.py organiser NAME --reset-password" in page and 'type="email"' not in page
    assert client.post(PAGE, {"email": ADDRESS})["Location"] == PAGE
    assert mail.outbox == []


def test_an_operator_names_the_mail_address_of_an_account(capsys):
    call_command("organiser", "petra", "--mail", "Petra@Example.org")
    petra = get_user_model().objects.get(username="petra")
    assert petra.email == "petra@example.org"
    call_command("organiser", "petra", "--mail", "p@example.org")
    assert "petra gets mail at p@example.org" in capsys.readouterr().out
    make_account()
    for wrong in ("p@example.org", "no address"):
        with pytest.raises(CommandError, match="mail address"):
            call_command("organiser", "olga", "--mail", wrong)
