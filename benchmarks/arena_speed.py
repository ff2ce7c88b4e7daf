"""Speed and memory of rankings by votes of arenas, with errors clustered by judge.

Run: python benchmarks/arena_speed.py [--votes 10000000] [--models 200] [--judges 500000]

Writes made-up votes as a CSV and as Parquet, ranks each in a process of its own, and prints its
processor time, its wall time and its largest memory. The aim is 120 s and 4 GB on two cores.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

ROOT = Path(__file__).resolve().parent.parent


def votes(number: int, models: int, judges: int) -> pa.Table:
    """Draw votes: models of normal abilities, a fifth ties, judges of unequal zeal."""
    rng = np.random.default_rng(1)
    ability = rng.normal(size=models)
    first = rng.integers(models, size=number, dtype=np.int32)
    second = (first + rng.integers(1, models, size=number, dtype=np.int32)) % models
    judge = (judges * rng.random(number) ** 2).astype(np.int32)
    chance = 1 / (1 + np.exp(ability[second] - ability[first]))
    draw = rng.random(number)
    winner = np.where(draw < 0.2, 2, np.where(draw < 0.2 + 0.8 * chance, 0, 1)).astype(np.int32)

    def labelled(codes: np.ndarray, names: list[str]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(codes, names)

    names = [f"model-{k:03d}" for k in range(models)]
    return pa.table(
        {
            "model_a": labelled(first, names),
            "model_b": labelled(second.astype(np.int32), names),
            "winner": labelled(winner, ["model_a", "model_b", "tie"]),
            "judge": labelled(judge, [f"j{k:06d}" for k in range(judges)]),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=10_000_000)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--judges", type=int, default=500_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = votes(options.votes, options.models, options.judges)
        files = [Path(folder, "votes.csv"), Path(folder, "votes.parquet")]
        arrow_csv.write_csv(table, files[0])
        parquet.write_table(table, files[1])
        del table
        print("| file | processor s | wall s | GB |\n| --- | --- | --- | --- |")
        for file in files:
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            command = [sys.executable, "-m", "analysis", "arena", str(file), "--json"]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            memory = after.ru_maxrss / 1e6
            print(f"| {file.suffix} | {used:.1f} | {wall:.1f} | {memory:.2f} |", flush=True)


if __name__ == "__main__":
    main()
