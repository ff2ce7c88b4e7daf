"""A report of a million judgements with all methods: seconds and memory (targets: 60 s, 1 GB).

    python benchmarks/report_speed.py [--judgements 1000000] [--kind relative|scale|both]

The judgements are made up: raters and items have their own tastes, so that no method has an easy
case. Each kind is read and reported in a separate process; the peak is the system's count. Seconds
of the clock suffer from other work on the machine, seconds of the processor hardly do: both are
printed, with the load.
"""

import argparse
import io
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

SYSTEMS, RATERS, ITEMS, SHOWN = 21, 500, 2000, 5
TARGET_SECONDS, TARGET_MEGABYTES = 60, 1000


def judgement_columns(judgements: int, seed: int = 1) -> dict:
    """Screens of five systems of one item by one rater, relative magnitudes."""
    from analysis import Column

    rng = np.random.default_rng(seed)
    screens = judgements // SHOWN
    raters, items = rng.integers(RATERS, size=screens), rng.integers(ITEMS, size=screens)
    systems = np.argsort(rng.random((screens, SYSTEMS)), axis=1)[:, :SHOWN]
    taste, fit = rng.normal(size=(RATERS, SYSTEMS)), rng.normal(size=(ITEMS, SYSTEMS))
    level = 4.0 - 0.03 * systems + 0.1 * taste[raters[:, None], systems]
    level = level + 0.2 * fit[items[:, None], systems] + rng.normal(0, 0.4, size=systems.shape)

    def labelled(codes: np.ndarray, prefix: str, count: int) -> Column:
        return Column(codes.astype(np.int32), tuple(f"{prefix}{k:06d}" for k in range(count)))

    rows = screens * SHOWN
    return {
        "rater": labelled(np.repeat(raters, SHOWN), "r", RATERS),
        "item": labelled(np.repeat(items, SHOWN), "i", ITEMS),
        "system": labelled(systems.ravel(), "s", SYSTEMS),
        "criterion": Column(np.zeros(rows, dtype=np.int32), ("quality",)),
        "screen": labelled(np.repeat(np.arange(screens), SHOWN), "x", screens),
        "value": np.round(np.exp(level)).clip(1).ravel(),
    }


def write_judgements(judgements: int) -> bytes:
    from analysis import JudgementTable, write_table

    file = io.BytesIO()
    write_table(JudgementTable.from_columns(judgement_columns(judgements)), file)
    return file.getvalue()


def measured(path: str, kind: str) -> dict:
    """Read the file and report it in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (path, kind))


def _measured(path: str, kind: str) -> dict:
    from analysis import read_table
    from analysis.report.bundle import report_json
    from analysis.report.make import ReportOptions, make_report
    from analysis.report.rendered import rendered_files

    clock = [(time.perf_counter(), time.process_time())]
    table = read_table(path)
    clock.append((time.perf_counter(), time.process_time()))
    report = make_report(table, ReportOptions(kinds={"quality": kind}))
    clock.append((time.perf_counter(), time.process_time()))
    rendered_files(report)
    clock.append((time.perf_counter(), time.process_time()))
    section = report.criteria[0].scale or report.criteria[0].ranking
    return {
        "parts": {
            name: (after[0] - before[0], after[1] - before[1])
            for name, before, after in zip(
                ("read", "report", "tables and plots"), clock, clock[1:], strict=False
            )
        },
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "json": len(report_json(report)),
        "undefined": section.undefined,
    }


def show(kind: str, judgements: int, found: dict) -> None:
    print(f"\n{kind}: {judgements:,} judgements")
    for name, (wall, processor) in found["parts"].items():
        print(f"  {name:18} {wall:7.1f} s   processor {processor:7.1f} s")
    wall, processor = (sum(part[k] for part in found["parts"].values()) for k in (0, 1))
    print(f"  {'in all':18} {wall:7.1f} s   processor {processor:7.1f} s")
    print(f"  of the target of {TARGET_SECONDS} s: {wall / TARGET_SECONDS:.2f}", end="; ")
    share = found["megabytes"] / TARGET_MEGABYTES
    print(f"peak {found['megabytes']:.0f} MB of {TARGET_MEGABYTES}: {share:.2f}")
    print(f"  report.json {found['json'] / 1e6:.2f} MB")
    for method, reason in found["undefined"].items():
        print(f"  not made: {method}: {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--judgements", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=("relative", "scale", "both"), default="both")
    options = parser.parse_args()
    kinds = ("relative", "scale") if options.kind == "both" else (options.kind,)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgements.csv"
        path.write_bytes(write_judgements(options.judgements))
        for kind in kinds:
            show(kind, options.judgements, measured(str(path), kind))


if __name__ == "__main__":
    main()
