"""Level, power and coverage of exact tests, equivalence and preferences, by raters and items.

Run: python benchmarks/pair_effects.py [--campaigns 400]

Every rater judges four systems on every item; raters and items have tastes of half the residual's
SD. `exact`: some pair of equal systems is called different, for new raters of these items (items
have no tastes there, as their tastes would be true differences). `new items`: the same with items'
tastes, which is why no claim is made about new items. `found`: with one system better by 1 SD, the
share of its pairs that are called. `equivalent`: called at a true difference of the margin, 1 SD,
and at 0. `naive`: at the margin, by t on judgements. `covered`: a preference of .5, .8 or .95 lies
within its interval, in the worst of the three.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import scipy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.errors import Undefined
from analysis.scales.clustered import clustered_comparison
from analysis.scales.equivalence import Estimate, equivalence
from analysis.scales.preferences import preferences
from analysis.scales.rater_tests import rater_differences, rater_tests, side_by_side

RATERS, ITEMS, TASTE, MARGIN = (3, 5, 8, 12, 24), (4, 12, 60), 0.5, 1.0
NAMES = ["a", "b", "c", "d"]
COLUMNS = (
    "raters", "items", "exact", "new items", "found", "equivalent at margin", "equivalent at 0",
    "naive", "covered",
)  # fmt: skip


def judged(
    dice: np.random.Generator, shape: tuple[int, int, int], *, item_taste: float = TASTE
) -> np.ndarray:
    raters, items, systems = shape
    taste = TASTE * dice.normal(size=(raters, 1, systems))
    fitting = item_taste * dice.normal(size=(1, items, systems))
    return taste + fitting + dice.normal(size=shape)


def compared(values: np.ndarray):
    rater, item, system = (grid.ravel() for grid in np.indices(values.shape))
    return side_by_side(values.ravel(), system, rater, item, item)


def apart(values: np.ndarray) -> set[str]:
    """The pairs that exact tests tell apart."""
    raters, _, systems = values.shape
    tests = rater_tests(rater_differences(compared(values), raters, systems), NAMES[:systems])
    return {pair.a + pair.b for pair in tests.apart()}


def equivalent(values: np.ndarray) -> tuple[bool, bool]:
    """Whether two systems are called equivalent: by clustered errors, and as if independent."""
    rater, item, system = (grid.ravel() for grid in np.indices(values.shape))
    found = clustered_comparison(values.ravel(), system, NAMES[:2], rater, item)
    (pair,) = found.contrasts
    plain = np.sqrt(2 * values.var() / (len(system) / 2))
    ways = ((pair.se, found.df), (plain, len(system) - 2.0))
    one, naive = (
        bool(equivalence([Estimate("a", "b", pair.difference, *way)], MARGIN).equivalent())
        for way in ways
    )
    return one, naive


def covered(dice: np.random.Generator, raters: int, items: int) -> list[bool]:
    """Whether intervals of three preferences contain them."""
    inside = []
    for share in (0.5, 0.8, 0.95):
        distance = scipy.stats.norm.ppf(share) * np.sqrt(2 * (1 + 2 * TASTE**2))
        values = judged(dice, (raters, items, 2)) + np.array([distance, 0])
        (pair,) = preferences(compared(values), NAMES[:2])
        assert pair.low is not None and pair.high is not None
        inside.append(pair.low <= share <= pair.high)
    return inside


def row(raters: int, items: int, campaigns: int) -> list[str]:
    dice = np.random.default_rng([raters, items])
    exact, new_items, found, at_margin, at_zero, naive, inside = ([] for _ in range(7))
    better = np.array([1.0, 0, 0, 0])
    for _ in range(campaigns):
        try:
            equal = judged(dice, (raters, items, 4), item_taste=0.0)
            exact.append(bool(apart(equal)))
            found.append(len(apart(equal + better) & {"ab", "ac", "ad"}) / 3)
            new_items.append(bool(apart(judged(dice, (raters, items, 4)))))
        except Undefined:
            pass
        two = judged(dice, (raters, items, 2))
        claim, plain = equivalent(two + np.array([MARGIN, 0]))
        at_margin.append(claim)
        naive.append(plain)
        at_zero.append(equivalent(two)[0])
        inside.append(covered(dice, raters, items))
    shares = [
        f"{np.mean(each):.3f}" if each else "–"
        for each in (exact, new_items, found, at_margin, at_zero, naive)
    ]
    return [str(raters), str(items), *shares, f"{np.mean(inside, axis=0).min():.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400)
    options = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
    for raters in RATERS:
        for items in ITEMS:
            print("| " + " | ".join(row(raters, items, options.campaigns)) + " |", flush=True)


if __name__ == "__main__":
    main()
