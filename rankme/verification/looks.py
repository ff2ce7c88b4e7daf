"""Compare looks with the audit events that have the hashes of what they saw."""

from __future__ import annotations

from itertools import zip_longest

from rankme.models import Campaign
from rankme.models.looks import LOOKED

from .fault import Fault


def check_looks(campaign: Campaign) -> None:
    """Hold each look against its event, in order.

    Raises
    ------
    Fault : a look was changed, added or removed; the events have a chain of their own
    """
    rows = campaign.looks.order_by("number")
    events = campaign.audit_events.filter(verb=LOOKED).order_by("number")
    for number, (row, event) in enumerate(zip_longest(rows, events), start=1):
        if row is None:
            raise Fault(f"look {number}", "it is missing.")
        if event is None:
            raise Fault(f"look {number}", "no event of the audit trail is about it.")
        facts = (row.number, row.sha256, row.taken_by_id, row.taken_at)
        said = (event.detail.get("number"), event.detail.get("sha256"))
        if facts != (*said, event.actor_id, event.happened_at):
            raise Fault(f"look {number}", f"it differs from audit event {event.number}.")
