"""The preregistration that a launch stored in the history of its campaign."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from rankme.models import AuditEvent, Campaign
from rankme.models.campaigns import PREREGISTERED
from rankme.protocols.exchange.payload_hashes import canonical


def registration_of(campaign: Campaign) -> AuditEvent | None:
    """The event; None where the campaign was launched before there were any."""
    return campaign.audit_events.filter(verb=PREREGISTERED).order_by("number").first()


def stored_preregistration(campaign: Campaign) -> dict[str, Any] | None:
    event = registration_of(campaign)
    return None if event is None else dict(event.detail["document"])


def document_sha256(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(document)).hexdigest()


def registered_sha256(campaign: Campaign) -> str:
    """The hash of the stored document, or an empty text."""
    document = stored_preregistration(campaign)
    return "" if document is None else document_sha256(document)
