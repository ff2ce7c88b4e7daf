"""Check that media exist and are unchanged."""

from __future__ import annotations

import hashlib

from django.core.files.storage import default_storage

from rankme.models import Campaign, MediaFile

from .fault import Fault

CHUNK_BYTES = 1024**2


def check_media(campaign: Campaign) -> int:
    """Compare each file with its hash; returns how many there are."""
    checked = 0
    for media in campaign.media_files.order_by("pk").iterator():
        _check(media)
        checked += 1
    return checked


def _check(media: MediaFile) -> None:
    place = f"file {media.path}"
    digest = hashlib.sha256()
    try:
        with default_storage.open(media.stored) as content:
            while chunk := content.read(CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise Fault(place, "it is missing in the storage.") from error
    if digest.hexdigest() != media.sha256:
        raise Fault(place, "it does not match its hash.")
