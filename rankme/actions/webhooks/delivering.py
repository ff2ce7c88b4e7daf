"""Messages on their way: claimed, sent, tried again with growing pauses, and given up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now
from django.urls import reverse

from rankme.errors import RefusedAction
from rankme.models import WebhookDelivery, WebhookEvent
from rankme.panel_calls.sealed import unseal
from rankme.webhook_calls import sending
from rankme.webhook_calls.sending import Outcome

State = WebhookDelivery.State
Send = Callable[[str, str, bytes, Mapping[str, str]], Outcome]

# The last try is about eleven hours after the first.
PAUSES = tuple(timedelta(seconds=30 * 4**number) for number in range(6))
MOST_TRIES = len(PAUSES) + 1
# A worker that is lost while it sends is not waited for longer than this.
CLAIMED_FOR = timedelta(minutes=2)
MOST_AT_ONCE = 20
SECONDS_AT_ONCE = 50.0


def deliver_due(send: Send = sending.send) -> int:
    """Send the messages that are due, and return how many were tried."""
    ends_at = time.monotonic() + SECONDS_AT_ONCE
    due = WebhookDelivery.objects.filter(
        state=State.WAITING, due_at__lte=Now(), webhook__is_active=True
    )
    tried = 0
    for pk in list(due.order_by("due_at").values_list("pk", flat=True)[:MOST_AT_ONCE]):
        if time.monotonic() > ends_at:
            break
        # The worker that moves the time first sends the message: for others it is not due.
        if due.filter(pk=pk).update(due_at=Now() + CLAIMED_FOR, attempts=F("attempts") + 1):
            _deliver(pk, send)
            tried += 1
    return tried


def _deliver(pk: int, send: Send) -> None:
    delivery = WebhookDelivery.objects.select_related("webhook", "event__campaign").get(pk=pk)
    event = delivery.event
    headers = {"RankME-Event": str(event.uid), "RankME-Kind": event.kind}
    try:
        secret = unseal(delivery.webhook.sealed_secret)
    except RefusedAction as refusal:
        outcome = Outcome(0, str(refusal))
    else:
        outcome = send(delivery.webhook.url, secret, message(event), headers)
    _note_outcome(delivery, outcome)


def message(event: WebhookEvent) -> bytes:
    """The body: nothing about raters, and nothing that a stranger could use."""
    campaign = event.campaign
    page = settings.SITE_URL + reverse("rankme:campaign", args=[campaign.code])
    document = {
        "id": str(event.uid),
        "kind": event.kind,
        "happened_at": event.happened_at.isoformat(),
        "campaign": {"code": campaign.code, "title": campaign.title, "page": page},
        "detail": event.detail,
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _note_outcome(delivery: WebhookDelivery, outcome: Outcome) -> None:
    delivery.tried_at = Now()
    delivery.status, delivery.problem = outcome.status, outcome.problem[:300]
    if outcome.is_success:
        delivery.state = State.SENT
    elif delivery.attempts >= MOST_TRIES:
        delivery.state = State.FAILED
    else:
        delivery.due_at = Now() + PAUSES[delivery.attempts - 1]
    delivery.save(update_fields=["tried_at", "status", "problem", "state", "due_at"])
