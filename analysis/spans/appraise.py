"""Appraise's export of a campaign with error marks (ESA and MQM): a table without headings.

`ExportSystemScoresToCSV` writes a row for each answer. The texts are not in it. A row's marks are a
JSON list; `start_i` and `end_i` count UTF-16 units of the output without the white space around
it, both inclusive, and both are "missing" for what is absent from the output.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from analysis.errors import TableError
from analysis.spans.jsontext import Record, read_json_value, read_number
from analysis.spans.model import Mark, MarkedOutput, Problems, SpanTable, short

COLUMNS = (
    "rater", "system", "item", "type", "source_language", "target_language", "score", "document",
    "is_whole_document", "marks", "start_time", "end_time", "batch", "batch_item",
)  # fmt: skip
WIDTHS = (12, 14)  # with --batch-info
CODE_LENGTH = 3  # of a language
JUDGED = "TGT"  # the other types are checks with damaged outputs, and references
NO_PLACE = "missing"
NO_SEVERITY = "undecided"  # where the rater chose no severity; Appraise itself takes these away
# Documents of the campaign's own, and those that only fill a rater's share (tools.py of WMT 24).
PRACTICE, FILLERS = "tutorial", ("#dup", "#incomplete")
MARK_NAMES = ("start_i", "end_i", "severity", "error_type")

Row = dict[str, str]


def is_appraise(cells: Sequence[str]) -> bool:
    """Recognise a row of the export.

    Parameters
    ----------
    cells : of the first line
    """
    return (
        len(cells) in WIDTHS
        and cells[3].isupper()
        and all(len(code) == CODE_LENGTH and code.islower() for code in cells[4:6])
        and cells[8] in ("True", "False")
        and cells[9].startswith("[")
    )


def read_appraise(text: str) -> SpanTable:
    """Read the export.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs. An item's name has its pair of languages, its document and its segment,
    because segments count from 0 in each document or test set. Checks, tutorials, scores of whole
    documents and documents that only fill a rater's share are left out. A later answer of a rater
    replaces the earlier one. Scores that are all zero are those of MQM, which asks for none.

    Raises
    ------
    TableError : every problem with its line

    Source
    ------
    github.com/AppraiseDev/Appraise, direct_assessment_document.py (`get_system_data`) and
    direct-assessment-document-mqm-esa.js; what counts: `load_data` in humeval/tools.py of
    github.com/wmt-conference/wmt24-news-systems
    """
    problems = Problems()
    latest: dict[tuple[str, str, str], tuple[float, MarkedOutput]] = {}
    left_out = replaced = undecided = 0
    for place, row in _rows(text, problems):
        if not _counts(row):
            left_out += 1
            continue
        each, dropped = _output(row, place, problems)
        time = read_number(row["end_time"])[0] or 0.0
        undecided += dropped
        replaced += each.key in latest
        if each.key not in latest or time >= latest[each.key][0]:
            latest[each.key] = time, each
    problems.refuse()
    outputs = _without_constants([each for _, each in latest.values()])
    return SpanTable(tuple(outputs), "appraise", tuple(_notes(left_out, replaced, undecided)))


def item_name(source: str, target: str, document: str, segment: str) -> str:
    """Name an item by all of where it is: segments count from 0 in each document or test set.

    Parameters
    ----------
    source, target : codes of the pair of languages
    document : empty where a campaign has none
    segment : its number
    """
    return "/".join([f"{source}-{target}", *([document] if document else []), segment])


def _notes(left_out: int, replaced: int, undecided: int) -> Iterator[str]:
    if left_out:
        yield (
            f"Rows left out: {left_out} (checks, tutorials, scores of whole documents, and "
            f"documents that only fill a rater's share: {', '.join(FILLERS)})."
        )
    if replaced:
        yield f"Answers replaced by a later one of the same rater: {replaced}."
    if undecided:
        yield f"Marks left out for want of a severity, as Appraise does: {undecided}."


def _rows(text: str, problems: Problems) -> Iterator[tuple[str, Row]]:
    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        for cells in lines:
            place = f"Line {lines.line_num}"
            if len(cells) in WIDTHS:
                yield place, dict(zip(COLUMNS, cells, strict=False))
            elif cells:
                problems.add(place, f"{len(cells)} cells, not {' or '.join(map(str, WIDTHS))}.")
    except csv.Error as error:
        raise TableError([f"Line {lines.line_num}: {error}."]) from error


def _counts(row: Row) -> bool:
    document = row["document"]
    return (
        row["type"] == JUDGED
        and row["is_whole_document"] == "False"
        and PRACTICE not in document
        and not any(each in document for each in FILLERS)
    )


def _output(row: Row, place: str, problems: Problems) -> tuple[MarkedOutput, int]:
    """Return a marked output, and how many marks it has without a severity."""
    languages = f"{row['source_language']}-{row['target_language']}"
    score, problem = read_number(row["score"])
    if problem:
        problems.add(f"{place}, score", problem)
    for name in ("rater", "system", "item"):
        if not row[name].strip():
            problems.add(f"{place}, {name}", "the name is empty.")
    given = Record({"marks": read_json_value(row["marks"], int(place.split()[1]))}, place, problems)
    marks = [_mark(record) for record in given.records("marks")]
    decided = tuple(mark for mark in marks if mark.severity != NO_SEVERITY)
    output = MarkedOutput(
        row["rater"],
        row["system"],
        item_name(row["source_language"], row["target_language"], row["document"], row["item"]),
        decided,
        document=row["document"],
        score=score,
        extra={"languages": languages},
    )
    return output, len(marks) - len(decided)


def _mark(record: Record) -> Mark:
    kinds = record.parts.get("error_type") or []
    if not isinstance(kinds, list):
        record.problem("error_type", f"{short(kinds)} is not a list.")
        kinds = []
    kind = "/".join(map(str, kinds))
    extra: dict[str, Any] = record.rest(*MARK_NAMES)
    severity = record.text("severity")
    if record.parts.get("start_i") == NO_PLACE:
        return Mark(None, None, severity=severity, category=kind, missing=True, extra=extra)
    first, last = record.whole("start_i"), record.whole("end_i")
    if first is None or last is None:
        return Mark(None, None, severity=severity, category=kind, extra=extra)
    if not 0 <= first <= last:
        record.problem("end_i", f"there is no mark from {first} to {last}.")
    return Mark(first, last + 1, severity=severity, category=kind, extra=extra)


def _without_constants(outputs: list[MarkedOutput]) -> list[MarkedOutput]:
    """Take away what says nothing: the one pair of languages, and scores that nobody gave."""
    if len({each.extra["languages"] for each in outputs}) == 1:
        outputs = [replace(each, extra={}) for each in outputs]
    if any(each.score for each in outputs):
        return outputs
    return [replace(each, score=None) for each in outputs]
