"""A client with a key, and one campaign with judgements and a report for all that only read."""

import pytest
from rest_framework.test import APIClient

from rankme.actions.accounts.api_keys import obtain_key
from tests.campaigns import make_owner


def client_of(name: str) -> APIClient:
    """A script of this person's."""
    user = make_owner(name)
    user.set_password("correct horse battery staple")
    user.save()
    client = APIClient(raise_request_exception=False)
    key = obtain_key(name, "correct horse battery staple", address="127.0.0.1")
    client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    return client


@pytest.fixture
def olga(db) -> APIClient:
    return client_of("olga")


@pytest.fixture
def stranger(db) -> APIClient:
    return client_of("sven")


@pytest.fixture
def anybody(db) -> APIClient:
    return APIClient(raise_request_exception=False)
