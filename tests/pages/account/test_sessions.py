"""Sessions end when they should, and their owner sees and ends them."""

import time
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts.sessions import ENDED, forget_ended_sessions
from rankme.models import AuditEvent
from rankme.sign_in import sessions as limits
from rankme.sign_in.browsers import browser_name
from tests.accounts import FIREFOX, PASSWORD, is_in, logged_in, make_account
from tests.campaigns import make_campaign
from tests.pages.rater.visits import begin

pytestmark = pytest.mark.django_db
PAGE = "/sessions/"


@pytest.fixture(autouse=True)
def account() -> Any:
    return make_account()


def let_pass(client: Client, **seconds: int) -> None:
    """Move what the session remembers into the past."""
    session = client.session
    for name, passed in seconds.items():
        session[name] -= passed
    session.save()


def test_a_session_ends_when_nobody_uses_it(settings):
    settings.SESSION_IDLE_SECONDS = 600
    client = logged_in()
    let_pass(client, seen=500)
    assert is_in(client)
    let_pass(client, seen=500)  # the request before counted
    assert is_in(client)
    let_pass(client, seen=700)
    assert not is_in(client)
    assert "You were logged out" in client.get("/login/").text


def test_a_session_ends_however_busy_it_is(settings):
    client = logged_in()
    let_pass(client, began=settings.SESSION_COOKIE_AGE - 60)
    assert is_in(client)
    let_pass(client, began=120)
    assert not is_in(client)
    assert not Session.objects.filter(session_key=client.session.session_key).exists()


@pytest.mark.without_its_guard
def test_without_the_limits_an_old_session_goes_on(settings, monkeypatch):
    client = logged_in()
    let_pass(client, began=10**7, seen=10**6)
    monkeypatch.setattr(limits, "end_or_note", lambda request: None)
    assert is_in(client)


def test_a_session_from_before_the_limits_begins_with_its_next_request(client, account):
    client.force_login(account)
    session = client.session
    del session["began"], session["seen"]
    session.save()
    assert is_in(client)
    assert abs(client.session["began"] - time.time()) < 60


def test_use_is_noted_once_a_minute():
    client = logged_in()
    before = client.session["seen"]
    let_pass(client, seen=30)
    client.get(PAGE)
    assert client.session["seen"] == before - 30
    let_pass(client, seen=60)
    client.get(PAGE)
    assert client.session["seen"] >= before


def test_a_rater_has_no_session(client):
    begin(client, make_campaign())
    assert not Session.objects.exists() and "sessionid" not in client.cookies


def test_sessions_are_listed_with_browser_and_address():
    here = logged_in()
    logged_in(address="198.51.100.7", browser="curl/8.0")
    page = here.get(PAGE).text
    for said in ("Firefox, Linux", "192.0.2.1", "curl/8.0", "198.51.100.7", "This browser"):
        assert said in page


def test_an_address_that_is_none_makes_no_error():
    assert "0.0.0.0" in logged_in(address="unix:").get(PAGE).text


def test_one_session_is_ended_and_then_all_others():
    here, lost, forgotten = logged_in(), logged_in(browser="Lost"), logged_in(browser="Forgotten")
    number = UserSession.objects.get(user_agent="Lost").pk
    assert "1 session has ended" in here.post(PAGE, {"session": number}, follow=True).text
    assert (is_in(here), is_in(lost), is_in(forgotten)) == (True, False, True)
    assert "1 session has ended" in here.post(PAGE, follow=True).text
    assert (is_in(here), is_in(forgotten)) == (True, False)
    assert "There was no such session" in here.post(PAGE, {"session": "x"}, follow=True).text
    assert AuditEvent.objects.filter(verb=ENDED).count() == 2


def test_nobody_ends_or_sees_the_sessions_of_others():
    make_account("stan")
    olga, stan = logged_in(), logged_in("stan", browser="Stans own")
    number = UserSession.objects.get(user__username="stan").pk
    olga.post(PAGE, {"session": number})
    olga.post(PAGE)
    assert is_in(stan) and "Stans own" not in olga.get(PAGE).text


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one():
    here, elsewhere = logged_in(), logged_in(browser="Elsewhere")
    new = "kestrels and herons"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    here.post(reverse("account_change_password"), form)
    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert "Elsewhere" not in here.get(PAGE).text


def test_addresses_of_ended_sessions_are_forgotten():
    here, gone = logged_in(), logged_in(browser="Gone")
    Session.objects.filter(session_key=gone.session.session_key).delete()
    assert forget_ended_sessions() == 1
    assert [session.user_agent for session in UserSession.objects.all()] == [FIREFOX]
    assert is_in(here)


@pytest.mark.parametrize(
    ("says", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1", "Safari, iPhone"),
        ("curl/8.0", "curl/8.0"),
        ("", "?"),
        ("x" * 300, "x" * 40),
    ],
)
def test_a_browser_has_a_short_name(says, name):
    assert browser_name(says) == name
