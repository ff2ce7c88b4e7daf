"""An import of 10^6 outputs: seconds, memory, and what 50 raters notice of it.

Run: python benchmarks/import_million.py [--items 50000] [--systems 20] [--raters 50]
         [--seconds-per-screen 2]

The import runs in a separate Celery worker, the raters are simulated over HTTP by this process, and
all of it on the same machine. Prints the raters' latencies without and with the import, and their
ratio.
"""

from __future__ import annotations

import argparse
import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import psutil
from site_under_test import load, own_site, owner, write_outputs


def rate(site: Any, options: argparse.Namespace, until: threading.Event | None = None) -> Any:
    """One sitting of every rater, again and again until told to stop."""
    from rankme.simulation.raters import Cohort, run_raters
    from tests.faults.raters_at_work import campaign_for

    outcomes = []
    while True:
        campaign = campaign_for(options.raters)
        cohort = Cohort(
            f"{site.url}/r/{campaign.code}/",
            raters=options.raters,
            concurrency=options.raters,
            seconds_per_screen=options.seconds_per_screen,
            arrive_within_seconds=10,
        )
        outcomes.append(run_raters(cohort))
        assert not outcomes[-1].problems, outcomes[-1].problems[:3]
        if until is None or until.is_set():
            return outcomes


class Peak:
    """What a process and its children need: the largest memory of one, and all processor time."""

    def __init__(self, pid: int) -> None:
        self.process = psutil.Process(pid)
        self.largest = 0
        self.cpu_seconds = 0.0
        self.over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self.over.wait(0.1):
            processes = (self.process, *self.process.children(recursive=True))
            with contextlib.suppress(psutil.Error):
                largest = max(process.memory_info().rss for process in processes)
                self.largest = max(self.largest, largest)
                times = [process.cpu_times() for process in processes]
                self.cpu_seconds = sum(spent.user + spent.system for spent in times)


def do_import(path: Path) -> tuple[float, float]:
    """Seconds for the check (with its preview) and for the taking."""
    from rankme.actions.campaign import campaigns
    from rankme.actions.material import materials
    from tests.campaigns import slider_definition

    draft = campaigns.create_campaign(owner(), slider_definition())
    began = time.perf_counter()
    row = materials.start_import(draft, [path], by=owner())
    check = wait_for(row, began)
    began = time.perf_counter()
    materials.take_import(row, by=owner())
    return check, wait_for(row, began)


def wait_for(row: Any, began: float) -> float:
    row.refresh_from_db()
    while not row.is_over:
        time.sleep(0.1)
        row.refresh_from_db()
    assert row.state == "done", (row.error, row.problems[:3])
    return time.perf_counter() - began


def show(title: str, outcomes: list[Any]) -> float:
    """Print the latencies of all requests of a kind; return the p99 of submissions."""
    from rankme.simulation.raters import Latencies

    together = Latencies()
    for outcome in outcomes:
        for name, seconds in outcome.latencies.seconds.items():
            together.seconds[name] += seconds
    print(title)
    p99_of_submissions = 0.0
    for name, requests, p50, p99, longest in together.table():
        print(f"  {name:<20}{requests:>7}{p50:>9.1f}{p99:>9.1f}{longest:>9.1f}")
        if name == "POST submit":
            p99_of_submissions = p99
    return p99_of_submissions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--seconds-per-screen", type=float, default=2.0)
    options = parser.parse_args()
    with own_site() as site:
        path = write_outputs(site.log_folder / "outputs.tsv", options.items, options.systems)
        print(load(), f"file: {path.stat().st_size / 1e6:.0f} MB")
        site.start_web()
        print(f"  {'request':<20}{'number':>7}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}")
        alone = show(f"{options.raters} raters alone:", rate(site, options))
        site.start_worker()
        time.sleep(5)
        peak = Peak(site.processes["worker"].pid)
        over, outcomes = threading.Event(), []
        raters = threading.Thread(target=lambda: outcomes.extend(rate(site, options, over)))
        raters.start()
        time.sleep(2)
        check, take = do_import(path)
        over.set()
        peak.over.set()
        raters.join()
        meanwhile = show(f"{options.raters} raters during the import:", outcomes)
        rows = options.items * options.systems
        print(f"import of {rows:,}: check {check:.1f} s, taking {take:.1f} s, ", end="")
        print(f"together {check + take:.1f} s; largest process {peak.largest / 2**20:.0f} MB")
        print(f"processor time of the worker in all: {peak.cpu_seconds:.1f} s")
        print(f"p99 of submissions during the import : alone = {meanwhile / alone:.2f}")
        print(load())


if __name__ == "__main__":
    main()
