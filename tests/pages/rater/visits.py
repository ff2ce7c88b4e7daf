"""A rater's requests, from the link to the code, without a browser."""

import json
import re
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from rankme.models import Campaign, Participant
from rankme.pages.rater.rater_identity import anonymous_arrival
from tests.campaigns import answers_for
from tests.pages.addresses import address


def document_of(response) -> dict:
    found = re.search(
        r'<script id="work-document" type="application/json">(.*?)</script>',
        response.text,
        re.DOTALL,
    )
    assert found, response.text[:2000]
    return json.loads(found[1])


def arrival_at(client, door: str, link: dict[str, str]) -> str:
    """Look at the page that asks for consent; returns who it says has come."""
    page = client.get(door, link)
    arrival = re.search(r'name="arrival" value="([^"]+)"', page.text)
    assert arrival, page.text
    return arrival[1]


def arrive(client, campaign, **link) -> Participant:
    """Follow the link and agree; the client carries the rater's cookie afterwards."""
    door = address("enter", campaign)
    arrival = arrival_at(client, door, link) if link else anonymous_arrival().signed(campaign)
    client.post(door, {"arrival": arrival, "decision": "agree", "device": "mouse"})
    return campaign.participants.latest("pk")


def begin(client, campaign, **link) -> dict:
    """Arrive and continue to the work page; returns its document."""
    arrive(client, campaign, **link)
    client.post(address("instructions", campaign))
    return document_of(client.get(address("work", campaign)))


@dataclass(frozen=True)
class Begun:
    """A rater at work, for many tests, which roll back what they do to the sitting."""

    campaign: Campaign
    document: dict[str, Any]
    cookies: SimpleCookie

    def go_on(self, client: Client) -> None:
        """Let this client be the rater's browser."""
        client.cookies.update(self.cookies)


def begun(campaign: Campaign) -> Begun:
    client = Client()
    document = begin(client, campaign)
    return Begun(campaign, document, client.cookies)


def payload_for(campaign, document, trial=0, screen=0, **changes) -> dict:
    assignment = campaign.assignments.get(pk=document["assignment"])
    return {
        "version": 1,
        "key": str(uuid4()),
        "assignment": document["assignment"],
        "trial": trial,
        "screen": screen,
        "answers": answers_for(campaign, assignment, trial, screen),
        "times": {"spent_ms": 1},
        "comment": "",
        "replaces": None,
    } | changes


def send(client, campaign, payload):
    address = reverse("rankme:submit", args=[campaign.code])
    body = payload if isinstance(payload, bytes | str) else json.dumps(payload)
    return client.post(address, body, content_type="application/json")


def complete(client, campaign, document):
    for trial in range(len(document["trials"])):
        for screen in range(len(document["screens"])):
            answer = send(client, campaign, payload_for(campaign, document, trial, screen))
            assert answer.status_code == 201
    return client.post(address("finish", campaign))
