"""The rater's way in Firefox and in WebKit: by mouse, by touch and by keyboard.

These need browsers that few machines have, so they run where ENGINES is set:
`sh .ci/engines && ENGINES=1 .venv/bin/python -m pytest tests/engines`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rankme.models import Campaign, Judgement
from tests.browser.rating import campaign_of
from tests.engines.drivers import Engine, Firefox, is_installed, launched
from tests.engines.rater import Hand, come_in, rate_by_keyboard, rate_by_pointer
from tests.live import LiveSite

pytestmark = pytest.mark.browser
ENGINES = ("firefox", "webkit")
WIDTHS = {"mouse": (1366, 768), "touch": (390, 800), "keyboard": (1366, 768)}
WALKS = [
    ("e2e-quality", "mouse"),
    ("tuna08-identification", "keyboard"),
    ("likert-criteria", "touch"),
]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if not os.environ.get("ENGINES"):
        pytest.skip("ENGINES is not set: Firefox and WebKit are not tried")
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed here: sh .ci/engines")
    with launched(request.param) as browser:
        yield browser


def accepted(campaign: Campaign) -> dict[str, str]:
    questions = campaign.definition.get("entry_questions", [])
    return {each["name"]: each["accept"][0] for each in questions}


# One browser walks all of them: a page that it sets aside must not keep the next one waiting.
@pytest.mark.parametrize(("name", "by"), WALKS)
def test_a_preset_from_link_to_code(engine, live_site: LiveSite, name, by):
    if by == "keyboard" and isinstance(engine, Firefox):
        pytest.skip("without a window manager Firefox gives its window no focus")
    campaign = campaign_of(name)
    engine.resize(*WIDTHS[by])
    hand = Hand(engine, "touch" if by == "touch" else "mouse")
    come_in(hand, f"{live_site.url}/r/{campaign.code}/?id={by}", accepted(campaign))
    if by == "keyboard":
        rate_by_keyboard(engine)
    else:
        rate_by_pointer(hand, f"{type(engine).__name__}-{name}-{by}".lower())
    (participant,) = campaign.participants.all()
    assert participant.state == "completed"
    assert Judgement.objects.filter(submission__assignment__participant=participant).exists()
