"""What the audit trail says of other rows: versions, the preregistration, looks, decisions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from analysis.signature import VERSION
from rankme.actions.rows.versions import definition_sha256
from rankme.exporting.paper.preregistration import preregistration
from rankme.exporting.registered import document_sha256, registration_of
from rankme.models import Campaign
from rankme.models.looks import LOOKED
from rankme.models.settlements import SETTLED

from .fault import Fault


def check_versions(campaign: Campaign) -> None:
    """Compare each definition with its hash, and the hash with the audit event of the change."""
    noted = {
        event.detail["version"]: event.detail["definition_sha256"]
        for event in campaign.audit_events.filter(detail__has_key="definition_sha256")
    }
    for expected, version in enumerate(campaign.versions.order_by("number"), start=1):
        place = f"version {version.number}"
        if version.number != expected:
            raise Fault(place, f"version {expected} is missing.")
        if definition_sha256(version.definition) != version.definition_sha256:
            raise Fault(place, "the definition does not match its hash.")
        if noted.get(version.number, version.definition_sha256) != version.definition_sha256:
            raise Fault(place, "the definition differs from the one in the history.")


def check_preregistration(campaign: Campaign) -> None:
    """Compare the stored document with its hash, and write it again from the first version.

    Another release may word it differently, so that only its own release can write it again.
    """
    event = registration_of(campaign)
    if event is None:
        return
    document = event.detail["document"]
    if document_sha256(document) != event.detail["sha256"]:
        raise Fault("the preregistration", "it does not match its hash.")
    if event.detail["program"] != VERSION:
        return
    first = campaign.versions.get(number=1)
    if preregistration(campaign, campaign.plan.balance, first) != document:
        raise Fault("the preregistration", "it differs from the campaign that was launched.")


def check_looks(campaign: Campaign) -> None:
    """Hold each look against its event, in order."""
    looks = campaign.looks.order_by("number")
    facts = ((each.sha256, each.taken_by_id, each.taken_at, each.number) for each in looks)
    _check_each(campaign, "look", facts, LOOKED)


def check_settlements(campaign: Campaign) -> int:
    """Hold each decision of a curator against its event, in order; returns how many there are."""
    decisions = campaign.settlements.order_by("pk")
    facts = ((each.sha256, each.decided_by_id, each.decided_at, None) for each in decisions)
    return _check_each(campaign, "settled disagreement", facts, SETTLED)


def _check_each(
    campaign: Campaign, what: str, rows: Iterable[tuple[object, ...]], verb: str
) -> int:
    """Compare the hash, author, time and number of each row with those of its event.

    Raises
    ------
    Fault : a row was changed, added or removed; the events have a chain of their own
    """
    events = campaign.audit_events.filter(verb=verb).order_by("number")
    number = 0
    for number, (row, event) in enumerate(zip_longest(rows, events), start=1):
        place = f"{what} {number}"
        if row is None:
            raise Fault(place, "it is missing.")
        if event is None:
            raise Fault(place, "no event of the audit trail is about it.")
        said: dict[str, Any] = event.detail
        if row != (said.get("sha256"), event.actor_id, event.happened_at, said.get("number")):
            raise Fault(place, f"it differs from audit event {event.number}.")
    return number
