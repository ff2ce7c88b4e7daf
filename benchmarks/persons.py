"""What traces tell about attackers and about careful people, by device and assistive technology.

Run: python -m benchmarks.persons visit RESULTS [--visits 200] [--controls 400] [--processes 4]
     python -m benchmarks.persons write RESULTS

The visitors of `tests/redteam` rate in Chromium before a site of their own: in each round every
attacker comes once, and careful people in proportion. Each visit is a line that is added to the
file RESULTS, so that a run can be broken off and gone on with. `write` makes the table between the
marks in `docs/quality.md` of them, and the file by which rules with measures of traces are accepted
(`analysis/checks/false_alarms.json`).
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from analysis.checks.false_alarms import MEASURED, FalseAlarms, least_bound
from analysis.checks.measure_names import TRACES
from analysis.meta_evaluation.judges import share
from tests.redteam.visitors import VISITORS, Visitor

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "quality.md"
BEGIN, END = "<!-- persons -->", "<!-- end of persons -->"
# A campaign of the benchmark has places for so many raters.
RATERS = 100
PATIENCE = 40  # seconds that a visit waits for a page
BOUNDS = (0.25, 0.5, 0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("visit", "write"))
    parser.add_argument("results", type=Path)
    parser.add_argument("--visits", type=int, default=200, help="of each attacker")
    parser.add_argument("--controls", type=int, default=400, help="of each careful person")
    parser.add_argument("--processes", type=int, default=4)
    options = parser.parse_args()
    if options.do == "visit":
        visit_all(options)
    else:
        write(options.results)


# --- Visits ------------------------------------------------------------------------------------


def visit_all(options: argparse.Namespace) -> None:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from site_under_test import own_site

    with own_site() as site:
        from django.db import connections

        site.start_web(WEB_PROCESSES="1")
        connections.close_all()
        context = multiprocessing.get_context("fork")
        seed = time.time_ns()  # another run's raters have other names
        workers = [
            context.Process(target=work, args=(site.url, options, (place, seed)))
            for place in range(options.processes)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def tasks(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """The visits that are still missing, in rounds of all kinds."""
    there = Counter(row["visitor"] for row in results(options.results))
    wanted = {
        each.key: (options.controls if each.is_control else options.visits) - there[each.key]
        for each in VISITORS
    }
    most = max(wanted.values())
    spread = [
        ((number + 0.5) / total, key, number)
        for key, total in wanted.items()
        for number in range(total)
    ]
    for _place, key, number in sorted(spread) if most > 0 else ():
        yield key, number


def work(address: str, options: argparse.Namespace, who: tuple[int, int]) -> None:
    """Do the visits of one of the processes."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    from playwright.sync_api import Error, sync_playwright

    from tests.browser import pressing, waiting
    from tests.chromium import installed_chromium
    from tests.redteam.visits import FLAGS, found_about, page_of, visit, visited_campaign

    waiting.PATIENCE = pressing.PATIENCE = PATIENCE
    place, seed = who
    visitors = {each.key: each for each in VISITORS}
    mine = list(tasks(options))[place :: options.processes]
    with sync_playwright() as playwright, ExitStack() as kept:
        program = installed_chromium()
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        pages: dict[str, Any] = {}

        @contextmanager
        def open_page(who: Visitor) -> Iterator[Any]:
            """A page that is kept for each device, with the cookies of nobody: much cheaper."""
            device = repr(who.browser)
            if device not in pages:
                pages[device] = kept.enter_context(page_of(browser, address, who))
            pages[device].context.clear_cookies()
            yield pages[device]

        for number, (key, _number) in enumerate(mine):
            if number % (RATERS // 4) == 0:
                campaign = visited_campaign(RATERS)
            row: dict[str, Any] = {"visitor": key}
            try:
                rater = visit(
                    open_page,
                    campaign,
                    visitors[key],
                    number=seed + place * 1_000_000 + number,
                )
                row["measures"] = found_about(rater)
            except (AssertionError, Error) as error:
                row["failed"] = str(error)[:200]
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")


def results(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- Tables ------------------------------------------------------------------------------------

# By column of the tables: the measure, above which bound somebody is counted.
EVIDENCE = (
    {"pasted_share": 0.5, "inserted_share": 0.5, "away_share": 0.5, "repeated_share": 0.5}
    | {"second_browser": 0.1},
    {"untrusted_share": 0.5, "webdriver_share": 0.5, "centred_share": 0.5, "instant_share": 0.5}
    | {"jump_share": 0.5},
)


def write(path: Path) -> None:
    """Write the tables of the docs, and the file that rules are accepted by."""
    found: dict[str, list[Mapping[str, float | None]]] = defaultdict(list)
    for row in results(path):
        if "measures" in row:
            found[row["visitor"]].append(row["measures"])
    groups = {each.key: found[each.key] for each in VISITORS if found[each.key]}
    careful = {each.key for each in VISITORS if each.is_control}
    rows = [
        FalseAlarms(measure, bound, key, len(visits), above, upper(above, len(visits)))
        for measure in TRACES
        for bound in BOUNDS
        for key, visits in groups.items()
        if key in careful
        for above in [number_above(visits, {measure: bound})]
    ]
    lines = ",\n".join(json.dumps(asdict(row), ensure_ascii=False) for row in rows)
    MEASURED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    allowed = {name: bound for name in TRACES if (bound := least_bound(name, rows)) is not None}
    parts = [
        table(groups, {f"`{name}` > {bound:g}": {name: bound} for name, bound in part.items()})
        for part in EVIDENCE
    ]
    if allowed:
        name = " or ".join(f"`{name} > {bound:g}`" for name, bound in allowed.items())
        parts.append(table(groups, {name: allowed}))
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n".join(parts)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")
    print(text, allowed, sum("failed" in row for row in results(path)), "visits failed")


def number_above(visits: Sequence[Mapping[str, float | None]], bounds: Mapping[str, float]) -> int:
    """The visits for which one of the measures is above its bound; without a value none is."""
    return sum(
        any((visit.get(name) or 0) > bound for name, bound in bounds.items()) for visit in visits
    )


def upper(above: int, visits: int) -> float:
    """The end of Wilson's interval, rounded up."""
    return math.ceil(1e6 * (share(above, visits).high or 0)) / 1e6


def table(
    groups: Mapping[str, Sequence[Mapping[str, float | None]]],
    columns: Mapping[str, Mapping[str, float]],
) -> str:
    """For each kind of visitor and each column the share in %, with Wilson's 95 % interval."""
    lines = [
        f"| visitor | visits | {' | '.join(columns)} |",
        f"| --- | ---: | {' | '.join('---:' for _ in columns)} |",
    ]
    for key, visits in groups.items():
        cells = []
        for bounds in columns.values():
            found = share(number_above(visits, bounds), len(visits))
            low, high = (100 * (end or 0) for end in (found.low, found.high))
            cells.append(f"{100 * (found.value or 0):.0f} ({low:.0f}–{high:.1f})")
        lines.append(f"| {key} | {len(visits)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
