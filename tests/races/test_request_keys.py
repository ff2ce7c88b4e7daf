"""Two requests with one key at the same moment make one campaign."""

import threading

import pytest
from django.db import connection

from rankme.actions.campaign.campaigns import create_campaign
from rankme.actions.campaign.request_keys import create_once
from rankme.models import Campaign
from tests.campaigns import make_owner, slider_definition

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_requests_at_once_make_one_campaign():
    owner, together, codes = make_owner(), threading.Barrier(2), []

    def ask() -> None:
        together.wait()
        made = create_once(owner, "k", {}, lambda: create_campaign(owner, slider_definition()))
        codes.append(made.code)
        connection.close()

    both = [threading.Thread(target=ask) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(codes) == 2 and len(set(codes)) == 1
    assert Campaign.objects.count() == 1
