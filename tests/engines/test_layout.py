"""What engines lay out differently unless the pages take care."""

from contextlib import suppress

from tests.accounts import PASSWORD, make_account
from tests.browser.rating import campaign_of
from tests.engines.drivers import Engine
from tests.engines.rater import Hand, accepted, come_in, is_something_to_do, until
from tests.live import LiveSite, wait_for

MIDDLES = """
  return [...document.querySelectorAll(".coverage-rows fieldset")].map((fact) =>
    ["legend", "label:first-of-type", "label:last-of-type"].map((part) => {
      const { top, bottom } = fact.querySelector(part).getBoundingClientRect();
      return (top + bottom) / 2;
    })
  );
"""
LOG_IN = """
  const form = document.querySelector("input[type=password]").form;
  form.elements.login.value = "olga";
  form.elements.password.value = arguments[0];
  form.requestSubmit();
"""
HEIGHT = "return document.querySelector('form.screen audio').getBoundingClientRect().height;"


def open_first_screen(engine: Engine, site: LiveSite, name: str) -> None:
    campaign = campaign_of(name, items=1, practice=[])
    engine.resize(1366, 768)
    come_in(Hand(engine), f"{site.url}/r/{campaign.code}/?id=w1", accepted(campaign))
    until(engine, is_something_to_do, "the screen")


def is_there(engine: Engine, what: str) -> bool:
    with suppress(RuntimeError):  # the page goes
        return bool(engine.run("return document.querySelector(arguments[0]) !== null;", what))
    return False


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


def test_a_long_option_makes_no_page_wider_than_a_phone(engine: Engine, live_site: LiveSite):
    """WebKit counts what does not fit into the box as a part of the page."""
    make_account("olga")
    engine.resize(390, 800)
    engine.goto(f"{live_site.url}/login/?next=/campaigns/new/direct-assessment/")
    engine.run(LOG_IN, PASSWORD)
    wait_for(lambda: is_there(engine, "#criteria-0-instrument"), "the form")
    assert engine.run("return document.documentElement.scrollWidth;") <= 390
