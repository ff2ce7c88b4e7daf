"""False claims of the ordinal mixed model with few raters or items, when all systems are equal.

Run: python benchmarks/ordinal_level.py [--campaigns 200]

Every rater judges every output once, on five points. Raters and items are strict or easy (SD 1 of
the logistic residual's 1.8) and have tastes for systems (SD 0 or .9). A claim is any pair called
different at .05: with normal quantiles, or with the degrees of freedom of the report's one rule.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.errors import Undefined
from analysis.scales.ordinal_model import fit_ordinal
from analysis.scales.tukey_hsd import range_tail

CELLS = ((3, 4, 2), (3, 12, 5), (5, 12, 2), (5, 12, 5), (12, 4, 5), (12, 12, 5), (24, 12, 5))
CUTS = np.array([-2.0, -0.7, 0.7, 2.0])


def smallest_p(
    raters: int, items: int, systems: int, taste: float, rng: np.random.Generator
) -> tuple[float, float]:
    """The smallest adjusted p of a campaign, by normal quantiles and by the rule."""
    rater, item, system = (codes.ravel() for codes in np.indices((raters, items, systems)))
    latent = rng.normal(size=raters)[rater] + rng.normal(size=items)[item]
    latent += taste * rng.normal(size=(raters, systems))[rater, system]
    latent += taste * rng.normal(size=(items, systems))[item, system]
    latent += rng.logistic(size=len(rater))
    values = (latent[:, None] > CUTS).sum(axis=1)
    random = {
        "rater": rater,
        "item": item,
        "rater:system": rater * systems + system,
        "item:system": item * systems + system,
    }
    found = fit_ordinal(values, system, [str(code) for code in range(systems)], random)
    ratios = np.array([abs(pair.difference) / pair.se for pair in found.contrasts])
    df = min(raters, items) - 1.0
    capped = range_tail(np.sqrt(2) * ratios, systems, df)
    return min(pair.p for pair in found.contrasts), float(capped.min())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    options = parser.parse_args()
    print("| raters × items × systems | tastes | normal | capped | not fitted |")
    print("|---|---|---|---|---|")
    for taste in (0.9, 0.0):
        for cell in CELLS:
            smallest, refused = [], 0
            for seed in range(options.campaigns):
                try:
                    smallest.append(smallest_p(*cell, taste, np.random.default_rng([seed, *cell])))
                except Undefined:
                    refused += 1
            shares = np.mean(np.array(smallest) < 0.05, axis=0)
            name = " × ".join(map(str, cell))
            print(
                f"| {name} | {taste} | {shares[0]:.3f} | {shares[1]:.3f} | {refused} |", flush=True
            )


if __name__ == "__main__":
    main()
