"""Raters know the keys and the minimum time of a page before they answer it."""

import re

import pytest

from rankme.protocols.definition import Definition
from rankme.protocols.instruments import INSTRUMENTS
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive

NO_AI = "Please answer yourself; do not use AI tools to judge or write."
pytestmark = pytest.mark.django_db


def pages(client, definition: Definition) -> tuple[str, str]:
    """The instructions, and the work page with single spaces."""
    campaign = make_campaign(definition, items=1, systems=1)
    arrive(client, campaign, id="w1")
    instructions = client.get(address("instructions", campaign))
    client.post(address("instructions", campaign))
    work = client.get(address("work", campaign))
    return tuple(re.sub(r"\s+", " ", page.text) for page in (instructions, work))


def test_a_page_says_its_first_keys_and_its_dialog_lists_all(client):
    options = {"confirm": True}
    criteria = [
        {"name": "fluency", "question": "Fluent?", "instrument": "slider", "options": options}
    ]
    _, work = pages(client, slider_definition(criteria=criteria))
    footer = work[work.index('class="screen-footer"') : work.index("data-next")]
    assert "← →</kbd> move by one step" in footer and "Home End" not in footer
    listed = work[work.index('<dialog id="keys"') :]
    for what in ("go to an end", "tick the box", "next page"):
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


@pytest.mark.parametrize("no_ai", [True, False])
def test_the_request_to_answer_without_ai_is_wherever_raters_decide_or_write(client, no_ai):
    text = {"name": "better", "question": "Better?", "instrument": "text", "about": "item"}
    asked = {"name": "why", "question": "Why do you take part?", "kind": "text"}
    definition = slider_definition(
        criteria=[text],
        screens=[
            {"name": "write", "show": ["input", "outputs"], "ask": ["better"], "comment": True}
        ],
        entry_questions=[asked],
        end_questions=[asked | {"name": "end", "question": "What did you think?"}],
        crowd={"no_ai": no_ai},
    )
    campaign = make_campaign(definition, items=1, systems=1)
    client.force_login(campaign.owner)
    preview = address("preview", campaign)
    # On the work page: in the dialog, above the field and above the comment.
    expected = {"consent": 1, "questions": 1, "instructions": 1, "work": 3, "end-questions": 1}
    for name, times in expected.items():
        page = client.get(preview, {"page": name}).text
        assert page.count(NO_AI) == times * no_ai, name


def test_the_request_can_be_in_the_campaigns_own_words(client):
    definition = slider_definition(language="fr", crowd={"no_ai": True}, words={NO_AI: "Sans IA."})
    instructions, work = pages(client, definition)
    for page in (instructions, work):
        assert "Sans IA." in page and NO_AI not in page


def test_the_instructions_are_on_every_page_in_short(client):
    _, work = pages(client, slider_definition())
    digest = work[work.index('<details class="digest">') :]
    assert "Move the slider." in digest[: digest.index("</details>")]
