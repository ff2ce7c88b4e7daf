"""The memory of a web process while requests go by: after the first 10,000, and after many more.

Run: python benchmarks/web_memory.py [--requests 1000000]

Raters' requests over kept connections to the real web server, in turns: the consent page of a
newcomer, a renewed token, the work page, and a screen that was sent before. Prints the process's
own memory (USS) on the way, and the ratio of the last to that after the first 10,000.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import psutil
from site_under_test import load, own_site

FIRST = 10_000
AIM = 1.2


def requests_of(site: Any) -> Iterator[Callable[[], int]]:
    """Requests in turns, each of which returns its status."""
    from rankme.models import Assignment
    from rankme.simulation.browser import Browser
    from tests.faults.raters_at_work import campaign_for
    from tests.sittings import payload_for

    link = f"/r/{campaign_for(4).code}/"
    rater, stranger = Browser(site.url), Browser(site.url)
    page = rater.open(f"{link}?id=w1")
    agreed = page.forms[0].values | {"at_once": "1", "decision": "agree"}
    page = rater.open(link, agreed)
    work = rater.open(f"{link}instructions/", page.forms[0].values | {"at_once": "1"})
    assert work.document, work
    payload = payload_for(Assignment.objects.get(pk=work.document["assignment"]))
    return itertools.cycle(
        (
            lambda: stranger.open(f"{link}?id={uuid4()}").status,
            lambda: rater.open(f"{link}session/").status,
            lambda: rater.open(f"{link}work/").status,
            lambda: rater.call(f"{link}submit/", payload, work.csrf_token).status,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    options = parser.parse_args()
    with own_site() as site:
        site.start_web(WEB_PROCESSES="1")
        (process,) = psutil.Process(site.processes["web"].pid).children()
        began, first, now = time.perf_counter(), 0.0, 0.0
        for number, send in enumerate(requests_of(site), start=1):
            assert send() in (200, 201)
            if number % FIRST and number != options.requests:
                continue
            now = process.memory_full_info().uss / 2**20
            first = first or now
            seconds = time.perf_counter() - began
            print(f"{number:>9,} requests {now:7.1f} MB  {seconds:6.0f} s  {load()}", flush=True)
            if number >= options.requests:
                break
        print(f"last : first = {now / first:.3f} (at most {AIM})")


if __name__ == "__main__":
    main()
