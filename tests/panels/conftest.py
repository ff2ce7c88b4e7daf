"""A paid campaign with a published study."""

import pytest
from django.test import Client

from rankme.models import Campaign
from tests.campaigns import make_owner
from tests.panels.loop import Loop, paid_campaign


@pytest.fixture(scope="module")
def paid_once(rows_of_the_module: None) -> Campaign:
    """A campaign whose raters are paid. Tests roll back what they do to it."""
    return paid_campaign()


@pytest.fixture
def loop(practice, paid_once, db) -> Loop:
    """A published study."""
    return Loop(practice, campaign=Campaign.objects.get(pk=paid_once.pk)).publish()


@pytest.fixture
def olga(db: None) -> Client:
    """The owner's browser, next to the one of a rater."""
    client = Client()
    client.force_login(make_owner())
    return client
