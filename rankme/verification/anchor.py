"""Reading the anchors of a campaign: those of its analyses, and those from files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankme.exporting.anchor import FILE_NAME
from rankme.models import AnalysisRun, Campaign

LARGEST_ANCHOR = 200 * 2**20  # bytes: about a million sittings


class InvalidAnchor(ValueError):
    """A file is not an anchor."""


@dataclass
class Anchors:
    """Chain hashes that earlier checks of a campaign saw, by chain and length."""

    sittings: dict[int, dict[int, str]] = field(default_factory=dict)
    audit: dict[int, str] = field(default_factory=dict)

    def add(self, anchor: Mapping[str, Any]) -> None:
        for sitting, length, last in anchor["sittings"]:
            self.sittings.setdefault(int(sitting), {})[int(length)] = str(last)
        for length, last in anchor["audit_events"]:
            self.audit[int(length)] = str(last)


def read_anchor(path: Path) -> dict[str, Any]:
    """Read an anchor from its file, or from the bundle of an analysis.

    Raises
    ------
    InvalidAnchor : the file is neither
    """
    try:
        content = _content(path)
        anchor: dict[str, Any] = json.loads(content)
        Anchors().add(anchor)
        str(anchor["campaign"])
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise InvalidAnchor(
            f"{path} is neither an {FILE_NAME} nor a bundle that contains one."
        ) from error
    return anchor


def _content(path: Path) -> bytes:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as bundle, bundle.open(FILE_NAME) as file:
            content = file.read(LARGEST_ANCHOR + 1)
    else:
        with path.open("rb") as file:
            content = file.read(LARGEST_ANCHOR + 1)
    if len(content) > LARGEST_ANCHOR:
        raise InvalidAnchor(f"{path} is larger than any anchor.")
    return content


def anchors_of(campaign: Campaign, given: Iterable[Mapping[str, Any]]) -> Anchors:
    """The anchors of the campaign's analyses, and those that were given."""
    anchors = Anchors()
    runs = AnalysisRun.objects.filter(campaign=campaign, anchor__isnull=False).order_by("id")
    stored = runs.values_list("anchor", flat=True).iterator(chunk_size=1)
    for anchor in filter(None, stored):
        anchors.add(anchor)
    for anchor in given:
        if anchor["campaign"] == campaign.code:
            anchors.add(anchor)
    return anchors
