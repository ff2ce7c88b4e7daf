"""What analyses of scales can claim: wrong differences in simulated campaigns of equal systems.

Run: python benchmarks/scale_claims.py [--campaigns 100]

Sliders as in Surface Realisation 2011 (5 raters, 100 items, 5 systems, every rater every item
once, repeated Latin squares) and times as in TUNA 2008 (24 raters, 60 items each). All systems
are equal; raters and items are strict or easy, and in the dependent scenario also have tastes for
systems: each with half of the residual's SD. A `claim` is any pair called different at .05.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis import Column, JudgementTable
from analysis.errors import Undefined
from analysis.report.scale_section import clustered, full_mixed_model, mixed_model, tukey_of
from analysis.scales.anova import factorial, one_way


@dataclass(frozen=True)
class Study:
    """Raters, the items that each one judges, and systems, rotated as in a Latin square."""

    name: str
    raters: int
    items: int
    systems: int
    taste: float


STUDIES = [
    Study("SR'11, no tastes", 5, 100, 5, 0.0),
    Study("SR'11, tastes 0.5", 5, 100, 5, 0.5),
    Study("TUNA'08, no tastes", 24, 60, 12, 0.0),
    Study("TUNA'08, tastes 0.5", 24, 60, 12, 0.5),
]


def simulated(study: Study, seed: int) -> JudgementTable:
    rng = np.random.default_rng([seed, study.raters])
    rater, item = np.divmod(np.arange(study.raters * study.items), study.items)
    system = (rater + item) % study.systems
    taste = study.taste * rng.normal(size=(study.raters, study.systems))
    fit = study.taste * rng.normal(size=(study.items, study.systems))
    value = rng.normal(size=study.raters)[rater] + rng.normal(size=study.items)[item]
    value += taste[rater, system] + fit[item, system] + rng.normal(size=len(rater))

    def column(codes: np.ndarray, prefix: str) -> Column:
        labels = tuple(f"{prefix}{code:03d}" for code in range(int(codes.max()) + 1))
        return Column(codes.astype(np.int32), labels)

    return JudgementTable.from_columns(
        {
            "rater": column(rater, "r"),
            "item": column(item, "i"),
            "system": column(system, "s"),
            "criterion": Column(np.zeros(len(rater), dtype=np.int32), ("q",)),
            "screen": column(np.arange(len(rater)), "x"),
            "value": value,
        }
    )


def tukey_pairs(table: JudgementTable, *, with_rater: bool) -> list[float]:
    factors = {"system": table.system.codes, "rater": table.rater.codes}
    anova = (
        factorial(table.value, factors)
        if with_rater
        else one_way(table.value, table.system.codes, len(table.system.labels))
    )
    return [pair.p for pair in tukey_of(table.value, table, 0.05, anova, True).pairs]


METHODS: dict[str, Callable[[JudgementTable], list[float]]] = {
    "one-way ANOVA, Tukey": lambda table: tukey_pairs(table, with_rater=False),
    "system + rater, Tukey": lambda table: tukey_pairs(table, with_rater=True),
    "mixed: (1|rater) + (1|item)": lambda table: [
        pair.p for pair in mixed_model(table.value, table, 0.05, True).contrasts
    ],
    "mixed, with tastes": lambda table: [
        pair.p for pair in full_mixed_model(table.value, table, 0.05, True).contrasts
    ],
    "clustered by rater and item": lambda table: [
        pair.p for pair in clustered(table.value, table, 0.05, True).contrasts
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100)
    options = parser.parse_args()
    for study in STUDIES:
        print(f"\n## {study.name}: {options.campaigns} campaigns\n\n| method | claim |\n|---|---|")
        wrong: dict[str, list[bool]] = {name: [] for name in METHODS}
        for seed in range(options.campaigns):
            table = simulated(study, seed)
            for name, method in METHODS.items():
                try:
                    wrong[name].append(min(method(table)) < 0.05)
                except Undefined as why:
                    print(f"{name}: {why}", file=sys.stderr)
        for name, rows in wrong.items():
            chance = float(np.mean(rows))
            error = np.sqrt(chance * (1 - chance) / len(rows))
            print(f"| {name} | {chance:.2f} ± {error:.2f} |", flush=True)


if __name__ == "__main__":
    main()
