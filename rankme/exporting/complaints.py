"""Export reported problems with items as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from rankme.models import Campaign
from rankme.protocols.files import stored_definition
from rankme.queries.complaints import complaints_of

from .files import CSV, ExportedFile, csv_line

COLUMNS = ("item", "screen", "rater", "text", "received_at", "dealt_with_at", "is_check")


def complaints_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each report; the item is empty for a practice example."""
    yield csv_line(COLUMNS)
    screens = [screen.name for screen in stored_definition(campaign.definition).screens]
    for complaint in complaints_of(campaign).iterator():
        dealt_with = complaint.dealt_with_at.isoformat() if complaint.dealt_with_at else ""
        yield csv_line(
            (
                complaint.trial.item.key if complaint.trial else "",
                screens[complaint.screen],
                complaint.participant.label,
                complaint.text,
                complaint.received_at.isoformat(),
                dealt_with,
                int(getattr(complaint.trial, "as_check", None) is not None),
            )
        )


def complaints_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-problems.csv", CSV, complaints_csv(campaign))
