"""The planner's formulas against simulated campaigns, published tables and pilots; and their speed.

Run: python benchmarks/planning/planner.py [cells|card|pilots|speed] [--campaigns N] [--only NAME]

`cells`: 20 named campaigns, each simulated and analysed as the report does it; the last column is
the largest difference of a chance. `card`: the 48 cells of Card et al. (2020) from
`../shared/data/card-2020`, by their procedure and by the report's. `pilots`: predicted less
realised power of campaigns that were planned from pilots. `speed`: milliseconds of one answer of
the page's slider, and how many simulated campaigns take as long.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from analysis.planning.budget import Limits, Terms  # noqa: E402
from analysis.planning.outlook import outlook  # noqa: E402
from analysis.planning.pilots import found_share, predicted, read_pilot  # noqa: E402
from analysis.planning.prospects import PairTest, estimates, prospect, report_test  # noqa: E402
from analysis.planning.simulated import judged, planned, simulate  # noqa: E402
from analysis.planning.sizes import Size, Spreads, difference_error  # noqa: E402

S = Spreads
CELLS: dict[str, tuple[Size, Spreads]] = {
    "three raters judge all": (Size(3, 50, 3, 2), S(0.1, 0.15, 1, 0.3, 0.2, 0.3)),
    "three raters, tastes": (Size(3, 100, 3, 4), S(0.4, 0.3, 1, 0.5, 0.0, 0.6)),
    "five raters, tastes": (Size(5, 100, 5, 4), S(0.5, 0.0, 1, 0.5, 0.0, 0.5)),
    "six raters judge all": (Size(6, 50, 6, 2), S(0.3, 0.3, 1, 0.5, 0.0, 0.3)),
    "eight raters, residual only": (Size(8, 40, 4, 3), S(0, 0, 1, 0, 0, 0.2)),
    "eight raters, these items": (Size(8, 40, 8, 3, None, "raters"), S(0.3, 0.3, 1, 0, 0, 0.3)),
    "these eight raters": (Size(8, 40, 8, 3, None, "items"), S(0.3, 0.3, 1, 0, 0, 0.3)),
    "twelve raters, few items": (Size(12, 20, 12, 5), S(0.3, 0.3, 1, 0.5, 0.0, 0.3)),
    "twelve raters, one each": (Size(12, 200, 1, 4), S(0.25, 0.5, 1, 0.5, 0.3, 0.3)),
    "single outputs": (Size(12, 200, 1, 4, 1), S(0.25, 0.5, 1, 0.5, 0.3, 0.3)),
    "half of the systems": (Size(20, 90, 2, 6, 3, "both", 0.5), S(0.3, 0.4, 1, 0.5, 0.2, 0.4)),
    "24 raters, 21 systems": (Size(24, 100, 3, 21, 5), S(0.3, 0.5, 1, 0.5, 0.3, 0.4)),
    "six items": (Size(30, 6, 30, 3), S(0.2, 0.5, 1, 0.5, 0, 0.5)),
    "four items": (Size(24, 4, 24, 2), S(0.2, 0.3, 1, 0.5, 0, 0.8)),
    "large differences": (Size(10, 30, 5, 3), S(0.3, 0.3, 1, 0.5, 0, 1.0)),
    "no differences": (Size(10, 60, 5, 6), S(0.3, 0.3, 1, 0.5, 0, 0.01)),
    "pairs of systems": (Size(60, 100, 3, 6, 2), S(0.25, 0.5, 1, 0.5, 0.3, 0.3)),
    "few screens each": (Size(100, 50, 4, 10, 2), S(0.25, 0.3, 1, 0.5, 0.0, 0.3)),
    "one screen an item": (
        Size(55, 600, 3, 21, 5, "both", 5 / 21),
        S(0.38, 0.437, 1, 0, 0, 0.321),
    ),
    "everything once": (Size(55, 600, 1, 21, 5), S(0.3, 0.5, 1, 0.5, 0.3, 0.4)),
}
CHANCES = ("found", "order", "boundary", "stable")
# SDs that Card et al. (2020) simulate: item.model, worker.model, sigma; models are −1 and +1.
CARD = {True: (0.14, 0.11, 0.26), False: (0.13, 0.04, 0.16)}
PILOT_SPREADS = S(0.3, 0.4, 1.0, 0.5, 0.0, 0.4)


def card_power(high: bool, workers: int, items: int, effect: float) -> tuple[float, float]:
    """Power in a cell of Card et al. by their procedure, and by the report's.

    Theirs: maximum likelihood, whose variance of few workers is too small; claimed where t > 1.96.
    """
    by_item, by_worker, sigma = CARD[high]
    size = Size(workers, items, workers)
    spreads = S(by_worker * 2**0.5, by_item * 2**0.5, sigma)
    error = difference_error(size, spreads)
    scatter = 2 * sigma**2 / (items * workers)
    rater = error.by_rater * (workers - 1) / workers * estimates(workers, 400)
    item = error.by_item * (items - 1) / items * estimates(items, 60)
    seen = np.maximum(rater, scatter)[:, None] + np.maximum(item, scatter)[None] - scatter
    theirs = PairTest(error.variance**0.5, 1.96 * np.sqrt(seen.ravel()))
    ours = report_test(size, error)
    return float(theirs.signs(2 * effect)[0]), float(ours.power(2 * effect))


def print_cells(campaigns: int, only: str) -> None:
    print(f"{'campaign':28}", *(f"{name:>15}" for name in (*CHANCES, "half_width")), "largest")
    for name, (size, spreads) in CELLS.items():
        if only not in name:
            continue
        found, seen = prospect(size, spreads), simulate(size, spreads, campaigns=campaigns)
        both = [(getattr(found, each), getattr(seen, each)) for each in (*CHANCES, "half_width")]
        largest = max(abs(one - other) for one, other in both[:-1])
        shown = [f"{one:7.3f}/{other:.3f}" for one, other in both]
        print(f"{name:28}", *(f"{each:>15}" for each in shown), f"{largest:.3f}", flush=True)


def print_card() -> None:
    with open(ROOT.parent / "shared/data/card-2020/highvar_lowmer_lmer.csv", newline="") as file:
        for row in csv.DictReader(file):
            cell = int(row["num.workers"]), int(row["ex"]), float(row["diff"])
            theirs, ours = card_power(row["settings"].startswith("High"), *cell)
            name = f"{row['settings'][:4]} {cell[0]:>2} × {cell[1]:<3} {cell[2]:.2f}"
            published = float(row["power"])
            print(f"{name}: published {published:.3f}, theirs {theirs:.3f}, ours {ours:.3f}")


def print_pilots(pilots: int, first: int, systems: int, spread: float) -> None:
    """Judge predictions by pilots that did not help to choose the prior: those from `first` on."""
    target, spreads = Size(24, 100, 3, systems), replace(PILOT_SPREADS, system=spread)
    for raters in (3, 6, 12):
        size, rows = Size(raters, 30, raters, systems), []
        for number in range(first, first + pilots):
            rng = np.random.default_rng([number, raters])
            truth = spread * rng.standard_normal(systems)
            plan = planned(size, rng)
            values = judged(plan, spreads, rng) + truth[plan.systems]
            pilot = read_pilot(values, plan.systems, plan.raters, plan.items)
            expected = predicted(pilot, target, draws=60)
            real = found_share(target, spreads, truth, 0.05)
            rows.append((expected.found - real, expected.naive - real,
                         expected.low <= real <= expected.high))  # fmt: skip
        shrunk, naive, within = np.mean(rows, axis=0)
        error = np.std([row[0] for row in rows]) / len(rows) ** 0.5
        print(f"{raters} raters: predicted less realised {shrunk:+.3f} (± {error:.3f}), without "
              f"shrinking {naive:+.3f}, within the interval {within:.2f}", flush=True)  # fmt: skip


def print_speed() -> None:
    terms = Terms(pay=12, fee=0.33, fixed_minutes=3, lost=0.05)
    for name in ("six raters judge all", "24 raters, 21 systems", "one screen an item"):
        size, spreads = CELLS[name]
        limits = Limits(money=500, raters=200, items=max(size.items, 100))
        outlook(size, spreads, terms, limits)
        begun = time.process_time()
        for change in range(10):
            outlook(replace(size, items=size.items + change), spreads, terms, limits)
        answer = (time.process_time() - begun) / 10
        begun = time.process_time()
        simulate(size, spreads, campaigns=20)
        campaign = (time.process_time() - begun) / 20
        print(f"{name}: {1000 * answer:.1f} ms, as long as {answer / campaign:.1f} simulated "
              f"campaigns")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("cells", "card", "pilots", "speed"))
    parser.add_argument("--campaigns", type=int, default=2_000, help="or pilots")
    parser.add_argument("--only", default="")
    parser.add_argument("--first", type=int, default=10_000, help="the seed of the first pilot")
    parser.add_argument("--systems", type=int, default=5, help="of the pilots")
    parser.add_argument("--spread", type=float, default=0.4, help="of the pilots' systems")
    options = parser.parse_args()
    if options.part == "cells":
        print_cells(options.campaigns, options.only)
    elif options.part == "card":
        print_card()
    elif options.part == "pilots":
        print_pilots(options.campaigns, options.first, options.systems, options.spread)
    else:
        print_speed()


if __name__ == "__main__":
    main()
