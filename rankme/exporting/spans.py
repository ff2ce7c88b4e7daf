"""Marked errors in the files of other tools, with the texts that they are in."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, replace
from typing import Any

from analysis.errors import AnalysisError
from analysis.spans.files import WRITERS
from analysis.spans.judged import read_cell
from analysis.spans.model import MarkedOutput, SpanTable
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.protocols.files import stored_definition
from rankme.queries.counting import ANALYSED
from rankme.queries.sql import rows_of
from rankme.queries.watching.own_words import text_with_words

from .files import CSV, JSON_LINES, ZIP, ExportedFile

TSV = "text/tab-separated-values; charset=utf-8"


@dataclass(frozen=True)
class SpanForm:
    """A form of `analysis.spans.files` as a download: what organisers call it, and its file."""

    title: str
    ending: str
    media_type: str


FORMS = {
    "google": SpanForm("Google MQM (TSV)", "tsv", TSV),
    "mtme": SpanForm("MTME (seg.rating)", "seg.rating", TSV),
    "pearmut": SpanForm("Pearmut (JSON lines)", "pearmut.jsonl", JSON_LINES),
    "factgenie": SpanForm("factgenie (JSON lines)", "factgenie.jsonl", JSON_LINES),
    "json": SpanForm("JSON lines", "jsonl", JSON_LINES),
    "csv": SpanForm("CSV", "csv", CSV),
}
# The newest last.
MARKED = f"""
    SELECT p.label, sy.name, i.key, o.text, i.input, i.factors->>'document', j.text, scored.value,
        j.position, w.words
    FROM rankme_submission s
    JOIN rankme_assignment a ON a.id = s.assignment_id
    JOIN rankme_participant p ON p.id = a.participant_id
    JOIN rankme_judgement j ON j.submission_id = s.id
    JOIN rankme_output o ON o.id = j.output_id
    JOIN rankme_system sy ON sy.id = o.system_id
    JOIN rankme_item i ON i.id = o.item_id
    LEFT JOIN rankme_submissionwords w ON w.submission_id = s.id
    LEFT JOIN rankme_judgement scored ON scored.submission_id = s.id
        AND scored.output_id = j.output_id AND scored.criterion_id = %s
    WHERE a.campaign_id = %s AND j.criterion_id = %s AND ({ANALYSED})
    ORDER BY i.position, sy.position, j.id"""


def marking_criteria(campaign: Campaign) -> list[str]:
    """The criteria whose answers are marks in the texts."""
    criteria = stored_definition(campaign.definition).criteria
    return [each.name for each in criteria if each.tool.marks_outputs]


def span_table(campaign: Campaign, criterion: str) -> SpanTable:
    """The marks of a criterion with their texts; a rater's last word on an output counts."""
    if not criterion:
        return SpanTable(())
    ids = dict(campaign.criteria.values_list("name", "id"))
    rows = rows_of(MARKED, [ids.get(f"{criterion}_score"), campaign.pk, ids[criterion]])
    found = {each.key: each for each in (_marked(row, criterion) for row in rows)}
    return SpanTable(tuple(found.values()), "judgements")


def _marked(row: tuple[Any, ...], criterion: str) -> MarkedOutput:
    rater, system, item, output, source, document, kept, score, position, words = row
    kept = text_with_words(kept, json.loads(words or "[]"), criterion, position)
    return replace(
        read_cell(kept),
        rater=rater,
        system=system,
        item=item,
        output=output or None,
        source=source or None,
        document=document or "",
        score=score,
    )


def spans_file(campaign: Campaign, criterion: str, form: str) -> ExportedFile | None:
    """The marks in a form of another tool; None where there is no such criterion or form.

    Raises
    ------
    RefusedAction : the form cannot hold these marks
    """
    known = marking_criteria(campaign)
    criterion = criterion or next(iter(known), "")
    # Where nobody marks anything, and no criterion is named, the file is empty.
    if form not in FORMS or (criterion and criterion not in known):
        return None
    chosen = FORMS[form]
    try:
        written = WRITERS[form](span_table(campaign, criterion))
    except AnalysisError as error:
        raise RefusedAction(str(error)) from error
    name = f"{campaign.code}-{criterion or 'marks'}.{chosen.ending}"
    if isinstance(written, str) or len(written) == 1:
        content = written if isinstance(written, str) else written[0]
        return ExportedFile(name, chosen.media_type, content.encode())
    return ExportedFile(f"{name}.zip", ZIP, _zipped(name, written))


def _zipped(name: str, contents: list[str]) -> bytes:
    """A form that holds one rater per file: `x.seg.rating` becomes `x.1.seg.rating`, …"""
    stem, _dot, ending = name.partition(".")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents, start=1):
            archive.writestr(f"{stem}.{number}.{ending}", content)
    return packed.getvalue()
