"""Accounts with passwords, and quicker limits on wrong ones."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from rankme.actions.accounts import passwords
from rankme.actions.rate_limits import Limit

PASSWORD = "correct horse battery staple"


def make_account(name: str = "olga", **more: Any) -> Any:
    return get_user_model().objects.create_user(name, password=PASSWORD, **more)


def limited_to(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Allow this many wrong passwords for one name from one address."""
    limit = Limit(f"password {most}", most=most, again_every=timedelta(minutes=10))
    monkeypatch.setattr(passwords, "OF_A_NAME_FROM_AN_ADDRESS", limit)
