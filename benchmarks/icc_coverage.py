"""How often intervals of ICC(2,1) cover it, for complete and for incomplete tables.

Run: python benchmarks/icc_coverage.py [--campaigns 300]

Outputs differ with variance 1, raters with .3 and judgements with .7 (an ICC of .5), or 4 times as
much of both (.2). The negative control draws whole outputs with replacement, as intervals of α do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analysis.errors import Undefined
from analysis.reliability.intraclass import intraclass_correlation
from analysis.scales.mixed_model import variance_components


@dataclass(frozen=True)
class Study:
    """Outputs, raters, the share of judgements that exist or the raters of each output."""

    name: str
    outputs: int
    raters: int
    kept: float = 1.0
    each: int = 0
    noise: float = 1.0


STUDIES = (
    Study("balanced, 5 raters × 15 outputs", 15, 5),
    Study("3 raters × 60 outputs, 20 % missing", 60, 3, 0.8),
    Study("5 raters × 60 outputs, 20 % missing", 60, 5, 0.8),
    Study("120 outputs, each by 3 of 12 raters", 120, 12, each=3),
    Study("8 raters × 40 outputs, 40 % missing", 40, 8, 0.6),
    Study("low ICC (.2), 8 raters × 60 outputs, 20 % missing", 60, 8, 0.8, noise=4.0),
)


def simulated(study: Study, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kept = rng.random((study.outputs, study.raters)) < study.kept
    if study.each:
        kept = rng.random(kept.shape).argsort(axis=1) < study.each
    units, raters = np.nonzero(kept)
    values = rng.normal(size=study.outputs)[units]
    values += np.sqrt(0.3 * study.noise) * rng.normal(size=study.raters)[raters]
    values += np.sqrt(0.7 * study.noise) * rng.normal(size=len(units))
    return values, units, raters


def drawn_outputs(
    values: np.ndarray, units: np.ndarray, raters: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """The percentile interval of 40 tables of outputs that are drawn with replacement."""
    rows = [np.flatnonzero(units == unit) for unit in np.unique(units)]
    found = []
    for _ in range(40):
        chosen = rng.integers(len(rows), size=len(rows))
        drawn = np.concatenate([rows[unit] for unit in chosen])
        copies = np.repeat(np.arange(len(rows)), [len(rows[unit]) for unit in chosen])
        parts = variance_components(values[drawn], {"unit": copies, "rater": raters[drawn]})
        found.append(parts[0].variance / sum(part.variance for part in parts))
    return float(np.quantile(found, 0.025)), float(np.quantile(found, 0.975))


def report_interval(
    values: np.ndarray, units: np.ndarray, raters: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    single = intraclass_correlation(values, units, raters).single
    if single.low is None or single.high is None:
        raise Undefined("no interval")
    return single.low, single.high


Interval = Callable[..., tuple[float, float]]


def coverage(study: Study, interval: Interval, campaigns: int) -> tuple[float, float]:
    """Share of campaigns whose interval covers the ICC, and the intervals' mean width."""
    true = 1 / (1 + study.noise)
    found = []
    for seed in range(campaigns):
        rng = np.random.default_rng([seed, study.outputs, study.raters])
        try:
            low, high = interval(*simulated(study, rng), rng)
        except Undefined:
            continue
        found.append((low <= true <= high, high - low))
    covered, width = np.mean(found, axis=0)
    return float(covered), float(width)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument("--control", type=int, default=0, help="campaigns of the negative control")
    options = parser.parse_args()
    print("| table | coverage | width | outputs drawn |\n|---|---|---|---|")
    for study in STUDIES:
        covered, width = coverage(study, report_interval, options.campaigns)
        drawn = coverage(study, drawn_outputs, options.control)[0] if options.control else np.nan
        print(f"| {study.name} | {covered:.3f} | {width:.2f} | {drawn:.2f} |", flush=True)


if __name__ == "__main__":
    main()
