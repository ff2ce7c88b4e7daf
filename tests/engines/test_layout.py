"""What engines lay out differently unless the pages take care."""

from tests.browser.rating import campaign_of
from tests.engines.drivers import Engine
from tests.engines.rater import Hand, accepted, come_in, is_something_to_do, until
from tests.live import LiveSite

MIDDLES = """
  return [...document.querySelectorAll(".coverage-rows fieldset")].map((fact) =>
    ["legend", "label:first-of-type", "label:last-of-type"].map((part) => {
      const { top, bottom } = fact.querySelector(part).getBoundingClientRect();
      return (top + bottom) / 2;
    })
  );
"""
HEIGHT = "return document.querySelector('form.screen audio').getBoundingClientRect().height;"


def open_first_screen(engine: Engine, site: LiveSite, name: str) -> None:
    campaign = campaign_of(name, items=1, practice=[])
    engine.resize(1366, 768)
    come_in(Hand(engine), f"{site.url}/r/{campaign.code}/?id=w1", accepted(campaign))
    until(engine, is_something_to_do, "the screen")


def test_the_answers_to_a_fact_are_next_to_it(engine: Engine, live_site: LiveSite):
    """WebKit floats no legend in a fieldset that is a flex container."""
    open_first_screen(engine, live_site, "e2e-coverage")
    facts = engine.run(MIDDLES)
    assert len(facts) == 2
    for legend, first, last in facts:
        assert abs(legend - first) < 4
        assert first == last


def test_nothing_empty_is_above_the_controls_of_a_sound(engine: Engine, live_site: LiveSite):
    """Firefox makes a sound in a grid as high as a film."""
    open_first_screen(engine, live_site, "audio-quality")
    assert 20 < engine.run(HEIGHT) < 60
