"""An archive of ten million judgements: its import, its export, and an analysis by two workers.

Run: python benchmarks/large_archive.py [--judgements 10000000] [--kinds scale] [--busy 2]

The file is uploaded, checked and taken by a worker, while so many loops keep the machine busy. Then
the real web server sends the judgements as CSV, and two workers analyse them. Prints seconds,
processor time and the largest memory of a process for each step (targets: first byte 1 s, 50 MB
more, 10^5 rows a second; an analysis 240 s and 2.5 GB).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from import_million import Peak, wait_for
from report_speed import write_judgements
from site_under_test import load, own_site

BUSY = "while True: pass"
OPTIONS = {"seed": 1}


@contextmanager
def watched(title: str, *processes: Any) -> Iterator[None]:
    """Print what a step took, with the memory and processor time of these processes."""
    peaks = [Peak(process.pid) for process in processes]
    time.sleep(0.5)
    before = [(peak.largest, peak.cpu_seconds) for peak in peaks]
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    time.sleep(0.5)
    print(f"{title:28}{seconds:8.1f} s", end="")
    for peak, (memory, cpu) in zip(peaks, before, strict=True):
        peak.over.set()
        more = (peak.largest - memory) / 2**20
        spent = peak.cpu_seconds - cpu
        print(f" | {peak.largest / 2**20:.0f} MB ({more:+.0f}), CPU {spent:.1f} s", end="")
    print(f" | {load()}", flush=True)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def imported(site: Any, owner: Any, path: Path) -> Any:
    from rankme.actions.imports.judgement_imports import start_archive
    from rankme.actions.material import materials
    from rankme.models import Campaign

    archive = start_archive(owner, title="Elsewhere")
    row = materials.start_import(archive, [path], kind="judgements", by=owner)
    worker = site.processes["worker"]
    with watched("import: check and preview", worker):
        wait_for(row, time.perf_counter())
    with watched("import: taking", worker):
        materials.take_import(row, by=owner)
        wait_for(row, time.perf_counter())
    return Campaign.objects.get(pk=archive.pk)


def exported(site: Any, campaign: Any, key: str) -> None:
    address = f"{site.url}/api/v1/campaigns/{campaign.code}/judgements.csv"
    headers = {"Authorization": f"Token {key}"}
    began, first, rows = time.perf_counter(), 0.0, -1  # without the header
    with (
        watched("export as CSV", site.processes["web"]),
        httpx.stream("GET", address, headers=headers, timeout=1200) as answer,
    ):
        answer.raise_for_status()
        for part in answer.iter_bytes():
            first = first or time.perf_counter() - began
            rows += part.count(b"\n")
    seconds = time.perf_counter() - began
    print(f"  first byte {first:.2f} s, {rows:,} rows, {rows / seconds:,.0f} a second")


def analysed(site: Any, campaign: Any, kind: str, owner: Any) -> None:
    from rankme.actions.runs.analysis_runs import request_run

    criterion = campaign.criteria.get().name
    workers = [site.processes[name] for name in ("worker", "worker-2")]
    with watched(f"analysis ({kind})", *workers):
        run = request_run(campaign, OPTIONS | {"kinds": {criterion: kind}}, by=owner)
        wait_for_run(run)


def wait_for_run(run: Any) -> None:
    steps: list[str] = []
    began = time.perf_counter()
    while True:
        run.refresh_from_db(fields=["state", "step", "error"])
        if run.step not in (*steps[-1:], ""):
            steps.append(run.step)
            print(f"  after {time.perf_counter() - began:.0f} s: {run.step}", flush=True)
        if run.state not in ("queued", "working"):
            break
        time.sleep(0.5)
    assert run.state == "done", run.error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgements", type=int, default=10_000_000)
    parser.add_argument("--kinds", nargs="*", default=["scale"], choices=["scale", "relative"])
    parser.add_argument("--busy", type=int, default=2, help="loops during the import")
    options = parser.parse_args()
    with own_site() as site:
        from django.contrib.auth import get_user_model

        from rankme.actions.accounts.api_keys import KeyPlan, make_key

        owner = get_user_model().objects.create_user("benchmark")
        path = site.log_folder / "judgements.csv"
        path.write_bytes(write_judgements(options.judgements))
        print(f"{options.judgements:,} judgements, {path.stat().st_size / 1e6:.0f} MB, {load()}")
        site.start_worker()
        with busy(options.busy):
            campaign = imported(site, owner, path)
        site.start_web()
        exported(site, campaign, make_key(owner, KeyPlan()).secret)
        site.start_worker("worker-2")
        for kind in options.kinds:
            analysed(site, campaign, kind, owner)


if __name__ == "__main__":
    main()
