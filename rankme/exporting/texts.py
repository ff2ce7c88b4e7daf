"""Export texts that raters wrote, with their writers or in the form of the E2E data (mr, ref)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from analysis.table_files import guarded
from rankme.models import Campaign
from rankme.protocols.files import stored_definition
from rankme.queries.counting import ANSWERS, COUNTED

from .files import CSV, ExportedFile

LINES_PER_PART = 500


@dataclass(frozen=True)
class Text:
    """One text that counts; those of excluded raters are marked, and withdrawn ones left out."""

    item: str
    input: str
    criterion: str
    text: str
    rater: str
    excluded: bool
    shown_as: str  # "pictures" or "words", where the campaign shows both


# A shape of the file: its columns, and the cells of a text, or None where it is left out.
Cells = Callable[[Text], Sequence[str] | None]
SHAPES: dict[str, tuple[Sequence[str], Cells]] = {
    "long": (
        ("item", "mr", "criterion", "text", "rater", "excluded", "shown_as"),
        lambda text: (
            *(text.item, text.input, text.criterion, text.text, text.rater),
            *(str(int(text.excluded)), text.shown_as),
        ),
    ),
    "e2e": (("mr", "ref"), lambda text: None if text.excluded else (text.input, text.text)),
}


# Personal texts are kept apart from the judgements.
TEXTS = f"""
    SELECT i.key, i.input, c.name, COALESCE(NULLIF(j.text, ''), btrim(own.text)), p.label,
        e.id IS NOT NULL, COALESCE(i.factors ->> 'shown_as', '')
    {ANSWERS}
    LEFT JOIN LATERAL (
        SELECT word ->> 'text' AS text
        FROM rankme_submissionwords kept, jsonb_array_elements(kept.words) AS word
        WHERE kept.submission_id = s.id AND word ->> 'criterion' = c.name
            AND (word ->> 'place')::int IS NOT DISTINCT FROM j.position
    ) AS own ON TRUE
    LEFT JOIN rankme_raterexclusion e
        ON e.participant_id = p.id AND e.withdrawn_at IS NULL
    WHERE a.campaign_id = %s AND c.name = ANY(%s)
        AND COALESCE(NULLIF(j.text, ''), own.text, '') <> '' AND ({COUNTED})
        AND e.by_rater IS NOT TRUE
    ORDER BY i.position, j.id"""


def texts_of(campaign: Campaign) -> Iterator[Text]:
    """The texts that count, by item and in the order in which they came."""
    with connection.cursor() as cursor:
        cursor.execute(TEXTS, [campaign.pk, _asked(campaign)])
        while rows := cursor.fetchmany(LINES_PER_PART):
            yield from (Text(*row) for row in rows)


def asks_for_texts(campaign: Campaign) -> bool:
    return bool(_asked(campaign))


def _asked(campaign: Campaign) -> list[str]:
    """The criteria that are answered in words, as the campaign's file has them."""
    kinds = stored_definition(campaign.definition).kinds
    return [name for name, kind in kinds.items() if kind == "text"]


def texts_csv(campaign: Campaign, shape: str) -> Iterator[bytes]:
    """The data set in parts; a text that a spreadsheet would run has a ' before it."""
    header, cells = SHAPES[shape]
    rows = (found for text in texts_of(campaign) if (found := cells(text)) is not None)
    return _parts(header, ([guarded(cell) for cell in row] for row in rows))


def _parts(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    for number, row in enumerate(rows, start=1):
        writer.writerow(row)
        if number % LINES_PER_PART == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def texts_file(campaign: Campaign, shape: str) -> ExportedFile:
    name = f"{campaign.code}-{'texts' if shape == 'long' else 'mr-ref'}.csv"
    return ExportedFile(name, CSV, texts_csv(campaign, shape))
