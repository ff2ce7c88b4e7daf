"""Recording who did what."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from rankme.models import AuditEvent, Campaign

DAMAGED = gettext_noop("record damaged")
INTACT = gettext_noop("record intact again")


def note(campaign: Campaign | None, actor: User | None, verb: str, **detail: object) -> AuditEvent:
    """Write an audit event in the caller's transaction."""
    return AuditEvent.objects.create(
        campaign=campaign,
        actor=actor,
        verb=verb,
        detail=detail,
    )


def last_fault(campaign: Campaign | None) -> str:
    """Return the fault that the last check of the record found, or an empty text."""
    events = AuditEvent.objects.filter(campaign=campaign, verb__in=[DAMAGED, INTACT])
    newest = events.order_by("-number").first()
    return str(newest.detail.get("fault", "")) if newest else ""
