"""The login page opens for the right password and slows down anyone who guesses."""

import contextlib

import pytest
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts import api_keys, passwords
from rankme.actions.campaign.members import add_member
from rankme.actions.rate_limits import Limit
from rankme.models import AuditEvent, Campaign
from tests.accounts import PASSWORD, is_in, limited_to, make_account
from tests.campaigns import make_campaign

pytestmark = pytest.mark.django_db
ELSEWHERE = "198.51.100.7"


@pytest.fixture
def olga():
    return make_account()


def log_in(client, password, name="olga", address="127.0.0.1"):
    credentials = {"login": name, "password": password}
    return client.post(reverse("account_login"), credentials, REMOTE_ADDR=address)


def test_a_wrong_password_is_said_without_saying_which_part_was_wrong(client, olga):
    for name in ("olga", "nobody"):
        assert "are not correct" in log_in(client, "guess", name=name).text
    # A name that no database holds is only a wrong name.
    assert log_in(client, PASSWORD, name="ol\x00ga").status_code == 200
    assert not is_in(client)


def test_a_password_of_a_megabyte_is_wrong_before_it_is_hashed(client, olga, monkeypatch):
    monkeypatch.setattr(passwords, "authenticate", lambda *_, **__: pytest.fail("it was hashed"))
    assert log_in(client, "x" * 900_000).status_code == 200
    assert AuditEvent.objects.filter(verb=passwords.REFUSED).count() == 1
    assert not is_in(client)


@pytest.mark.parametrize(
    ("password", "is_good"),
    [
        ("RankMe-2027", False),
        ("evaluation1", False),
        ("kestrel87", True),
        ("rankme kestrel87", True),
        ("kestre7", False),  # too short
        ("8374651029", False),  # digits alone
        ("kestrels and herons " * 5, True),
    ],
)
def test_a_password_is_more_than_words_of_the_site(password, is_good):
    with contextlib.nullcontext() if is_good else pytest.raises(ValidationError):
        validate_password(password)


def test_a_password_is_more_than_the_title_of_ones_campaign(olga):
    make_campaign(owner=olga)
    validate_password("kestrels 2027!", olga)
    Campaign.objects.update(title="Kestrels and Herons")
    for near in ("kestrels 2027!", "Herons-kestrels"):
        with pytest.raises(ValidationError):
            validate_password(near, olga)
    stan = make_account("stan")
    validate_password("kestrels 2027!", stan)
    add_member(Campaign.objects.get(), stan, by=olga)
    with pytest.raises(ValidationError):
        validate_password("kestrels 2027!", stan)


def test_refused_keys_and_pages_of_others_are_logged(client, olga, caplog):
    client.get("/api/v1/campaigns/", headers={"authorization": "Token wrong"})
    client.force_login(olga)
    client.get("/campaigns/nosuchcampaign/")
    logged = [record.getMessage() for record in caplog.records]
    assert "Unauthorized: /api/v1/campaigns/" in logged
    assert "Not Found: /campaigns/nosuchcampaign/" in logged


def test_logging_out_clears_what_the_browser_keeps_and_no_answers(client, olga):
    log_in(client, PASSWORD)
    answer = client.post(reverse("account_logout"))
    assert answer["Clear-Site-Data"] == '"cache"'
    assert not is_in(client)


def test_a_login_makes_a_new_session_that_ends_with_its_account(client, olga):
    before = client.session
    before.save()
    log_in(client, PASSWORD)
    key = client.session.session_key
    assert key != before.session_key and len(key) == 32
    assert not Session.objects.filter(pk=before.session_key).exists()
    assert client.get(reverse("rankme:campaigns")).status_code == 200
    olga.is_active = False
    olga.save()
    assert client.get(reverse("rankme:campaigns")).status_code == 302


@pytest.mark.parametrize("door", ["/logout/", "/admin/logout/"])
def test_logging_out_and_new_passwords_are_recorded(client, olga, door):
    log_in(client, PASSWORD)
    new = {"password1": f"{PASSWORD}!", "password2": f"{PASSWORD}!"}
    page = reverse("account_change_password")
    refused = client.post(page, new | {"oldpassword": "not this one"})
    assert "entered incorrectly" in refused.text
    client.post(page, new | {"oldpassword": PASSWORD})
    client.post(door)
    client.post(door)
    events = AuditEvent.objects.filter(actor=olga).order_by("id")
    said = [event.verb for event in events]
    assert said == [passwords.LOGGED_IN, passwords.CHANGED, passwords.LOGGED_OUT]


def test_after_too_many_guesses_even_the_right_password_waits(client, olga, monkeypatch):
    limited_to(monkeypatch, 3)
    for _ in range(3):
        log_in(client, "guess")
    assert "Wait a minute" in log_in(client, PASSWORD).text
    assert not is_in(client)


@pytest.mark.parametrize("other", [{"address": ELSEWHERE}, {"name": "somebody else"}])
def test_guesses_from_elsewhere_or_at_other_names_lock_nobody_out(client, olga, monkeypatch, other):
    limited_to(monkeypatch, 3)
    for _ in range(5):
        log_in(client, "guess", **other)
    log_in(client, PASSWORD)
    assert is_in(client)


@pytest.mark.parametrize("name", ["OF_A_NAME", "FROM_AN_ADDRESS"])
def test_guesses_from_many_places_and_at_many_names_end_too(client, olga, monkeypatch, name):
    usual = getattr(passwords, name)
    monkeypatch.setattr(passwords, name, Limit("few", most=3, again_every=usual.again_every))
    for guess in range(3):
        log_in(client, "guess", name="olga", address="127.0.0.1" if guess else ELSEWHERE)
        log_in(client, "guess", name="olaf", address="127.0.0.1")
    log_in(client, PASSWORD)
    assert not is_in(client)


@pytest.mark.parametrize("name", ["OF_A_NAME", "FROM_AN_ADDRESS"])
def test_wrong_guesses_do_not_lock_out_a_known_address(client, olga, monkeypatch, name):
    log_in(Client(), PASSWORD)
    usual = getattr(passwords, name)
    monkeypatch.setattr(passwords, name, Limit("few", most=3, again_every=usual.again_every))
    for _ in range(6):
        log_in(client, "guess", name="olga", address=ELSEWHERE)
        log_in(client, "guess", name="olaf", address="127.0.0.1")
    log_in(client, PASSWORD)
    assert is_in(client)


def test_right_passwords_use_nothing_up(client, olga, monkeypatch):
    limited_to(monkeypatch, 2)
    for _ in range(5):
        assert log_in(Client(), PASSWORD).status_code == 302


def test_guesses_at_the_login_page_count_for_the_api_too(client, olga, monkeypatch):
    limited_to(monkeypatch, 3)
    for _ in range(3):
        log_in(client, "guess")
    with pytest.raises(passwords.TooManyAttempts):
        api_keys.obtain_key("olga", PASSWORD, address="127.0.0.1")


def test_logins_and_refusals_are_recorded_without_address_or_password(client, olga):
    log_in(client, "s3cret-guess", address=ELSEWHERE)
    log_in(client, PASSWORD, address=ELSEWHERE)
    refused, logged_in = AuditEvent.objects.order_by("id")
    assert (refused.verb, refused.detail["name"]) == (passwords.REFUSED, "olga")
    assert (logged_in.verb, logged_in.actor) == (passwords.LOGGED_IN, olga)
    assert logged_in.detail["address"] == refused.detail["address"]
    assert ELSEWHERE not in str(refused.detail) and "s3cret" not in str(refused.detail)
