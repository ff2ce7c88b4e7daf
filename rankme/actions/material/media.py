"""The pictures, sounds and films of a campaign: into the storage, out of it, and which lack."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import partial

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Sum
from django.utils.translation import gettext as _

from rankme.actions.rows.stored_files import delete_files
from rankme.errors import RefusedAction
from rankme.importing.spooling.rows import MediaRow
from rankme.models import Campaign, Item, MediaFile, Output
from rankme.protocols.definition import Definition

FOLDER = "media"
NAME_BYTES = 20
MOST_COPIED_BYTES = 200 * 1024**2
LONGEST_SHOWN = 60


def store_media(campaign: Campaign, rows: Iterable[MediaRow], stored: list[str]) -> dict[int, int]:
    """Keep checked files under drawn names; the ids of their rows, by number."""
    ids = {}
    for row in rows:
        with row.content.open("rb") as content:
            media = _stored(File(content), stored)
        media.campaign, media.path, media.sha256 = campaign, row.path, row.sha256
        media.kind, media.media_type = row.kind, row.media_type
        media.size, media.seconds = row.size, row.seconds
        media.save()
        ids[row.number] = media.pk
    return ids


def _stored(content: File[bytes], stored: list[str]) -> MediaFile:
    name = secrets.token_hex(NAME_BYTES)
    place = default_storage.save(f"{FOLDER}/{name}", content)
    stored.append(place)
    return MediaFile(name=name, stored=place)


def copy_media(source: Campaign, target: Campaign, stored: list[str]) -> dict[int, int]:
    """Copy the files under new names; map old ids to new ones.

    Raises
    ------
    RefusedAction : together they are too large for a request
    """
    total = source.media_files.aggregate(total=Sum("size"))["total"] or 0
    if total > MOST_COPIED_BYTES:
        raise RefusedAction(
            _(
                "The pictures, sounds and films are larger than %(most)s MB. Duplicate the "
                "campaign without its material, then upload the files again."
            )
            % {"most": MOST_COPIED_BYTES // 1024**2}
        )
    ids = {}
    for media in source.media_files.order_by("pk"):
        with default_storage.open(media.stored) as content:
            copy = _stored(content, stored)
        for field in ("path", "sha256", "kind", "media_type", "size", "seconds"):
            setattr(copy, field, getattr(media, field))
        copy.campaign = target
        copy.save()
        ids[media.pk] = copy.pk
    return ids


def forget_media(campaign: Campaign) -> None:
    """Delete a draft's files, once nothing can bring their rows back."""
    places = list(campaign.media_files.values_list("stored", flat=True))
    campaign.media_files.all().delete()
    transaction.on_commit(partial(delete_files, places))


def problem_with_files(campaign: Campaign, definition: Definition) -> str:
    """Name the missing files, if the campaign shows files of its items or outputs."""
    items = Item.objects.filter(campaign=campaign, media=None).order_by("position")
    if definition.shows_files("input") and (item := items.first()):
        return _(
            "Item “%(item)s” has no picture, sound or film (%(count)s items have none). Upload the "
            "files in one zip with the table that names them."
        ) % {"item": item.key[:LONGEST_SHOWN], "count": items.count()}
    outputs = Output.objects.filter(item__campaign=campaign, media=None).order_by("pk")
    named = outputs.annotate(key=F("item__key"), by=F("system__name"))
    if definition.shows_files("outputs") and (output := named.first()):
        return _(
            "The output of “%(system)s” for item “%(item)s” has no picture, sound or film "
            "(%(count)s outputs have none). Upload the files in one zip with the table that names "
            "them."
        ) % {
            "system": output.by,
            "item": output.key[:LONGEST_SHOWN],
            "count": outputs.count(),
        }
    return ""
