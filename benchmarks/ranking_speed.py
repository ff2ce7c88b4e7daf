"""How fast rankings are: ratios to the `trueskill` package, and how time grows.

Run: python benchmarks/ranking_speed.py [--long]

The package is timed on a stretch of the same work, in the same process, and its time for the
whole is that stretch times how often it goes in; both are printed. `--long` adds 10^7 pairs.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SYSTEMS, PAIRS, RUNS = 21, 29_790, 200
STRETCH = 3_000
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} (times suffer from other work)")
    warm_up()
    against_the_package()
    scaling(options.long)


def warm_up() -> None:
    """What the first ranking ever costs, and the first in a new process afterwards."""
    command = (
        "import time; begun = time.perf_counter();"
        "from benchmarks.ranking_speed import made_counts;"
        "from analysis.ranking.trueskill import reference_run;"
        "imported = time.perf_counter();"
        "reference_run(made_counts(5, 500), seed=1, run=0);"
        "print(imported - begun, time.perf_counter() - imported)"
    )
    print(
        "\n## Warm-up (seconds)\n\n| process | import numba and numpy | first run |\n|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as cache:
        for name in ("empty cache: compiles", "cache on disk: loads"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
            ran = subprocess.run(
                [sys.executable, "-c", command],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            imported, first = (float(word) for word in ran.stdout.split())
            print(f"| {name} | {imported:.2f} | {first:.2f} |")
    print(f"\n`import analysis`: {import_seconds():.2f} s in a bare interpreter")


def import_seconds() -> float:
    command = (
        "import time; t = time.perf_counter(); import analysis; print(time.perf_counter() - t)"
    )
    run = [sys.executable, "-c", command]
    return min(
        float(subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        for _ in range(REPEATS)
    )


def against_the_package() -> None:
    from analysis.ranking.clusters import SIDE_BY_SIDE
    from analysis.ranking.trueskill import Game, ordered_pass, reference_run, reference_runs

    pairs, counts = made_pairs(SYSTEMS, PAIRS), made_counts(SYSTEMS, PAIRS)
    game = Game.of_size(PAIRS)
    reference_run(counts, seed=1, run=0)
    ordered_pass(pairs, game)
    plain = best(lambda: ordered_pass(pairs, game)) / PAIRS
    plain_package = best(lambda: package_pass(pairs, game, STRETCH), 2) / STRETCH
    whole = best(lambda: reference_run(counts, seed=1, run=0)) / PAIRS
    together, runs = np.stack([counts] * SIDE_BY_SIDE), range(SIDE_BY_SIDE)
    beside = best(lambda: reference_runs(together, seed=1, runs=runs)) / PAIRS / SIDE_BY_SIDE
    whole_package = best(lambda: package_procedure(counts, game, STRETCH), 2) / STRETCH
    print(f"\n## Against the `trueskill` package ({SYSTEMS} systems, {PAIRS} pairs, one thread)\n")
    print("| work | ours, ns a step | package, ns a step | ratio | ours, 200 runs | package |")
    print("|---|---|---|---|---|---|")
    rows = {
        "pass in given order": (plain, plain_package),
        "whole reference procedure, a run alone": (whole, whole_package),
        f"whole reference procedure, {SIDE_BY_SIDE} runs side by side": (beside, whole_package),
    }
    for name, (ours, theirs) in rows.items():
        steps = PAIRS * RUNS
        print(
            f"| {name} | {ours * 1e9:.0f} | {theirs * 1e9:.0f} | {theirs / ours:.0f} | "
            f"{ours * steps:.2f} s | {theirs * steps:.0f} s (from {STRETCH} steps) |"
        )


def scaling(long: bool) -> None:
    from analysis.ranking.clusters import SIDE_BY_SIDE

    print("\n## Scaling of the reference procedure\n")
    print("ns a step: processor time; seconds: the clock's, which suffers from other work\n")
    print("| pairs | systems | runs | resampling | threads | seconds | ns a step | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    for pairs in (10_000, 100_000, 1_000_000) + ((10_000_000,) if long else ()):
        measure(pairs, 21, max(SIDE_BY_SIDE, 4_000_000 // pairs), "none", 1)
    for systems in (5, 50, 500):
        measure(1_000_000, systems, SIDE_BY_SIDE, "none", 1)
    measure(1_000_000, 500, SIDE_BY_SIDE, "raters-items", 1)
    for runs in (100, 1_000, 10_000):
        measure(10_000, 21, runs, "none", 1)
    for threads in (1, 2):
        measure(PAIRS, 21, 400, "none", threads)
    for scheme in ("pairs", "screens", "items", "raters", "raters-items"):
        measure(PAIRS, 21, 200, scheme, 1)
    if long:
        measure(10_000_000, 500, 2, "raters", 2)


def measure(pairs: int, systems: int, runs: int, scheme: str, threads: int) -> None:
    from analysis.ranking.clusters import Resampling

    resampling = Resampling(
        criterion="quality",
        method="wmt",
        scheme=scheme,
        seed=1,
        runs=runs,
        pairs=made_pairs(systems, pairs),
        sha256="",
    )
    resampling.draw(0, 1)
    begun, worked = time.perf_counter(), time.process_time()
    resampling.draw(0, runs, threads=threads)
    seconds, work = time.perf_counter() - begun, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    step = work / runs / pairs * 1e9
    print(
        f"| {pairs} | {systems} | {runs} | {scheme} | {threads} | {seconds:.2f} | {step:.0f} | "
        f"{peak:.0f} |",
        flush=True,
    )


# --- made-up comparisons -------------------------------------------------------------------


def made_pairs(systems: int, pairs: int):
    """Comparisons in fives of ten, half of them ties, better systems winning more."""
    from analysis.ranking.pairs import Pairs

    rng = np.random.default_rng(1)
    first = rng.integers(systems, size=pairs)
    second = (first + rng.integers(1, systems, size=pairs)) % systems
    wins = rng.random(pairs) < 1 / (1 + np.exp((first - second) * 4 / systems))
    outcome = np.where(rng.random(pairs) < 0.5, 1, np.where(wins, 0, 2))
    screen = np.arange(pairs) // 10
    return Pairs(
        systems=tuple(f"system{k:03}" for k in range(systems)),
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        outcome=outcome.astype(np.int8),
        screen=screen.astype(np.int32),
        rater=(screen % 112).astype(np.int32),
        item=(screen % 630).astype(np.int32),
        raters=tuple(f"rater{k}" for k in range(112)),
        items=tuple(f"item{k}" for k in range(630)),
    )


def made_counts(systems: int, pairs: int) -> NDArray[np.int64]:
    from analysis.ranking.resampling import Resampler

    return Resampler.of(made_pairs(systems, pairs), "none").fixed


# --- the same work with the package --------------------------------------------------------


def package_environment(game):
    from trueskill import TrueSkill

    return TrueSkill(mu=0, sigma=0.5, beta=game.beta, tau=0, draw_probability=0.25)


def package_update(environment, ratings, first, second, outcome):
    from trueskill import rate_1vs1

    if outcome == 2:
        first, second = second, first
    ratings[first], ratings[second] = rate_1vs1(
        ratings[first], ratings[second], drawn=outcome == 1, env=environment
    )


def package_pass(pairs, game, steps: int) -> None:
    environment = package_environment(game)
    ratings = [environment.create_rating() for _ in pairs.systems]
    columns = (column[:steps].tolist() for column in (pairs.first, pairs.second, pairs.outcome))
    for first, second, outcome in zip(*columns, strict=True):
        package_update(environment, ratings, first, second, outcome)


def package_procedure(counts: NDArray[np.int64], game, steps: int) -> None:
    """Sakaguchi, Post & Van Durme's procedure, written plainly with the package."""
    import random

    rng = random.Random(1)
    environment = package_environment(game)
    ratings = [environment.create_rating() for _ in counts]
    systems = range(len(counts))
    judgements = {
        (i, j): counts[i, j].tolist() if i < j else counts[j, i][::-1].tolist()
        for i in systems
        for j in systems
        if i != j
    }
    for _ in range(steps):
        i = max(systems, key=lambda k: ratings[k].sigma)
        others = [j for j in systems if j != i]
        weights = [math.exp(-abs(ratings[i].mu - ratings[j].mu)) for j in others]
        j = rng.choices(others, weights)[0]
        outcome = rng.choices((0, 1, 2), judgements[i, j])[0]
        package_update(environment, ratings, i, j, outcome)


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of several processor times, so that other work on the machine counts little."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


if __name__ == "__main__":
    main()
