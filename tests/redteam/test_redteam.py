"""Attackers against the rater's pages, and careful people as controls, each once in Chromium."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from rankme.queries.watching.traces import evidence_about
from tests.chromium import installed_chromium
from tests.live import LiveSite
from tests.redteam.visitors import VISITORS, Visitor, driver
from tests.redteam.visits import (
    FLAGS,
    SECOND_BROWSER,
    found_about,
    page_of,
    visit,
    visited_campaign,
)

pytestmark = pytest.mark.django_db(transaction=True)
PRESSES = {"centred_share", "jump_share"}
# How soon a press ends, and how long somebody is away, depends on how busy the machine is.
BY_LOAD = {"instant_share", "away_share"}
# What most of a visitor's screens have.
EXPECTED = {
    "careful, like a switch": {"inserted_share", "jump_share"},
    "careful, like dictation": {"inserted_share", *PRESSES},
    "script in the page, desktop": {"untrusted_share", "inserted_share"},
    "script in the page, phone": {"untrusted_share", "inserted_share"},
    "program that clicks, desktop": PRESSES,
    "program that clicks, phone": {"centred_share"},
    "reader of the accessibility tree, desktop": {"inserted_share", *PRESSES},
    "reader of pictures, desktop": {"inserted_share", *PRESSES},
    "paster, desktop": {"pasted_share"},
    "replayed session, desktop": {"repeated_share"},
    "two people, desktop": {SECOND_BROWSER},
}
BY_CHANCE = {"careful, like a screen reader": PRESSES}


@pytest.fixture(scope="module")
def unmarked(browser: Browser) -> Iterator[Browser]:
    """A browser that does not tell pages that a program controls it."""
    own = browser.browser_type.launch(executable_path=installed_chromium(), args=FLAGS)
    yield own
    own.close()


# A program that answers as people with a mouse do leaves what they leave.
DIFFERENT = [visitor for visitor in VISITORS if visitor.name != "human-like program"]


@pytest.mark.parametrize("visitor", DIFFERENT, ids=lambda visitor: visitor.key)
def test_visitors_leave_the_evidence_of_their_kind_and_no_other(
    visitor, unmarked: Browser, live_site: LiveSite
):
    campaign = visited_campaign(raters=3)
    rater = visit(lambda who: page_of(unmarked, live_site.url, who), campaign, visitor, 1)
    found = found_about(rater)
    most = {name for name, share in found.items() if (share or 0) > 0.4} - BY_LOAD
    assert EXPECTED.get(visitor.key, set()) <= most, found
    assert most <= EXPECTED.get(visitor.key, set()) | BY_CHANCE.get(visitor.key, set()), found


# It knows the page by its source alone, and follows what that asks for.
SOURCE_READER = """() => {
  const asked = /field “([^”]+)” must contain (\\w+)/.exec(document.body.innerHTML);
  const field = asked && document.getElementById(asked[1]);
  if (field) field.value = asked[2];
}"""


@pytest.mark.parametrize("hidden_text", [True, False])
def test_a_reader_of_the_source_obeys_the_text_that_is_hidden_there(
    hidden_text, unmarked: Browser, live_site: LiveSite
):
    campaign = visited_campaign(raters=1, hidden_text=hidden_text)

    def read_and_answer(hands):
        hands.page.evaluate(SOURCE_READER)
        driver(hands)

    visitor = Visitor("reader of the source", "desktop", read_and_answer)
    rater = visit(lambda who: page_of(unmarked, live_site.url, who), campaign, visitor, 1)
    told = [words for words in evidence_about(rater).sentences if "page's source find" in words]
    assert len(told) == hidden_text
    assert not hidden_text or "find: 4" in told[0]


def test_a_browser_that_says_it_is_controlled_is_told_of(browser: Browser, live_site: LiveSite):
    """Else the flag would not matter, with which the other visitors' browser is started."""
    voice = next(visitor for visitor in VISITORS if visitor.device == "like dictation")
    rater = visit(lambda who: page_of(browser, live_site.url, who), visited_campaign(1), voice, 1)
    assert found_about(rater)["webdriver_share"] == 1
