"""What a rater's way costs the server: SQL statements of each step, and CPU of the web server and
of PostgreSQL.

Run: python benchmarks/rater_cost.py [--items 100 100000] [--judgements 1000000] [--before COMMIT]

CPU is that of all processes of the web server and of PostgreSQL while raters, one after another,
send a step through a socket, and accept compressed pages as browsers do. Statements are counted
with the test client. "Entering" is the sum of what a rater does once: consent, claim (with the work
page), finish. The second part is with so many judgements of another campaign in the same tables.
With `--before` the state of an earlier commit is measured in turns with this one.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import psutil
from site_under_test import in_turns, load, own_site, owner

TRIALS = 20
RATERS = 32  # who send a step after each other, so that its time is above the tick of the clock
ROUNDS = 5
PASSES = 2  # alone, and next to the judgements of another campaign
CONTROL = ("BEGIN", "COMMIT")
STEPS = ("link", "consent", "claim", "submit", "finish", "code")
ENTERING = ("consent", "claim", "finish")


def make_campaign(items: int) -> Any:
    from rankme.actions.campaign import campaigns
    from tests.campaigns import add_material, rankme_definition

    options = {"outputs_per_screen": 5, "trials_per_batch": TRIALS}
    design = {"kind": "random_blocks", "options": options}
    batches = PASSES * (ROUNDS + 2) * RATERS
    least = -(-batches * TRIALS // items)
    definition = rankme_definition(design=design, raters_per_trial=least)
    campaign = campaigns.create_campaign(owner(), definition)
    add_material(campaign, items=items, systems=6)
    return campaigns.launch_campaign(campaign, by=owner())


# --- statements ----------------------------------------------------------------------------


def statements_of(campaign: Any) -> dict[str, int]:
    """The most statements of each step, on the way of one rater through the test client."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from rankme.models import Assignment

    client, link = Client(), f"/r/{campaign.code}/"
    found: dict[str, int] = {}

    def take(step: str, send: Callable[[], Any]) -> Any:
        with CaptureQueriesContext(connection) as captured:
            answer = send()
        assert answer.status_code in (200, 201), (step, answer.status_code, answer.content[:500])
        asked = [query["sql"] for query in captured if query["sql"] not in CONTROL]
        found[step] = max(len(asked), found.get(step, 0))
        return answer

    page = take("link", lambda: client.get(link, {"id": f"w{uuid4()}"})).content.decode()
    named = re.search(r'name="arrival" value="([^"]+)"', page)
    assert named, page
    consent = {"arrival": named[1], "decision": "agree", "at_once": "1", "version": "1"}
    take("consent", lambda: client.post(link, consent))
    read = {"at_once": "1", "version": "1"}
    take("claim", lambda: client.post(f"{link}instructions/", read))
    newest = Assignment.objects.filter(campaign=campaign).latest("pk")
    for body in map(json.dumps, screens_of(newest)):
        post = partial(client.post, f"{link}submit/", body, content_type="application/json")
        take("submit", post)
    done = take("finish", lambda: client.post(f"{link}finish/"))
    take("code", lambda: client.get(done.json()["next"]))
    return found


# --- processor time ------------------------------------------------------------------------


class Group:
    """A server with all processes that it has started."""

    def __init__(self, process: int) -> None:
        first = psutil.Process(process)
        self.processes = [first, *first.children(recursive=True)]

    def milliseconds(self) -> float:
        """What they have used of a processor so far; PostgreSQL's come and go with connections."""
        known = set(self.processes)
        self.processes += [
            each for each in self.processes[0].children(recursive=True) if each not in known
        ]
        spent = 0.0
        for process in self.processes:
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            spent += times.user + times.system
        return 1000 * spent


def processor_times(site: Any, campaign: Any) -> dict[str, tuple[float, float]]:
    """Milliseconds of web server and PostgreSQL for each step: the least of some rounds, so that
    other work on the machine counts little.
    """
    postmaster = site.servers.postgresql.pid_file.read_text()
    groups = (
        Group(site.processes["web"].pid),
        Group(int(postmaster.split()[0])),
    )
    rounds: dict[str, list[tuple[float, float]]] = {step: [] for step in STEPS}
    for turn in range(ROUNDS + 1):
        for step, requests, send in walk(site, campaign):
            before = [group.milliseconds() for group in groups]
            send()
            spent = [
                (group.milliseconds() - was) / requests
                for group, was in zip(groups, before, strict=True)
            ]
            if turn:  # the first one warms the caches
                rounds[step].append((spent[0], spent[1]))
    return {
        step: tuple(min(each[place] for each in spent) for place in (0, 1))
        for step, spent in rounds.items()
    }


def walk(site: Any, campaign: Any) -> Iterator[tuple[str, int, Callable[[], None]]]:
    """Each step with its number of requests, and a function that sends it for all raters."""
    from rankme.models import Assignment
    from rankme.simulation.browser import Browser

    link = f"/r/{campaign.code}/"
    browsers = [Browser(site.url) for _ in range(RATERS)]
    pages: list[Any] = []
    bodies: list[list[dict[str, Any]]] = []

    def each(ask: Callable[[int, Browser], Any]) -> Callable[[], None]:
        def send() -> None:
            pages[:] = [ask(number, browser) for number, browser in enumerate(browsers)]

        return send

    def form(number: int, **more: str) -> dict[str, str]:
        return pages[number].forms[0].values | {"at_once": "1"} | more

    yield "link", RATERS, each(lambda _, browser: browser.open(f"{link}?id=w{uuid4()}"))
    yield "consent", RATERS, each(lambda n, b: b.open(link, form(n, decision="agree")))

    def claim(number: int, browser: Browser) -> Any:
        page = browser.open(f"{link}instructions/", form(number))
        assert page.document, page
        return page

    yield "claim", RATERS, each(claim)
    work = list(pages)
    bodies += [screens_of(Assignment.objects.get(pk=page.document["assignment"])) for page in work]

    def submit(number: int, browser: Browser) -> None:
        for body in bodies[number]:
            sent = browser.call(f"{link}submit/", body, work[number].csrf_token)
            assert sent.status == 201, sent

    yield "submit", RATERS * TRIALS, each(submit)
    yield (
        "finish",
        RATERS,
        each(lambda n, b: b.call(f"{link}finish/", {}, work[n].csrf_token).document["next"]),
    )
    addresses = list(pages)
    yield "code", RATERS, each(lambda n, b: b.open(addresses[n]))
    assert all(page.completion_code for page in pages), pages[0]
    for browser in browsers:
        browser.close()


def screens_of(assignment: Any) -> list[dict[str, Any]]:
    """The answers to all screens of a batch."""
    from tests.sittings import payload_for

    return [payload_for(assignment, trial) for trial in range(TRIALS)]


def measure(site: Any, items: list[int], judgements: int) -> Iterator[dict[str, Any]]:
    campaigns = {number: make_campaign(number) for number in items}
    for others in dict.fromkeys((0, judgements)):
        if others:
            fill(others)
        for number, campaign in campaigns.items():
            statements_of(campaign)  # warms the caches
            asked = statements_of(campaign)
            spent = processor_times(site, campaign)
            yield {"items": number, "others": others} | {
                step: (asked[step], *spent[step]) for step in STEPS
            }


def fill(judgements: int) -> None:
    """That many judgements of another campaign, imported from a file."""
    from rankme.actions.imports.judgement_imports import import_judgements

    with TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        with path.open("w") as file:
            file.write("rater,item,system,criterion,value,screen\n")
            for number in range(judgements):
                screen, place = divmod(number, 5)
                file.write(
                    f"r{screen // 100},i{screen % 997},s{place},quality,{number % 201},{screen}\n"
                )
        import_judgements(owner(), path, title="Other")


def show(state: str, row: dict[str, Any]) -> None:
    print(f"{state}, {row['items']:,} items, {row['others']:,} other judgements ({load()})")
    print(f"{'step':>10}{'statements':>12}{'web ms':>10}{'database ms':>13}")
    for step in STEPS:
        asked, web, database = row[step]
        print(f"{step:>10}{asked:>12}{web:>10.2f}{database:>13.2f}")
    web, database = (sum(row[step][place] for step in ENTERING) for place in (1, 2))
    print(f"{'entering':>10}{'':>12}{web:>10.2f}{database:>13.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[100, 100_000])
    parser.add_argument("--judgements", type=int, default=1_000_000)
    parser.add_argument("--before", help="a commit to compare with")
    parser.add_argument("--state", default="now", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.before:
        rest = ["--judgements", str(options.judgements), "--items", *map(str, options.items)]
        return in_turns(__file__, options.before, rest)
    with own_site() as site:
        from django.conf import settings

        settings.ALLOWED_HOSTS.append("testserver")
        site.start_web(WEB_PROCESSES="1")
        for row in measure(site, options.items, options.judgements):
            show(options.state, row)


if __name__ == "__main__":
    main()
