"""Raters know the keys and the minimum time of a page before they answer it."""

import re

import pytest
from django.urls import reverse

from rankme.protocols.definition import Definition
from rankme.protocols.instruments import INSTRUMENTS
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import arrive

pytestmark = pytest.mark.django_db


def pages(client, definition: Definition) -> tuple[str, str]:
    """The instructions, and the work page with single spaces."""
    campaign = make_campaign(definition, items=1, systems=1)
    arrive(client, campaign, id="w1")
    instructions = client.get(reverse("rankme:instructions", args=[campaign.code]))
    client.post(reverse("rankme:instructions", args=[campaign.code]))
    work = client.get(reverse("rankme:work", args=[campaign.code]))
    return tuple(re.sub(r"\s+", " ", page.content.decode()) for page in (instructions, work))


def test_a_page_says_its_keys_and_question_mark_lists_all(client):
    options = {"confirm": True}
    criteria = [
        {"name": "fluency", "question": "Fluent?", "instrument": "slider", "options": options}
    ]
    _, work = pages(client, slider_definition(criteria=criteria))
    footer = work[work.index('class="screen-footer"') : work.index("data-next")]
    assert "← →</kbd> move by one step" in footer and "Home End" not in footer
    listed = work[work.index('<dialog id="keys"') :]
    for what in ("go to an end", "tick the box", "next page", "all keys"):
        assert f"<dd>{what}</dd>" in listed


@pytest.mark.parametrize("name", sorted(INSTRUMENTS))
def test_every_instrument_but_writing_has_keys(name):
    assert INSTRUMENTS[name].keys or name == "text"


@pytest.mark.parametrize(
    ("crowd", "said"),
    [
        ({"wait_least_seconds": True}, "continue to the next page after 20 seconds"),
        ({"too_fast": "end"}, "at least 20 seconds for each page: a faster answer ends your part"),
        ({}, ""),
    ],
)
def test_a_minimum_time_is_said_before_it_is_missed(client, crowd, said):
    crowd = {"least_seconds_per_screen": 20} | crowd
    instructions, work = pages(client, slider_definition(crowd=crowd))
    assert (said in instructions and said in work) if said else "20 seconds" not in work


def test_the_instructions_are_on_every_page_in_short(client):
    _, work = pages(client, slider_definition())
    digest = work[work.index('<details class="digest">') :]
    assert "Move the slider." in digest[: digest.index("</details>")]
