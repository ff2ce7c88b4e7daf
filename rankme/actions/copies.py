"""Copies of campaigns: the same definition and material, with no history."""

from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import User
from django.db import transaction

from rankme.models import Campaign, Item, Output, System
from rankme.protocols.definition import Definition

from .campaigns import create_campaign

ROWS_AT_ONCE = 2_000
Row = TypeVar("Row", Item, System, Output)


@transaction.atomic
def copy_campaign(campaign: Campaign, definition: Definition, *, by: User) -> Campaign:
    """A draft with this definition and the campaign's items, systems and outputs."""
    copy = create_campaign(by, definition)
    items = [_fresh(item, campaign=copy) for item in campaign.items.order_by("position")]
    systems = [_fresh(system, campaign=copy) for system in campaign.systems.order_by("position")]
    before = [
        list(rows.order_by("position").values_list("pk", flat=True))
        for rows in (campaign.items, campaign.systems)
    ]
    new_items = dict(zip(before[0], Item.objects.bulk_create(items, ROWS_AT_ONCE), strict=True))
    new_systems = dict(zip(before[1], System.objects.bulk_create(systems), strict=True))
    outputs = Output.objects.filter(item__campaign=campaign).order_by("pk")
    Output.objects.bulk_create(
        (
            _fresh(output, item=new_items[output.item_id], system=new_systems[output.system_id])
            for output in outputs.iterator(ROWS_AT_ONCE)
        ),
        ROWS_AT_ONCE,
    )
    return copy


def _fresh(row: Row, **changes: object) -> Row:
    """The same row, not stored yet."""
    row.pk = None
    row._state.adding = True
    for name, value in changes.items():
        setattr(row, name, value)
    return row
