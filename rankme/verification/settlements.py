"""Compare what curators settled with the audit events that have the hashes of their decisions."""

from __future__ import annotations

from itertools import zip_longest

from rankme.models import Campaign
from rankme.models.settlements import SETTLED

from .fault import Fault


def check_settlements(campaign: Campaign) -> int:
    """Hold each decision against its event, in order; returns how many there are.

    Raises
    ------
    Fault : a decision was changed, added or removed; the events have a chain of their own
    """
    rows = campaign.settlements.order_by("pk")
    events = campaign.audit_events.filter(verb=SETTLED).order_by("number")
    number = 0
    for number, (row, event) in enumerate(zip_longest(rows, events), start=1):
        if row is None:
            raise Fault(f"settled disagreement {number}", "it is missing.")
        if event is None:
            raise Fault(
                f"settled disagreement {number}", "no event of the audit trail is about it."
            )
        facts = (row.sha256, row.decided_by_id, row.decided_at)
        if facts != (event.detail.get("sha256"), event.actor_id, event.happened_at):
            raise Fault(
                f"settled disagreement {number}", f"it differs from audit event {event.number}."
            )
    return number
