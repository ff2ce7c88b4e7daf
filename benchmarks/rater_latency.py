"""What raters wait for: 50 at the same time, at a lively pace and as fast as they can.

Run: python benchmarks/rater_latency.py [--raters 50] [--arriving 2000 --within 10]

A lively pace is a screen every two seconds, twenty times faster than the E2E challenge's raters.
"As fast as they can" says how many screens per second the site stores; the latencies are then
those of a queue. With `--arriving`, that many enter within some seconds, each for one screen, in
place of the two paces. The simulated raters need processor time of the same machine.
"""

from __future__ import annotations

import argparse
from typing import Any

from site_under_test import load, own_site


def enter(site: Any, raters: int, seconds: float) -> Any:
    """Many come at once: nobody may be refused or give up."""
    from rankme.simulation.raters import Cohort, run_raters
    from tests.faults.raters_at_work import campaign_for

    campaign = campaign_for(raters, screens=1)
    link = f"{site.url}/r/{campaign.code}/"
    cohort = Cohort(link, raters=raters, concurrency=raters, arrive_within_seconds=seconds)
    outcome = run_raters(cohort)
    assert not outcome.problems, outcome.problems[:3]
    assert outcome.endings == {"completed": raters}, outcome.endings
    return outcome


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--arriving", type=int, default=0)
    parser.add_argument("--within", type=float, default=10.0)
    options = parser.parse_args()
    with own_site() as site:
        from rankme.management.commands.simulate_raters import report

        site.start_web()
        rate(site, 8, 0)  # every process has loaded the site
        if options.arriving:
            print(load())
            outcome = enter(site, options.arriving, options.within)
            print(f"{options.arriving} raters within {options.within:g} s:\n{report(outcome)}")
            print(load())
            return
        for seconds_per_screen in (2.0, 0.0):
            print(load())
            pace = f"a screen every {seconds_per_screen:g} s" if seconds_per_screen else "no pause"
            outcome = rate(site, options.raters, seconds_per_screen)
            print(f"{options.raters} raters, {pace}:\n{report(outcome)}")
            print(f"{len(outcome.acknowledged) / outcome.seconds:.0f} screens per second\n")


if __name__ == "__main__":
    main()
