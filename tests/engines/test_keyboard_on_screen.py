"""A phone whose keyboard covers half of the window: the field and the way on stay in reach.

No engine here brings such a keyboard: while a field has the focus, the window becomes 400 px high,
and the field is scrolled into it as phones do.
"""

import time

import pytest

from tests.browser.rating import campaign_of
from tests.engines.drivers import Engine
from tests.engines.rater import (
    DEAF_SECONDS,
    Hand,
    accepted,
    answer,
    come_in,
    go_on,
    is_something_to_do,
    keep,
    until,
)
from tests.live import LiveSite

PHONE, WITH_KEYBOARD = (390, 800), (390, 400)
FIELDS = {
    "e2e-elicitation": "textarea[data-text]",
    "e2e-quality": "input.score",
    "rotowire-facts": "[data-number]",
    "chat-likert": "[data-comment]",
}
# How much of the focused field can be seen, of what could be.
SEEN = """
  const field = document.activeElement;
  field.scrollIntoView({ block: "nearest", behavior: "instant" });
  const box = field.getBoundingClientRect();
  let lines = 0;
  for (let y = 0; y < innerHeight; y += 1) {
    const hit = document.elementFromPoint(box.left + box.width / 2, y);
    lines += Number(hit === field);
  }
  return { field: field.tagName, lines, height: box.height };
"""


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_and_the_way_on_are_in_reach(engine: Engine, live_site: LiveSite, name):
    campaign = campaign_of(name, items=1, practice=[])
    hand = Hand(engine, "touch")
    engine.resize(*PHONE)
    come_in(hand, f"{live_site.url}/r/{campaign.code}/?id=phone", accepted(campaign))
    state = until(engine, is_something_to_do, "the screen")
    time.sleep(DEAF_SECONDS)
    answer(hand, state, 1)
    hand.press(FIELDS[name])
    engine.resize(*WITH_KEYBOARD)
    seen = engine.run(SEEN)
    time.sleep(DEAF_SECONDS)  # until the new place is painted
    keep(engine, f"{type(engine).__name__}-{name}-with-keyboard".lower())
    assert seen["field"] in ("TEXTAREA", "INPUT")
    assert seen["lines"] >= min(seen["height"], 150) - 4
    assert not until(engine, is_something_to_do, "the screen")["wide"]
    go_on(hand, state)
