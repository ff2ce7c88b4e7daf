"""Answers of raters who could not judge, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from rankme.models import Campaign
from rankme.queries.cannot_judge import declined_of

from .files import CSV, ExportedFile, csv_line

COLUMNS = ("criterion", "system", "item", "rater", "reason", "version", "excluded")


def declined_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each such answer that counts; the reason is its name in the campaign file."""
    yield csv_line(COLUMNS)
    for answer in declined_of(campaign):
        yield csv_line(
            (
                *(answer.criterion, answer.system, answer.item, answer.rater, answer.reason),
                *(answer.version, int(answer.excluded)),
            )
        )


def declined_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-cannot-judge.csv", CSV, declined_csv(campaign))
