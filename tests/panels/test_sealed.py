"""Secrets of panels are stored encrypted, under keys that can be replaced."""

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from evalsite.safety import PROLIFIC_API, local_panel_keys, refuse_unsafe_panel
from rankme.errors import RefusedAction
from rankme.panel_calls.sealed import seal, unseal


def test_what_is_sealed_can_be_read_with_its_key_alone(settings):
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.PANEL_KEYS = [old]
    stored = seal("secret-token")
    assert "secret-token" not in stored
    settings.PANEL_KEYS = [new, old]
    assert unseal(stored) == "secret-token"
    settings.PANEL_KEYS = [new]
    with pytest.raises(RefusedAction, match=r"another key\. Enter or make it again\."):
        unseal(stored)
    settings.PANEL_KEYS = []
    with pytest.raises(RefusedAction, match="PANEL_KEYS"):
        seal("secret-token")


def test_a_local_site_has_a_key_of_its_own_and_a_production_site_needs_one():
    assert local_panel_keys("a" * 50, False) != local_panel_keys("b" * 50, False)
    assert local_panel_keys("a" * 50, True) == []


@pytest.mark.parametrize(
    ("address", "production", "is_safe"),
    [
        (PROLIFIC_API, True, True),
        ("http://127.0.0.1:8090", False, True),
        ("http://127.0.0.1:8090", True, False),
        ("https://prolific.example.org", False, False),
    ],
)
def test_tokens_go_to_the_panel_alone(address: str, production: bool, is_safe: bool):
    if is_safe:
        refuse_unsafe_panel([], address, production=production)
    else:
        with pytest.raises(ImproperlyConfigured, match="PROLIFIC_API"):
            refuse_unsafe_panel([], address, production=production)


def test_a_key_that_is_none_stops_the_start():
    with pytest.raises(ImproperlyConfigured, match="PANEL_KEYS"):
        refuse_unsafe_panel(["change-me"], PROLIFIC_API, production=True)
