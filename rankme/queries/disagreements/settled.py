"""Read how curators settled disagreements: the newest decision about an output applies."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from rankme.models import Campaign, Criterion, Item, Settlement

from .values import Unit


def _newest(campaign: Campaign) -> QuerySet[Settlement]:
    rows = campaign.settlements.select_related("criterion", "decided_by")
    return rows.order_by("item_id", "output_id", "criterion_id", "-id").distinct(
        "item_id", "output_id", "criterion_id"
    )


def settled_about(campaign: Campaign, item: Item) -> dict[tuple[int | None, str], Settlement]:
    """What applies to an item, by output and the criterion's name."""
    rows = _newest(campaign).filter(item=item)
    return {(row.output_id, row.criterion.name): row for row in rows if row.value is not None}


def settled_values(campaign: Campaign, criterion: Criterion) -> dict[Unit, float]:
    """The values of a criterion that apply, by what they are about."""
    rows = _newest(campaign).filter(criterion=criterion)
    return {Unit(row.item_id, row.output_id): row.value for row in rows if row.value is not None}


def all_settlements(
    campaign: Campaign, first: int | None = None
) -> Iterator[tuple[Settlement, bool]]:
    """All decisions in their order, or the first ones, each with whether it applies."""
    rows = campaign.settlements.select_related(
        "item", "output__system", "criterion", "decided_by"
    ).order_by("pk")[:first]
    newest = {(row.item_id, row.output_id, row.criterion_id): row.pk for row in rows}
    for row in rows:
        is_newest = newest[row.item_id, row.output_id, row.criterion_id] == row.pk
        yield row, is_newest and row.value is not None
