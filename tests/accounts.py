"""Accounts with passwords, and quicker limits on wrong ones."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts import passwords
from rankme.actions.rate_limits import Limit

PASSWORD = "correct horse battery staple"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def make_account(name: str = "olga", **more: Any) -> Any:
    return get_user_model().objects.create_user(name, password=PASSWORD, **more)


def limited_to(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Allow this many wrong passwords for one name from one address."""
    limit = Limit(f"password {most}", most=most, again_every=timedelta(minutes=10))
    monkeypatch.setattr(passwords, "OF_A_NAME_FROM_AN_ADDRESS", limit)


def logged_in(name: str = "olga", address: str = "192.0.2.1", browser: str = FIREFOX) -> Client:
    """A browser in which somebody has logged in by the form."""
    client = Client(headers={"user-agent": browser}, REMOTE_ADDR=address)
    form = {"login": name, "password": PASSWORD}
    assert client.post(reverse("account_login"), form).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return bool(client.get("/campaigns/").status_code == 200)
