"""The audit trail: numbered events, each bound to the one before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter

from django.db import connection

from .fault import Fault

# The facts of an event as the trigger hashes them (migration audit_events_form_chains).
EVENTS = """
    SELECT campaign_id, number, chain_sha256, jsonb_build_array(
        number, campaign_id, actor_id, verb, detail,
        (extract(epoch FROM happened_at) * 1000000)::bigint)::text
    FROM rankme_auditevent WHERE {condition} ORDER BY campaign_id, number, id"""


def check_campaign_audit(campaign_id: int, seen: Mapping[int, str]) -> int:
    """Check the events of one campaign; returns how many there are."""
    length = 0
    for _campaign, events in _chains("campaign_id = %s", [campaign_id]):
        length = _check_chain(events, seen)
    if max(seen, default=0) > length:
        raise Fault(
            "the audit trail",
            f"it has {length} events, but an analysis saw {max(seen)}: its end is missing.",
        )
    return length


def check_other_audit() -> int:
    """Check the events of no campaign, and of campaigns that were deleted as drafts."""
    return sum(
        _check_chain(events, {})
        for _campaign, events in _chains(
            "campaign_id IS NULL OR NOT EXISTS"
            " (SELECT FROM rankme_campaign c WHERE c.id = campaign_id)",
            [],
        )
    )


Event = tuple[int | None, int, str, str]


def _chains(condition: str, parameters: list[int]) -> Iterator[tuple[int | None, Iterator[Event]]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(EVENTS.format(condition=condition), parameters)
        yield from groupby(cursor, itemgetter(0))


def _check_chain(events: Iterator[Event], seen: Mapping[int, str]) -> int:
    before, length = "", 0
    for _campaign, number, stored, facts in events:
        length += 1
        place = f"audit event {number}"
        if number != length:
            raise Fault(f"audit event {length}", "it is missing.")
        before = hashlib.sha256((before + facts).encode()).hexdigest()
        if before != stored:
            raise Fault(place, "it was changed, or the one before it was.")
        if seen.get(number, before) != before:
            raise Fault(place, "it differs from the one that an analysis saw.")
    return length
