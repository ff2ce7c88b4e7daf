"""The rater's way through every preset in Firefox, WebKit and Chromium, by every hand.

These need browsers that few machines have, and an hour, so they run where ENGINES is set, to `1`
or to one engine: `ENGINES=firefox .venv/bin/python -m pytest tests/engines -k e2e`. WebKit's driver
turns a finger into a mouse, so there `touch` is only the width of a phone.
"""

import json
from typing import Any, cast

import pytest
from playwright.sync_api import Page

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.models import Campaign, Judgement
from rankme.protocols.crowd import Breaks
from rankme.protocols.files import preset_names
from tests.browser.keyboard import rate_by_keyboard
from tests.browser.rating import campaign_of
from tests.campaigns import make_campaign, slider_definition
from tests.engines.drivers import Engine
from tests.engines.rater import Hand, KeyboardPage, accepted, come_in, rate_by_pointer
from tests.live import LiveSite

LAPTOP, PHONE = (1366, 768), (390, 800)
HANDS = [("mouse", LAPTOP), ("touch", PHONE), ("keyboard", LAPTOP), ("keyboard", PHONE)]
SHORT_BREAKS = Breaks(after_trials=1, minutes=0.03, enforced=True)
SCALE = {"points": 5, "labels": ["very poor", "poor", "fair", "good", "very good"]}
TURNS = [
    {"role": "user", "content": "Is breakfast included?"},
    {"role": "assistant", "content": "Yes, from 7 to 10."},
    {"role": "user", "content": "Can I bring my dog?"},
]


def campaign_to_walk(name: str, items: int) -> Campaign:
    if name == WHAT_NO_PRESET_HAS:
        return what_no_preset_has(items)
    return campaign_of(name, items=items, breaks=SHORT_BREAKS)


WHAT_NO_PRESET_HAS = "what-no-preset-has"


def what_no_preset_has(items: int) -> Campaign:
    """A table of questions, "I cannot judge this", a dialogue, a comment and last questions."""

    def likert(name: str, **more: Any) -> dict[str, Any]:
        question = {"name": name, "question": f"How {name} is it?", "instrument": "likert"}
        return question | {"options": SCALE} | more

    choices = {name: f"Choice {name}" for name in "abcde"}
    declinable = {"cannot_judge": True, "cannot_judge_reasons": {"unclear": "Not clear"}}
    dialogue = {"block": "input", "format": "dialogue"}
    school = {"question": "native", "is": "no"}
    definition = slider_definition(
        criteria=[
            likert("good", **declinable),
            {"name": "kind", "question": "What is it?", "instrument": "choice"}
            | {"options": {"choices": choices, "shuffle": True}},
            *(likert(name) for name in ("clear", "true", "polite")),
        ],
        screens=[
            {"name": "one", "show": [dialogue, "outputs"], "ask": ["good", "kind"]}
            | {"comment": True},
            {"name": "two", "show": ["outputs"], "ask": ["clear", "true", "polite"]}
            | {"layout": "matrix"},
        ],
        design={"kind": "complete", "options": {"outputs_per_screen": 2}},
        breaks=SHORT_BREAKS.model_dump(),
        end_questions=[
            {"name": "native", "question": "Is English your first language?", "kind": "yes-no"},
            {"name": "since", "question": "Since when have you spoken it?", "show_if": school}
            | {"choices": {"school": "Since school", "later": "Since later"}, "required": True},
            {"name": "which", "question": "Which school was it?", "kind": "text", "required": True}
            | {"show_if": {"question": "since", "is": "school"}},
        ],
    )
    campaign = make_campaign(definition, items=items, systems=2, launch=False)
    campaign.items.update(input=json.dumps(TURNS))
    return launch_campaign(campaign, by=campaign.owner)


# One browser walks all of them: a page that it sets aside must not keep the next one waiting.
@pytest.mark.parametrize("name", [*preset_names(), WHAT_NO_PRESET_HAS])
@pytest.mark.parametrize(("by", "size"), HANDS, ids=[f"{by}-{w}" for by, (w, _) in HANDS])
def test_from_link_to_code(engine: Engine, live_site: LiveSite, name, by, size):
    campaign = campaign_to_walk(name, items=1 if by == "keyboard" else 2)
    engine.resize(*size)
    address = f"{live_site.url}/r/{campaign.code}/?id={by}"
    shots = f"{type(engine).__name__}-{name}-{by}-{size[0]}".lower()
    if by == "keyboard":
        engine.goto(address)
        rate_by_keyboard(cast(Page, KeyboardPage(engine, shots)), wait=KeyboardPage.within)
    else:
        hand = Hand(engine, by)
        come_in(hand, address, accepted(campaign))
        rate_by_pointer(hand, shots)
    (participant,) = campaign.participants.all()
    assert participant.state == "completed"
    assert Judgement.objects.filter(submission__assignment__participant=participant).exists()
