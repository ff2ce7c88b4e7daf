"""What happened to a campaign, read from its rows: noted once, for each address that is told.

Nothing in the site has to remember to tell: a worker looks at the campaigns that have webhooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from rankme.actions.audit import DAMAGED
from rankme.models import (
    AnalysisRun,
    AuditEvent,
    Campaign,
    PanelPayment,
    PanelStudy,
    Slot,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
)

Kind = WebhookEvent.Kind
# Old campaigns are not looked at every few seconds for ever.
TOLD_AFTER_THE_CLOSE = timedelta(days=30)
# A campaign that is analysed by the minute tells of the newest.
MOST_REPORTS = MOST_TROUBLES = 20


@dataclass(frozen=True)
class Happening:
    """Something to tell. Under one key it is told once."""

    kind: str
    key: str
    detail: dict[str, Any] = field(default_factory=dict)


def record_all() -> None:
    """Note what happened to every campaign that tells somebody."""
    telling = Webhook.objects.filter(is_active=True).values("campaign")
    is_alive = Q(closed_at=None) | Q(closed_at__gt=Now() - TOLD_AFTER_THE_CLOSE)
    for campaign in Campaign.objects.filter(is_alive, pk__in=telling).defer("definition"):
        record_events(campaign)


@transaction.atomic
def record_events(campaign: Campaign) -> list[WebhookEvent]:
    """Note what is new, with a message to each address that wants to know it."""
    happened = list(happenings(campaign))
    keys = [each.key for each in happened]
    known = set(campaign.webhook_events.filter(key__in=keys).values_list("key", flat=True))
    hooks = list(campaign.webhooks.filter(is_active=True))
    stored = []
    for each in happened:
        if each.key in known:
            continue
        # Two workers may see it at the same moment: one of them stores it.
        event, is_new = WebhookEvent.objects.get_or_create(
            campaign=campaign, key=each.key, defaults={"kind": each.kind, "detail": each.detail}
        )
        if is_new:
            stored.append(event)
            WebhookDelivery.objects.bulk_create(
                WebhookDelivery(webhook=hook, event=event)
                for hook in hooks
                if event.kind in hook.kinds
            )
    return stored


def happenings(campaign: Campaign) -> Iterator[Happening]:
    """Everything to tell about a campaign as it is now, in the order of its life."""
    if campaign.launched_at is not None and not campaign.is_archive:
        yield Happening(Kind.LAUNCHED, "launched")
        yield from _work(campaign)
    runs = campaign.analysis_runs.filter(state=AnalysisRun.State.DONE).order_by("-pk")
    for run in reversed(list(runs.values_list("pk", flat=True)[:MOST_REPORTS])):
        yield Happening(Kind.REPORT_READY, f"report {run}", {"run": run})
    yield from _troubles(campaign)


def _work(campaign: Campaign) -> Iterator[Happening]:
    batches = campaign.slots.count()
    done = campaign.slots.filter(state=Slot.State.DONE).count()
    detail = {"batches": batches, "batches_done": done}
    # An extended plan is half done, and done, once more.
    if 0 < batches <= 2 * done:
        yield Happening(Kind.HALF_DONE, f"half of {batches}", detail)
    if 0 < batches <= done:
        yield Happening(Kind.DONE, f"all of {batches}", detail)


def _troubles(campaign: Campaign) -> Iterator[Happening]:
    lost = PanelPayment.objects.filter(
        study__campaign=campaign, state=PanelPayment.State.LOST
    ).order_by("pk")
    for payment in lost.values_list("pk", flat=True)[:MOST_TROUBLES]:
        yield Happening(Kind.MONEY_TROUBLE, f"payment {payment}", {"payment": payment})
    stuck = PanelStudy.objects.filter(campaign=campaign).exclude(problem="")
    for study, problem in stuck.values_list("pk", "problem")[:MOST_TROUBLES]:
        # Not the problem itself: a panel's sentence may name a person.
        named = hashlib.sha256(problem.encode()).hexdigest()[:16]
        yield Happening(Kind.MONEY_TROUBLE, f"study {study} {named}", {"study": study})
    damaged = AuditEvent.objects.filter(campaign=campaign, verb=DAMAGED).order_by("-pk")
    for event in damaged.values_list("pk", flat=True)[:MOST_TROUBLES]:
        yield Happening(Kind.RECORD_TROUBLE, f"record {event}")
