"""Derive which sitting of each slot counts, from states and exclusions."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Exists, OuterRef

from rankme.models import Assignment, Campaign, RaterExclusion

from .fault import Fault

COMPLETED, HELD = Assignment.State.COMPLETED, Assignment.State.HELD


def check_counting(campaign: Campaign) -> None:
    """Raise the first `Fault`: a slot whose counting sitting is not the one that should count.

    This is the rule of `actions.assignments.settle_slot`, as far as it does not depend on clocks:
    of several completed sittings any may have been the first.
    """
    standing = RaterExclusion.objects.filter(participant=OuterRef("participant"), withdrawn_at=None)
    sittings = Assignment.objects.filter(campaign=campaign).annotate(is_excluded=Exists(standing))
    rows = sittings.order_by("slot_id", "id").values_list(
        "slot_id", "pk", "state", "counts", "is_excluded", named=True
    )
    for slot, of_slot in groupby(rows, attrgetter("slot_id")):
        _check_slot(slot, list(of_slot), are_replaced=not campaign.is_archive)


def _check_slot(slot: int, sittings: list[Any], *, are_replaced: bool) -> None:
    """`are_replaced`: others can take the place of excluded raters, as in no archive."""
    completed = [
        sitting
        for sitting in sittings
        if sitting.state == COMPLETED and not (are_replaced and sitting.is_excluded)
    ]
    held = [sitting for sitting in sittings if sitting.state == HELD]
    allowed = {sitting.pk for sitting in completed or held or sittings}
    counting = {sitting.pk for sitting in sittings if sitting.counts}
    if len(counting) != 1 or not counting <= allowed:
        raise Fault(
            f"slot {slot}",
            f"sitting {_named(allowed)} should count, but {_named(counting) or 'none'} does.",
        )


def _named(sittings: set[int]) -> str:
    return " or ".join(map(str, sorted(sittings)))
