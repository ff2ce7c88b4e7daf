"""Writing down who did what."""

from __future__ import annotations

from typing import Any

from rankme.models import AuditEvent, Campaign


def note(campaign: Campaign | None, actor: Any, verb: str, **detail: Any) -> AuditEvent:
    """Write an audit event in the caller's transaction."""
    return AuditEvent.objects.create(
        campaign=campaign,
        actor=actor if actor is not None and actor.is_authenticated else None,
        verb=verb,
        detail=detail,
    )
