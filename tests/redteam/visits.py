"""Visits of attackers and of careful people to a campaign that keeps traces, in Chromium."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, Page, Request, Route

from rankme.models import Campaign, Participant, Submission
from rankme.queries.trace_measures import trace_measures
from tests.browser.rating import SHOWN_SINCE, await_leaving, await_screen, begin, go_to_work
from tests.browser.waiting import until
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import CHROMIUM_FLAGS
from tests.redteam.hands import Hands
from tests.redteam.visitors import VISITORS, Visitor

# Without it every visitor would look like a program: the browser would say so.
FLAGS = [*CHROMIUM_FLAGS, "--disable-blink-features=AutomationControlled"]
SCREENS = 4
SECOND_BROWSER = "second_browser"
IS_DONE = "() => document.querySelector('#completion-code') !== null"


def visited_campaign(raters: int, **crowd: Any) -> Campaign:
    """A line and a short text for each of a few outputs."""
    line = slider_definition().model_dump(mode="json")["criteria"][0]
    line = {name: line[name] for name in ("name", "question", "instrument", "low", "high")}
    text = {"name": "why", "question": "Why?", "instrument": "text", "options": {"least": 1}}
    definition = slider_definition(
        criteria=[line, text],
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["fluency", "why"]}],
        raters_per_trial=raters,
        crowd={"traces": True, **crowd},
    )
    return make_campaign(definition, items=SCREENS, systems=1)


def visit(
    open_page: Callable[[Visitor], Any], campaign: Campaign, visitor: Visitor, number: int
) -> Participant:
    """Let somebody do a whole batch; `open_page` gives a page of a new browser context."""
    name = f"{visitor.key} {number}"
    dice = random.Random(name)
    recorded = _recorded(open_page, campaign, name) if visitor.replays else []
    with open_page(visitor) as page:
        if recorded:
            page.route("**/submit/", lambda route: _replay(route, recorded))
        go_to_work(page, campaign, name=name)
        _answer(Hands(page, dice), visitor, SCREENS // visitor.people)
        if visitor.people == 1:
            until(page, IS_DONE)
        page.unroute_all()
    for _ in range(visitor.people - 1):
        with open_page(visitor) as page:
            page.goto(f"/r/{campaign.code}/?id={quote(name)}")
            if "/instructions/" in page.url:
                begin(page)
            _answer(Hands(page, dice), visitor, SCREENS // visitor.people)
            until(page, IS_DONE)
    return campaign.participants.get(external_id=name)


def _answer(hands: Hands, visitor: Visitor, screens: int) -> None:
    for _ in range(screens):
        await_screen(hands.page)
        onset = until(hands.page, SHOWN_SINCE)
        visitor.answer(hands)
        await_leaving(hands.page, onset)


def _recorded(open_page: Callable[[Visitor], Any], campaign: Campaign, name: str) -> list[Any]:
    """What the browser of a careful person sent, screen by screen."""
    sent: list[Any] = []

    def note(request: Request) -> None:
        if request.url.endswith("/submit/"):
            sent.append(json.loads(request.post_data or "{}"))

    with open_page(VISITORS[0]) as page:
        page.on("request", note)
        go_to_work(page, campaign, name=f"{name} before")
        _answer(Hands(page, random.Random(name)), VISITORS[0], SCREENS)
        until(page, IS_DONE)
        page.remove_listener("request", note)
    return sent


def _replay(route: Route, recorded: list[Any]) -> None:
    """Send the other rater's answers, times and trace under one's own name and key."""
    body = json.loads(route.request.post_data or "{}")
    other = next(each for each in recorded if each["trial"] == body["trial"])
    taken = {name: other[name] for name in ("answers", "times", "trace")}
    route.continue_(post_data=json.dumps(body | taken))


@contextmanager
def page_of(browser: Browser, address: str, visitor: Visitor) -> Iterator[Page]:
    context = browser.new_context(base_url=address, locale="en", **visitor.browser)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    try:
        yield context.new_page()
    finally:
        context.close()


def found_about(rater: Participant) -> dict[str, float | None]:
    """All measures that could tell what kind of visitor this was."""
    sent = Submission.objects.filter(assignment__participant=rater)
    flagged = sum("second browser" in flags for flags in sent.values_list("flags", flat=True))
    return trace_measures([rater.pk])[rater.pk] | {SECOND_BROWSER: flagged / max(sent.count(), 1)}
