"""A client with a key, and one campaign with judgements and a report for all that only read."""

import pytest
from rest_framework.test import APIClient

from rankme.actions.accounts.api_keys import KeyPlan, make_key
from rankme.actions.shared_task import teams
from rankme.models import Team
from tests.campaigns import make_owner


def script_with(authorization: str) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=authorization)
    return client


def client_of(name: str) -> APIClient:
    """A script of this person's."""
    return script_with(f"Token {make_key(make_owner(name), KeyPlan()).secret}")


def bearer(secret: str) -> APIClient:
    """A script of the team's member whose link has this secret."""
    return script_with(f"Bearer {secret}")


def client_of_team(team: Team) -> APIClient:
    """A script of a new member's."""
    captain = team.members.get(is_captain=True)
    _made, secret = teams.add_member(team, name="Script", by=captain)
    return bearer(secret)


@pytest.fixture
def olga(db) -> APIClient:
    return client_of("olga")


@pytest.fixture
def stranger(db) -> APIClient:
    return client_of("sven")


@pytest.fixture
def anybody(db) -> APIClient:
    return APIClient(raise_request_exception=False)
