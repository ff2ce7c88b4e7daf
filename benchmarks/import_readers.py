"""Reading 10^6 outputs or judgements: seconds, peak memory, and the ratio to bare reading.

Run: python benchmarks/import_readers.py [outputs] [systems]
"""

from __future__ import annotations

import csv
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rankme.importing import (  # noqa: E402
    JudgementMaterial,
    read_judgement_material,
    read_material,
)

WORDS = ("the", "pub", "café", "coffee", "near", "river", "cheap", "family", "is", "in", "with")


def text(rng: random.Random, n_words: int) -> str:
    return " ".join(rng.choices(WORDS, k=n_words))


def write_long(folder: Path, n_items: int, n_systems: int) -> list[Path]:
    rng = random.Random(1)
    items, outputs = folder / "items.csv", folder / "outputs.csv"
    with items.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "input", "reference", "domain"])
        rows.writerows([f"item-{n}", text(rng, 15), text(rng, 20), n % 2] for n in range(n_items))
    with outputs.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["system", "item", "output"])
        for system in range(n_systems):
            rows.writerows([f"system {system}", f"item-{n}", text(rng, 22)] for n in range(n_items))
    return [items, outputs]


def write_e2e(folder: Path, n_items: int, n_systems: int) -> list[Path]:
    rng = random.Random(2)
    meanings = [f"name[{n}], food[{text(rng, 8)}], area[{text(rng, 2)}]" for n in range(n_items)]
    paths = [folder / f"system{system}.tsv" for system in range(n_systems)]
    for path in paths:
        with path.open("w", newline="") as file:
            rows = csv.writer(file, delimiter="\t")
            rows.writerow(["MR", "output"])
            rows.writerows([meaning, text(rng, 22)] for meaning in meanings)
    return paths


def write_plain(folder: Path, n_items: int, n_systems: int) -> list[Path]:
    rng = random.Random(3)
    archive = folder / "outputs.zip"
    names = ["source.txt", "reference.txt", *(f"system{n}.txt" for n in range(n_systems))]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in names:
            zipped.writestr(name, "".join(f"{text(rng, 22)}\n" for _ in range(n_items)))
    return [archive]


def write_judgements(folder: Path, n_items: int, n_systems: int) -> list[Path]:
    rng = random.Random(4)
    path = folder / "judgements.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["rater", "item", "system", "criterion", "value", "screen", "time_ms"])
        for n in range(n_items):
            rows.writerows(
                [
                    f"r{n % 500}",
                    f"item-{n}",
                    f"system {system}",
                    "quality",
                    rng.randint(1, 200),
                    f"s{n}-{system // 5}",
                    rng.randint(500, 20_000),
                ]
                for system in range(n_systems)
            )
    return [path]


FORMATS: dict[str, Callable[[Path, int, int], list[Path]]] = {
    "long": write_long,
    "e2e": write_e2e,
    "plain": write_plain,
    "judgements": write_judgements,
}


def bare_rows(paths: list[Path]) -> Iterator[list[str]]:
    """The least that any reader must do: decode and split."""
    for path in paths:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as zipped:
                for name in zipped.namelist():
                    yield from ([line] for line in zipped.read(name).decode().split("\n"))
        else:
            with path.open(newline="") as file:
                yield from csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")


def measure(paths: list[Path]) -> None:
    """Runs in a separate process, so that the peak of memory belongs to this reading alone."""
    are_judgements = paths[0].name == "judgements.csv"
    start = time.perf_counter()
    with (read_judgement_material if are_judgements else read_material)(paths) as material:
        checked = time.perf_counter() - start
        start = time.perf_counter()
        n_rows = sum(1 for _ in material.items()) + sum(1 for _ in material.outputs())
        if isinstance(material, JudgementMaterial):
            n_rows += sum(1 for _ in material.judgements())
    delivered = time.perf_counter() - start
    print(
        f"{n_rows:>9,} rows  checked {checked:5.1f} s  delivered {delivered:4.1f} s  "
        f"peak {peak_megabytes():4.0f} MB",
        end="",
        flush=True,
    )


def peak_megabytes() -> float:
    """Of this process and of its child that reads; of this one, getrusage would also count what its
    parent held when it was started.
    """
    status = Path("/proc/self/status").read_text()
    own = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def main() -> None:
    n_outputs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    n_systems = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    for name, write in FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            paths = write(Path(folder), n_outputs // n_systems, n_systems)
            megabytes = sum(path.stat().st_size for path in paths) / 1024**2
            print(f"{name:>10} {megabytes:4.0f} MB ", end="", flush=True)
            start = time.perf_counter()
            command = [sys.executable, __file__, "--measure", *map(str, paths)]
            subprocess.run(command, check=True)
            ours = time.perf_counter() - start
            start = time.perf_counter()
            for _ in bare_rows(paths):
                pass
            print(f"  {ours / (time.perf_counter() - start):4.1f} × the bare reading")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure([Path(path) for path in sys.argv[2:]])
    else:
        main()
