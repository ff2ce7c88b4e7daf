"""The operator's page: what is wrong, which hosts run what, and what waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from rankme.actions.jobs import TASKS
from rankme.actions.operators import SEEN_WITHIN, last_backup
from rankme.models import Heartbeat, SiteProcess
from rankme.models.jobs import Job
from rankme.worker.watchdog import messages_waiting

from .troubles import MOST_SECONDS_APART, troubles

MOST_PROCESSES = 200


@dataclass(frozen=True)
class Seen:
    """A process, and what an operator should look at."""

    process: SiteProcess
    is_away: bool
    is_other_release: bool
    clock_is_wrong: bool


@dataclass(frozen=True)
class Queue:
    kind: str
    state: str
    number: int
    oldest: datetime


@login_required
@require_safe
def show_operation(request: HttpRequest) -> HttpResponse:
    """For staff alone; others get the page of an address that does not exist."""
    if not request.user.is_staff:
        raise Http404
    beats = dict(Heartbeat.objects.values_list("name", "seen_at"))
    context = {
        "troubles": list(troubles()),
        "processes": processes(),
        "queues": queues(),
        "messages_waiting": messages_waiting(),
        "backup": last_backup(),
        "checked": beats.get("verify"),
        "beat": beats.get("beat"),
    }
    return render(request, "operation.html", context)


def processes() -> list[Seen]:
    """List what was seen within a day; the release of the newest process is the one expected."""
    now = timezone.now()
    rows = list(SiteProcess.objects.order_by("host", "kind", "number")[:MOST_PROCESSES])
    newest = max(rows, key=lambda row: row.started_at, default=None)
    return [
        Seen(
            row,
            is_away=now - row.seen_at > SEEN_WITHIN,
            is_other_release=newest is not None and row.release != newest.release,
            clock_is_wrong=abs(row.clock_seconds) > MOST_SECONDS_APART,
        )
        for row in rows
    ]


def queues() -> list[Queue]:
    """Count the jobs under way by kind and state, with the time of the oldest."""
    return [
        Queue(str(model._meta.verbose_name), found["state"], found["number"], found["oldest"])
        for model in TASKS
        for found in _under_way(model)
    ]


def _under_way(model: type[Job]) -> Any:
    rows = model._default_manager.filter(state__in=[Job.State.QUEUED, Job.State.WORKING])
    return rows.values("state").annotate(number=Count("pk"), oldest=Min("requested_at"))
