"""List raters' reports for the organiser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import F, QuerySet

from rankme.models import Campaign, Complaint, Item


def complaints_of(campaign: Campaign) -> QuerySet[Complaint]:
    """List all reports: open ones first, the newest of them at the top."""
    found = campaign.complaints.select_related("participant", "trial__item", "trial__as_check")
    return found.order_by(F("dealt_with_at").asc(nulls_first=True), "-id")


def complaints_about(items: Iterable[Item]) -> dict[int, list[Complaint]]:
    """The reports about each of these items, the newest first."""
    by_item: dict[int, list[Complaint]] = defaultdict(list)
    found = Complaint.objects.filter(trial__item__in=list(items), trial__as_check=None)
    for complaint in found.select_related("participant", "trial"):
        assert complaint.trial is not None
        by_item[complaint.trial.item_id].append(complaint)
    return by_item
