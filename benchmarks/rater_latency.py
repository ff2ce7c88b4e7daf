"""What raters wait for: 50 at the same time, at a lively pace and as fast as they can.

Run: python benchmarks/rater_latency.py [--raters 50] [--arriving 2000 --within 10]

A lively pace is a screen every two seconds, twenty times faster than the E2E challenge's raters.
"As fast as they can" says how many screens per second the site stores once all are at work; the
latencies are then those of a queue. With `--arriving`, that many enter within some seconds, each
for one screen, in place of the two paces. Raters need little of the machine (`plain_raters`), but
it is the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

from plain_raters import PlainRater, way_of_one_rater
from site_under_test import load, own_site

LIVELY = 2.0  # seconds per screen
SCREENS = 60  # of each rater who is as fast as he can


def enter(site: Any, raters: int, seconds: float) -> Any:
    """Many come at once: nobody may be refused or give up."""
    from tests.faults.raters_at_work import campaign_for

    campaign = campaign_for(raters + 1, screens=1)
    way = way_of_one_rater(f"{site.url}/r/{campaign.code}/")
    latencies = _latencies()

    async def one(number: int) -> None:
        await asyncio.sleep(random.Random(number).random() * seconds)
        rater = PlainRater(site.url, number, latencies.add)
        await rater.connect()
        for step in way:
            await rater.take(step)
        await rater.close()

    asyncio.run(_all(raters, one))
    assert campaign.participants.filter(state="completed").count() == raters + 1
    assert _stored(campaign) == raters + 1
    return latencies


def rate(site: Any, raters: int, seconds_per_screen: float) -> Any:
    from rankme.simulation.raters import Cohort, run_raters
    from tests.faults.raters_at_work import campaign_for

    campaign = campaign_for(raters)
    cohort = Cohort(
        f"{site.url}/r/{campaign.code}/",
        raters=raters,
        concurrency=raters,
        seconds_per_screen=seconds_per_screen,
        arrive_within_seconds=5 * seconds_per_screen,
    )
    outcome = run_raters(cohort)
    assert not outcome.problems, outcome.problems[:3]
    return outcome


def rate_at_once(site: Any, raters: int) -> tuple[Any, float]:
    """All enter; then all send their screens without a pause. The latencies, and screens/s."""
    from tests.faults.raters_at_work import campaign_for

    campaign = campaign_for(raters + 1, SCREENS)
    way = way_of_one_rater(f"{site.url}/r/{campaign.code}/")
    first = next(number for number, step in enumerate(way) if step.is_submission)
    latencies = _latencies()
    them = [PlainRater(site.url, number, latencies.add) for number in range(raters)]

    async def come(number: int) -> None:
        rater = them[number]
        rater.timed = lambda name, seconds: None
        await rater.connect()
        for step in way[:first]:
            await rater.take(step)
        rater.timed = latencies.add

    async def work(number: int) -> None:
        for step in way[first : first + SCREENS]:
            await them[number].take(step)

    async def come_and_work() -> float:
        await _all(raters, come)
        began = time.perf_counter()
        await _all(raters, work)
        return time.perf_counter() - began

    seconds = asyncio.run(come_and_work())
    assert _stored(campaign) == (raters + 1) * SCREENS
    return latencies, raters * SCREENS / seconds


def _stored(campaign: Any) -> int:
    """Count the screens that count: an answer that was taken is not yet one that is stored."""
    from rankme.models import Submission

    return Submission.objects.filter(
        assignment__campaign=campaign, surplus=False, late=False
    ).count()


async def _all(raters: int, one: Callable[[int], Awaitable[None]]) -> None:
    await asyncio.gather(*(one(number) for number in range(raters)))


def _latencies() -> Any:
    from rankme.simulation.raters import Latencies

    return Latencies()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--arriving", type=int, default=0)
    parser.add_argument("--within", type=float, default=10.0)
    options = parser.parse_args()
    with own_site() as site:
        from rankme.management.commands.simulate_raters import latency_table, report

        site.start_web()
        rate(site, 8, 0)  # every process has loaded the site
        print(load())
        if options.arriving:
            began, own = time.perf_counter(), time.process_time()
            latencies = enter(site, options.arriving, options.within)
            took, own = time.perf_counter() - began, time.process_time() - own
            print(f"{options.arriving} raters within {options.within:g} s, all of whom finished")
            print(f"after {took:.1f} s, with {own:.1f} s of a processor of their own:")
            print(latency_table(latencies))
        else:
            outcome = rate(site, options.raters, LIVELY)
            print(f"{options.raters} raters, a screen every {LIVELY:g} s:\n{report(outcome)}\n")
            print(load())
            latencies, per_second = rate_at_once(site, options.raters)
            print(f"{options.raters} raters, no pause:\n{latency_table(latencies)}")
            print(f"{per_second:.0f} screens per second")
        print(load())


if __name__ == "__main__":
    main()
