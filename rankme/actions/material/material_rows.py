"""The rows of material: items, systems and outputs, written by COPY and deleted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from django.db import connection
from django.utils.translation import gettext as _

from rankme.actions import jobs
from rankme.actions.rows.bulk_insert import ROWS_WORTH_MEASURING, analyze, copy_rows, new_ids
from rankme.importing import ItemRow, Material
from rankme.importing.characters import folded
from rankme.importing.spooling.rows import OutputRow
from rankme.models import Campaign, MaterialImport

from .media import forget_media, store_media

# Shares of the progress bar, as they were measured for a million outputs.
READ_SHARE, COPIED_SHARE = 0.3, 0.8
ROWS_PER_HEARTBEAT = 2_000
NO_MEDIA: Mapping[int, int] = MappingProxyType({})


Row = TypeVar("Row")


def with_heartbeats(
    row: MaterialImport, rows: Iterable[Row], total: int, *, since: float, upto: float, step: str
) -> Iterator[Row]:
    """The same rows, with a heartbeat now and then."""
    for number, found in enumerate(rows):
        if number % ROWS_PER_HEARTBEAT == 0:
            share = since + (upto - since) * number / max(total, 1)
            jobs.heartbeat_while_copying(row, progress=share, step=step)
        yield found


def forget_material(campaign: Campaign) -> None:
    """Delete a draft's items, systems and outputs, with their scores.

    A trigger refuses this after the launch.
    """
    items = "SELECT id FROM rankme_item WHERE campaign_id = %s"
    with connection.cursor() as cursor:
        # Django would read each row first, to look for what refers to it. A million rows take
        # longer than a page's statement otherwise may.
        cursor.execute("SET LOCAL statement_timeout = '5min'")
        cursor.execute("DELETE FROM rankme_damagedtext WHERE campaign_id = %s", [campaign.pk])
        cursor.execute(f"DELETE FROM rankme_output WHERE item_id IN ({items})", [campaign.pk])
        cursor.execute("DELETE FROM rankme_system WHERE campaign_id = %s", [campaign.pk])
        cursor.execute("DELETE FROM rankme_item WHERE campaign_id = %s", [campaign.pk])
    forget_media(campaign)
    campaign.metrics.all().delete()  # they were about these outputs


def copy_material(
    row: MaterialImport, campaign: Campaign, material: Material, stored: list[str]
) -> None:
    preview = material.preview
    media = store_media(campaign, material.media(), stored)
    items = copy_items(campaign, material.items(), preview.n_items, media)
    systems = copy_systems(campaign, [system.name for system in preview.systems])
    outputs = with_heartbeats(
        row,
        material.outputs(),
        preview.n_outputs,
        since=READ_SHARE,
        upto=COPIED_SHARE,
        step=_("Storing the outputs"),
    )
    copy_rows(
        "rankme_output",
        (
            {
                "item_id": items[row.item_position],
                "system_id": systems[row.system_position],
                "text": row.text,
                "marks": json.loads(row.marks) if row.marks else None,
                **file_of(row, media),
            }
            for row in outputs
        ),
    )
    jobs.heartbeat(row, progress=COPIED_SHARE, step=_("Checking the result"))
    if preview.n_outputs >= ROWS_WORTH_MEASURING:
        analyze("rankme_item", "rankme_system", "rankme_output")


def copy_items(
    campaign: Campaign,
    items: Iterable[ItemRow],
    count: int,
    media: Mapping[int, int] = NO_MEDIA,
    *,
    first: int = 0,
) -> Sequence[int]:
    """Store items in their order, the first one at this position; return their ids.

    `media` has the ids of their files by number.
    """
    ids = new_ids("rankme_item", count)
    copy_rows(
        "rankme_item",
        (
            {
                "id": ids[number],
                "campaign_id": campaign.pk,
                "key": item.key,
                "position": first + number,
                "input": item.input,
                "reference": item.reference,
                "context": item.context,
                "factors": item.factors,
                **file_of(item, media),
            }
            for number, item in enumerate(items)
        ),
    )
    return ids


def copy_systems(campaign: Campaign, names: list[str], *, first: int = 0) -> Sequence[int]:
    ids = new_ids("rankme_system", len(names))
    copy_rows(
        "rankme_system",
        (
            {
                "id": pk,
                "campaign_id": campaign.pk,
                "name": name,
                "folded": folded(name),
                "position": position,
            }
            for position, (pk, name) in enumerate(zip(ids, names, strict=True), start=first)
        ),
    )
    return ids


def file_of(row: ItemRow | OutputRow, media: Mapping[int, int]) -> dict[str, object]:
    return {"media_id": None if row.media is None else media[row.media], "alt": row.alt}
