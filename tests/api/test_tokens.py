"""Keys come for a password, are stored as a hash, end when told to, and cannot be guessed."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from rest_framework.test import APIClient

from rankme.actions import rate_limits
from rankme.actions.accounts import passwords
from rankme.models import ApiKey, AuditEvent
from tests.accounts import PASSWORD, make_account


@pytest.fixture
def olga_user(db):
    return make_account()


def ask(client, password=PASSWORD, **more):
    return client.post("/api/v1/token/", {"username": "olga", "password": password} | more)


def test_a_password_gives_a_key_that_opens_the_door(anybody, olga_user):
    key = ask(anybody).json()["token"]
    anybody.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    assert anybody.get("/api/v1/campaigns/").status_code == 200
    assert ApiKey.objects.get().hash != key, "the database must not hold the key itself"


def test_a_stored_hash_opens_nothing(anybody, olga_user):
    ask(anybody)
    anybody.credentials(HTTP_AUTHORIZATION=f"Token {ApiKey.objects.get().hash}")
    assert anybody.get("/api/v1/campaigns/").status_code == 401


def test_a_new_key_and_delete_end_the_previous_key(anybody, olga_user):
    first, second = ask(anybody).json()["token"], ask(anybody).json()["token"]
    anybody.credentials(HTTP_AUTHORIZATION=f"Token {first}")
    assert anybody.get("/api/v1/campaigns/").status_code == 401
    anybody.credentials(HTTP_AUTHORIZATION=f"Token {second}")
    assert anybody.delete("/api/v1/token/").status_code == 204
    assert anybody.get("/api/v1/campaigns/").status_code == 401


def test_a_stale_key_does_not_block_a_new_one(anybody, olga_user):
    anybody.credentials(HTTP_AUTHORIZATION="Token gone")
    assert ask(anybody).status_code == 200


def test_a_key_outlives_any_other_change_of_its_account(anybody, olga_user):
    key = ask(anybody).json()["token"]
    olga_user.first_name = "Olga"
    olga_user.save()
    anybody.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    assert anybody.get("/api/v1/campaigns/").status_code == 200


def test_calls_of_one_account_have_a_limit(anybody, olga_user, monkeypatch):
    few = rate_limits.Limit("few calls", most=2, again_every=timedelta(minutes=10))
    monkeypatch.setattr(rate_limits, "CALLS", few)
    called = []
    for account in (olga_user, olga_user, olga_user, make_account("petra")):
        anybody.force_authenticate(account)
        called.append(anybody.get("/api/v1/campaigns/"))
    assert [answer.status_code for answer in called] == [200, 200, 429, 200]
    assert called[2].json()["error"]["code"] == "throttled"
    assert called[2]["Retry-After"] == "1"


def test_an_inactive_person_gets_no_key(anybody, olga_user):
    olga_user.is_active = False
    olga_user.save()
    assert ask(anybody).status_code == 401


def test_guessing_ends_after_some_tries_even_with_the_right_password(anybody, olga_user):
    for _ in range(passwords.OF_A_NAME_FROM_AN_ADDRESS.most):
        refused = ask(anybody, password="wrong")
        assert refused.status_code == 401
        assert refused.json()["error"]["code"] == "wrong_password"
    throttled = ask(anybody)
    assert throttled.status_code == 429
    assert int(throttled["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
def test_fifty_guesses_at_once_are_not_one():
    make_account()
    gate = threading.Barrier(50)

    def guess() -> None:
        gate.wait()
        APIClient().post(
            "/api/v1/token/", {"username": "olga", "password": "wrong"}, REMOTE_ADDR="10.0.0.1"
        )
        connection.close()

    threads = [threading.Thread(target=guess) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    limit = passwords.OF_A_NAME_FROM_AN_ADDRESS
    assert AuditEvent.objects.filter(verb=passwords.REFUSED).count() == limit.most


def test_the_log_of_refusals_has_no_password_and_no_address(anybody, olga_user):
    ask(anybody, password="s3cret-guess")
    said = str(AuditEvent.objects.get(verb=passwords.REFUSED).detail)
    assert "s3cret" not in said
    assert "127.0.0.1" not in said
