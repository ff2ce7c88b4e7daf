"""Pause campaigns at the limits that their organisers set."""

from __future__ import annotations

from django.db.models import Q

from rankme.errors import RefusedAction
from rankme.models import AuditEvent, Campaign
from rankme.protocols.files import stored_definition
from rankme.queries.watching.flagged import (
    AFTER_THE_PILOT,
    WITH_MANY_FLAGGED,
    flagged_raters,
    pilot_is_full,
)

from .campaigns import pause_at_limit


def pause_due() -> None:
    """Pause running campaigns after their pilot, or with more flagged raters than they allow.

    Each limit pauses a campaign once: people who resume it have decided.
    """
    limited = Q(definition__crowd__has_key="pause_after_raters") | Q(
        definition__crowd__pauses_itself=True
    )
    for campaign in Campaign.objects.filter(limited, state=Campaign.State.RUNNING):
        crowd = stored_definition(campaign.definition).crowd
        pilot = crowd.pause_after_raters
        if _is_new(campaign, AFTER_THE_PILOT, pilot) and pilot_is_full(campaign):
            _pause(campaign, AFTER_THE_PILOT, pilot)
        elif crowd.pauses_itself and _is_new(campaign, WITH_MANY_FLAGGED, crowd.flagged_share):
            found = flagged_raters(campaign)
            if found is not None and found.is_above:
                _pause(campaign, WITH_MANY_FLAGGED, crowd.flagged_share)


def _is_new(campaign: Campaign, verb: str, limit: float | None) -> bool:
    if limit is None:
        return False
    events = AuditEvent.objects.filter(campaign=campaign, verb=verb, detail__limit=limit)
    return not events.exists()


def _pause(campaign: Campaign, verb: str, limit: float | None) -> None:
    try:
        pause_at_limit(campaign, verb=verb, limit=limit)
    except RefusedAction:  # somebody paused or closed it in the meantime
        return
