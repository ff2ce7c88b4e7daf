"""False claims of the full mixed model with few raters or items, by three rules for its d.f.

Run: python benchmarks/mixed_level.py [--campaigns 20000]

All systems are equal; every rater judges every output once. Raters and items are strict or easy
(SD 1) and have tastes for systems (SD .5 or another); the residual has SD 1. A claim is any pair
called different at .05. In a complete table the restricted likelihood depends on five mean squares
alone and its maximum is their isotonic regression, so that thousands of fits take a second;
`tests/analysis/scales/test_mixed.py` compares this shortcut with the fit.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.scales.tukey_hsd import range_quantile

RATERS, ITEMS, SYSTEMS = (3, 5, 8, 12, 24), (3, 4, 12, 60), (2, 5, 10)
# Mean squares of the residual, rater × system, item × system, rater and item. The expectation of
# the second of each pair cannot be less than that of the first.
ORDER = ((0, 1), (1, 3), (0, 2), (2, 4))


def freedoms(raters: int, items: int, systems: int) -> np.ndarray:
    """Degrees of freedom of the five mean squares."""
    r, i, s = raters - 1, items - 1, systems - 1
    return np.array([r * i * systems, r * s, i * s, r, i], dtype=float)


def fitted(squares: np.ndarray, freedom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twice RI/2 times the variance of a difference by REML, and Satterthwaite's d.f. of it.

    `squares` has shape (campaigns, 5). Every way to pool neighbours is tried: the best one that
    keeps the order is the maximum.
    """
    best = np.full(len(squares), np.inf)
    variance, df = np.empty(len(squares)), np.empty(len(squares))
    for pooled in itertools.product((False, True), repeat=len(ORDER)):
        block = np.arange(5)
        for (low, high), joined in zip(ORDER, pooled, strict=True):
            if joined:
                block[block == block[high]] = block[low]
        members = (block[:, None] == np.arange(5)).astype(float)  # shape (5, blocks)
        sizes = np.where(members.any(axis=0), freedom @ members, 1.0)
        means = (squares * freedom) @ members / sizes
        each = means[:, block]
        ordered = np.all([each[:, low] <= each[:, high] for low, high in ORDER], axis=0)
        deviance = np.sum(freedom * (np.log(each) + squares / each), axis=1)
        better = ordered & (deviance < best)
        weights = (np.array([-1.0, 1.0, 1.0, 0.0, 0.0]) @ members) * means
        found = weights.sum(axis=1)
        best = np.where(better, deviance, best)
        variance = np.where(better, found, variance)
        df = np.where(better, found**2 / np.sum(weights**2 / sizes, axis=1), df)
    return variance, df


def campaigns_of(
    raters: int, items: int, tastes: np.ndarray, campaigns: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Mean squares, shape (campaigns, 5), and systems' means; `tastes` has one SD for each."""
    systems = len(tastes)
    freedom = freedoms(raters, items, systems)
    noise = rng.normal(size=(campaigns, 1, systems)) / np.sqrt(raters * items)
    squares = [rng.chisquare(freedom[0], size=campaigns) / freedom[0]]
    means, levels = noise[:, 0], []
    for count, others in ((raters, items), (items, raters)):
        error = rng.normal(size=(campaigns, count, systems)) / np.sqrt(others)
        taste = tastes * rng.normal(size=error.shape)
        cells = taste + error - error.mean(axis=1, keepdims=True) + noise
        means = means + taste.mean(axis=1)
        level = cells.mean(axis=2) + rng.normal(size=(campaigns, count))
        levels.append(others * systems * level.var(axis=1, ddof=1))
        rest = cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=2, keepdims=True)
        rest += cells.mean(axis=(1, 2), keepdims=True)
        squares.append(others * np.sum(rest**2, axis=(1, 2)) / ((count - 1) * (systems - 1)))
    return np.stack([*squares, *levels], axis=1), means


def false_claims(raters: int, items: int, tastes: np.ndarray, campaigns: int) -> list[float]:
    """Shares of campaigns with a claim, for each of the rules."""
    systems = len(tastes)
    rng = np.random.default_rng([raters, items, systems])
    squares, means = campaigns_of(raters, items, tastes, campaigns, rng)
    variance, df = fitted(squares, freedoms(raters, items, systems))
    ranges = np.ptp(means, axis=1) * np.sqrt(raters * items / variance)
    scarcer = min(raters, items) - 1.0
    grid = np.geomspace(1, max(1e4, df.max()), 200)
    exact = [range_quantile(0.95, systems, float(each)) for each in grid]
    return [
        float(np.mean(ranges > np.interp(np.log(np.minimum(df, most)), np.log(grid), exact)))
        for most in (np.inf, scarcer * (systems - 1), scarcer)
    ]


# The SD of tastes for the first system, and for the others.
SCENARIOS = ((0.0, 0.0), (0.3, 0.3), (0.5, 0.5), (1.0, 1.0), (1.0, 0.3), (1.0, 0.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=5000)
    options = parser.parse_args()
    for first, others in SCENARIOS:
        print(f"\n## Tastes {first:g} and {others:g} SD, {options.campaigns} campaigns a cell\n")
        print("| raters × items × systems | Satterthwaite | × (systems − 1) | capped |")
        print("|---|---|---|---|")
        for raters, items, systems in itertools.product(RATERS, ITEMS, SYSTEMS):
            tastes = np.array([first, *[others] * (systems - 1)])
            shares = false_claims(raters, items, tastes, options.campaigns)
            cells = " | ".join(f"{each:.3f}" for each in shares)
            print(f"| {raters} × {items} × {systems} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
