"""Two requests with one key at the same moment make one campaign."""

import pytest

from rankme.actions.campaign.campaigns import create_campaign
from rankme.actions.campaign.request_keys import create_once
from rankme.models import Campaign
from tests.campaigns import make_owner, slider_definition
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_requests_at_once_make_one_campaign():
    owner = make_owner()

    def ask() -> str:
        return create_once(owner, "k", {}, lambda: create_campaign(owner, slider_definition())).code

    first, second = run_together([ask, ask])
    assert first == second
    assert Campaign.objects.count() == 1
