"""The front door opens for the right password and slows down who guesses."""

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from rankme.actions import tokens

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery staple"


@pytest.fixture
def olga():
    return get_user_model().objects.create_user("olga", password=PASSWORD)


def log_in(client, password, name="olga"):
    return client.post(reverse("rankme:log-in"), {"username": name, "password": password})


def test_the_right_password_opens(client, olga):
    assert log_in(client, PASSWORD).status_code == 302


def test_a_wrong_password_is_refused_in_words(client, olga):
    answer = log_in(client, "guess")
    assert answer.status_code == 200
    assert "_auth_user_id" not in client.session


def test_after_too_many_guesses_even_the_right_password_waits(client, olga, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_REFUSALS", 3)
    for _ in range(3):
        log_in(client, "guess")
    assert "wait ten minutes" in log_in(client, PASSWORD).content.decode()
    assert "_auth_user_id" not in client.session


def test_guesses_at_the_front_door_count_at_the_api_too(client, olga, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_REFUSALS", 3)
    for _ in range(3):
        log_in(client, "guess")
    with pytest.raises(tokens.TooManyAttempts):
        tokens.obtain_token("olga", PASSWORD, address="192.0.2.1")


def test_a_name_that_no_database_holds_is_only_a_wrong_name(client, olga):
    assert log_in(client, PASSWORD, name="ol\x00ga").status_code == 200
