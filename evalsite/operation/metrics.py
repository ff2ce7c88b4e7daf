"""`/metrics` in Prometheus's text format: requests of all web processes, and the site's state."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from secrets import compare_digest
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from rankme.actions.audit import DAMAGED, INTACT
from rankme.actions.jobs import TASKS
from rankme.actions.operators import BACKUP_MADE

REQUEST_SECONDS = Histogram(
    "rankme_request_seconds",
    "Time until the answer to a request is ready.",
    ["route", "status"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
)

SLOTS = """
    SELECT campaign.code, slot.state, count(*)
    FROM rankme_slot slot JOIN rankme_campaign campaign ON campaign.id = slot.campaign_id
    WHERE campaign.state IN ('running', 'paused') GROUP BY 1, 2
"""
JOBS = " UNION ALL ".join(
    f"SELECT '{model._meta.model_name}', state, count(*)::float8,"
    " max(extract(epoch FROM now() - requested_at))::float8"
    f" FROM {model._meta.db_table} WHERE state IN ('queued', 'working') GROUP BY 2"
    for model in TASKS
)
HEARTBEATS = "SELECT name, extract(epoch FROM now() - seen_at)::float8 FROM rankme_heartbeat"
BACKUP = """
    SELECT extract(epoch FROM clock_timestamp() - max(happened_at))::float8 FROM rankme_auditevent
    WHERE campaign_id IS NULL AND verb = %s HAVING count(*) > 0
"""
DAMAGED_RECORDS = """
    SELECT count(*) FROM (
        SELECT DISTINCT ON (campaign_id) verb FROM rankme_auditevent
        WHERE verb IN (%s, %s) ORDER BY campaign_id, number DESC
    ) AS newest WHERE verb = %s
"""
PANEL_LAG = """
    SELECT campaign.code,
        extract(epoch FROM now() - COALESCE(study.synced_at, study.created_at))::float8
    FROM rankme_panelstudy study JOIN rankme_campaign campaign ON campaign.id = study.campaign_id
    WHERE study.state NOT IN ('NEW', 'UNPUBLISHED', 'COMPLETED')
"""


class SiteState(Collector):
    """What the database and the disk say at the moment, for all hosts the same but the disk."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        words = "Sittings that are free, held and done, of campaigns that are collecting."
        yield _gauge("slots", words, SLOTS, "campaign", "state")
        jobs = _rows(JOBS)
        for name, column, words in (
            ("jobs", 2, "Jobs under way."),
            ("job_age_seconds", 3, "Time since the oldest such job was asked for."),
        ):
            gauge = GaugeMetricFamily(f"rankme_{name}", words, labels=["kind", "state"])
            for row in jobs:
                gauge.add_metric(row[:2], row[column])
            yield gauge
        yield _gauge(
            "heartbeat_age_seconds",
            "Time since beat last released leases, and since the record was last checked whole.",
            HEARTBEATS,
            "name",
        )
        ((damaged,),) = _rows(DAMAGED_RECORDS, [DAMAGED, INTACT, DAMAGED])
        words = "Campaigns whose record is damaged."
        yield GaugeMetricFamily("rankme_damaged_records", words, damaged)
        backup = GaugeMetricFamily("rankme_backup_age_seconds", "Time since the last backup.")
        for (age,) in _rows(BACKUP, [BACKUP_MADE]):
            backup.add_metric([], age)
        yield backup
        yield _gauge("panel_lag_seconds", "Time since a study was compared.", PANEL_LAG, "campaign")
        disk = shutil.disk_usage(settings.DATA_FOLDER)
        for name, size in (("free", disk.free), ("size", disk.total)):
            words = f"Bytes of the data folder's disk: {name}."
            yield GaugeMetricFamily(f"rankme_disk_{name}_bytes", words, size)


def _gauge(name: str, words: str, query: str, *labels: str) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(f"rankme_{name}", words, labels=labels)
    for row in _rows(query):
        gauge.add_metric(row[:-1], row[-1])
    return gauge


def _rows(query: str, values: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer a scrape that brings `METRICS_TOKEN`; without one nobody can ask."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not compare_digest(given.encode(), expected.encode()):
        raise Http404
    state, requests = CollectorRegistry(), REGISTRY
    state.register(SiteState())
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):  # set by evalsite/gunicorn.py
        requests = CollectorRegistry()
        MultiProcessCollector(requests)  # type: ignore[no-untyped-call]
    text = generate_latest(requests) + generate_latest(state)
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")
