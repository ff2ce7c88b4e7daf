"""Metrics in parts that several workers compute: planned by a sample, and put together again.

A worker holds a part by a lease of its own session: a part may take longer than the database lets a
transaction wait.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from django.db import transaction

from analysis.errors import AnalysisError
from analysis.text_metrics import scoring
from analysis.text_metrics.scoring import Scored
from analysis.text_metrics.text_files import Material
from analysis.typing import Progress
from rankme.actions import jobs
from rankme.models import MetricComputation, MetricPart
from rankme.models.leases import JobLease
from rankme.queries.metric_scores import material_of

# Long enough to be worth a row, short enough to lose; a system is never divided.
SECONDS_PER_PART = 20.0
SAMPLE = 12
MOST_SECONDS_OF_ONE_OUTPUT = 1.0
MOST_HELPERS = 8


def plan_parts(row: MetricComputation, material: Material) -> None:
    """Divide the work, the quick metrics first. Parts of the same material are kept."""
    if row.material_sha256 == material.sha256:
        return
    systems = list(material.outputs)
    sizes = [len(texts) for texts in material.outputs.values()]
    rates = {name: rate(row, material, name) for name in row.metrics}
    parts = []
    for name in sorted(row.metrics, key=lambda name: sum(_seconds(rates[name], sizes))):
        seconds = dict(zip(systems, _seconds(rates[name], sizes), strict=True))
        count = max(1, min(len(systems), round(sum(seconds.values()) / SECONDS_PER_PART)))
        for number in range(count):
            own = systems[number * len(systems) // count : (number + 1) * len(systems) // count]
            expected = sum(seconds[each] for each in own)
            parts.append(
                MetricPart(
                    computation=row, metric=name, number=number, systems=own, seconds=expected
                )
            )
    with transaction.atomic():
        row.parts.all().delete()
        MetricPart.objects.bulk_create(parts)
        jobs.keep(row, material_sha256=material.sha256)


def rate(row: MetricComputation, material: Material, name: str) -> float:
    """The seconds for one output, by some outputs from everywhere in the material."""
    jobs.heartbeat(row)
    keys = [(system, item) for system, texts in material.outputs.items() for item in texts]
    chosen = keys[:: max(len(keys) // SAMPLE, 1)][:SAMPLE]
    first = _timed(row, material, name, chosen[:1])
    if first > MOST_SECONDS_OF_ONE_OUTPUT or len(chosen) == 1:
        return first
    # What the first one needed is mostly for reading the references.
    return max(_timed(row, material, name, chosen) - first, 0.0) / (len(chosen) - 1)


def _timed(
    row: MetricComputation, material: Material, name: str, keys: Sequence[tuple[str, str]]
) -> float:
    outputs: dict[str, dict[str, str]] = {}
    for system, item in keys:
        outputs.setdefault(system, {})[item] = material.outputs[system][item]
    began = time.monotonic()
    _score(row, replace(material, outputs=outputs), name)
    return time.monotonic() - began


def _seconds(rate: float, sizes: Sequence[int]) -> list[float]:
    return [rate * size for size in sizes]


def _score(
    row: MetricComputation,
    material: Material,
    name: str,
    progress: Progress = lambda share: None,
) -> tuple[Scored, ...]:
    return scoring.score(material, [name], lowercase=row.lowercase, progress=progress)


def call_helpers(row: MetricComputation) -> None:
    waiting = row.parts.filter(content_gz=None).count()
    helpers = min(waiting - 1, MOST_HELPERS)
    jobs.send([("rankme.tasks.compute_metric_parts", row.pk)] * max(helpers, 0))


def help_with(row_id: int) -> int:
    """Compute parts of a computation that another worker leads; return how many.

    Ends when the leader is lost, because this worker may then take the computation over, and at
    any fault, which the leader meets and reports.
    """
    under_way = MetricComputation.objects.filter(pk=row_id, state=jobs.WORKING)
    row = under_way.exclude(material_sha256="").select_related("campaign").first()
    material = material_of(row.campaign) if row is not None else None
    done = 0
    while (
        material is not None
        and (row := under_way.first())
        and row.material_sha256 == material.sha256
        and jobs.is_leased(row)
    ):
        try:
            if compute_one(row, material, _stop_with_the_worker) is None:
                break
        except (AnalysisError, jobs.WorkerStops):
            break
        done += 1
    return done


def _stop_with_the_worker(share: float) -> None:
    if jobs.worker_stops.is_set():
        raise jobs.WorkerStops


def compute_one(
    row: MetricComputation, material: Material, progress: Progress
) -> MetricPart | None:
    """Compute a part that no worker computes yet; None when there is none."""
    for part in row.parts.filter(content_gz=None):
        lease = JobLease(MetricPart, part.pk)
        if not lease.acquire():
            continue
        waiting = row.parts.filter(pk=part.pk, content_gz=None)
        try:
            if not waiting.exists():
                continue
            outputs = {name: material.outputs[name] for name in part.systems}
            found = _score(row, replace(material, outputs=outputs), part.metric, progress)
            waiting.update(content_gz=_packed(found))
            return part
        finally:
            lease.release()
    return None


def _packed(found: tuple[Scored, ...]) -> bytes:
    text = json.dumps([asdict(scored) for scored in found])
    return gzip.compress(text.encode(), compresslevel=3, mtime=0)


def results_of(row: MetricComputation, metric: str) -> Iterator[Scored]:
    """The results of a metric whose parts are all computed, put together."""
    parts = row.parts.filter(metric=metric).values_list("content_gz", flat=True)
    found = [json.loads(gzip.decompress(content)) for content in parts if content]
    for same in zip(*found, strict=True):
        joined = dict(same[0])
        for name in ("systems", "segments", "outputs"):
            joined[name] = {key: value for part in same for key, value in part[name].items()}
        yield Scored(**joined)
