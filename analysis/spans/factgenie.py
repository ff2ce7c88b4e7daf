"""factgenie's records: an annotation is a start and a text, and its end follows from both.

A browser counts the start in UTF-16 units; an annotation by a language model is found by Python,
which counts code points. If the two differ, the offset at which the text is found counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.spans.jsontext import Record, plain_json, table_of_records
from analysis.spans.marking import OWN_NAMES, own_cells, own_parts, placed
from analysis.spans.model import SOURCE, Mark, MarkedOutput, MarkError, Problems, SpanTable
from analysis.spans.offsets import from_utf16, to_utf16

NOBODY = "rater"
# What factgenie requires and we do not use.
DATASET, SPLIT = "spans", "test"
# In the metadata of a record that we wrote.
OUR_NAMES = ("item", "document", "source", "score")
RECORD_NAMES = ("annotations", "output", "metadata", "setup_id", "setup", "extra")
PLACEHOLDERS = ("dataset", "split", "example_idx")
# What a rater answered besides marking: a list each, mostly empty.
ANSWERS = ("flags", "options", "text_fields")
ANNOTATION_NAMES = ("type", "text", "start", "reason", "severity", "placed", *OWN_NAMES)


def is_factgenie(record: dict[str, Any]) -> bool:
    """Recognise the first record of one of factgenie's files.

    Parameters
    ----------
    record : its JSON
    """
    return "annotations" in record and "example_idx" in record


# --- reading ---------------------------------------------------------------------------------


def read_factgenie(text: str) -> SpanTable:
    """Read the records of a campaign (`files/*.jsonl`).

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs. Categories are named where the record's metadata name them, else they are
    numbers. Older records have no output: starts are then taken for code points as they are.

    Raises
    ------
    TableError : every problem with its line

    Source
    ------
    github.com/ufal/factgenie, factgenie/workflows.py and factgenie/crowdsourcing.py
    """
    return table_of_records(text, _output, "factgenie")


def _output(record: Record) -> MarkedOutput:
    metadata = record.record("metadata")
    is_ours = metadata.has("item")
    output = record.text("output") if record.has("output") else None
    source = metadata.text("source") or None
    names = [name.text("name") for name in metadata.records("annotation_span_categories")]
    marks = (_mark(each, names, output, source) for each in record.records("annotations"))
    return MarkedOutput(
        _rater(record, metadata),
        _system(record),
        metadata.label("item") if is_ours else _item(record),
        tuple(marks),
        output,
        source,
        metadata.text("document"),
        metadata.number("score"),
        _extra(record, metadata, is_ours),
    )


def _rater(record: Record, metadata: Record) -> str:
    for part in (metadata, record):
        for name in ("annotator_id", "annotator_group"):
            if part.has(name):
                return part.label(name)
    return NOBODY


def _system(record: Record) -> str:
    return (
        record.label("setup_id") if record.has("setup_id") else record.record("setup").label("id")
    )


def _item(record: Record) -> str:
    for name in ("dataset", "split"):
        record.text(name)
    record.label("example_idx")
    return _example(record.parts)


def _example(parts: Mapping[str, Any]) -> str:
    """Return the name of an item, by which factgenie knows it."""
    return "/".join(str(parts[name]) for name in PLACEHOLDERS if parts.get(name) is not None)


def _extra(record: Record, metadata: Record, is_ours: bool) -> dict[str, Any]:
    known = (*RECORD_NAMES, *(PLACEHOLDERS if is_ours else ()))
    rest = record.rest(*known)
    for name in ANSWERS:
        if rest.get(name) == []:
            del rest[name]
    if not metadata.has("annotator_id"):
        rest.pop("annotator_id", None)
    said = metadata.rest(*OUR_NAMES, "annotator_id")
    categories = said.get("annotation_span_categories")
    if isinstance(categories, list) and all(
        isinstance(each, dict) and set(each) == {"name"} for each in categories
    ):
        said.pop("annotation_span_categories")
    setup = {"setup": record.parts["setup"]} if record.has("setup") else {}
    return rest | setup | ({"metadata": said} if said else {}) | record.record("extra").parts


def _mark(record: Record, names: Sequence[str], output: str | None, source: str | None) -> Mark:
    own = own_parts(record)
    own["note"] = own["note"] or record.text("reason")
    own["extra"] = record.rest(*ANNOTATION_NAMES) | own["extra"]
    text = record.text("text")
    whole = source if own["side"] == SOURCE else output
    start = end = None
    if record.parts.get("placed") is not False:
        start = record.whole("start")
        if start is not None:
            start = _start(start, text, whole)
            end = start + len(text)
    where = placed(record, start, end, text, whole)
    return Mark(*where, record.text("severity"), _category(record, names), **own)


def _start(start: int, text: str, whole: str | None) -> int:
    """Return a start in code points, converted from a browser's offset if the text is there."""
    if whole is None or whole.isascii():
        return start
    try:
        place = from_utf16(whole, start)
    except MarkError:
        return start
    return place if whole.startswith(text, place) else start


def _category(record: Record, names: Sequence[str]) -> str:
    if not record.has("type"):
        return ""
    label = record.label("type")
    is_named = label.isascii() and label.isdigit() and int(label) < len(names)
    return names[int(label)] if is_named else label


# --- writing ---------------------------------------------------------------------------------


def write_factgenie(table: SpanTable) -> str:
    """Write records as factgenie's page for raters does.

    Parameters
    ----------
    table : marked outputs, all with their text

    Returns
    -------
    The file's content, which `read_factgenie` reads back to equal marked outputs.

    Raises
    ------
    TableError : an output has no text
    """
    problems = Problems()
    examples: dict[str, int] = {}
    lines = []
    categories = sorted({mark.category for each in table.outputs for mark in each.marks} - {""})
    for each in table.outputs:
        if each.output is None:
            problems.add(f"System {each.system}, item {each.item}", "the text is not known.")
            continue
        number = examples.setdefault(each.item, len(examples))
        lines.append(f"{plain_json(_record(each, number, categories))}\n")
    problems.refuse()
    return "".join(lines)


def _record(each: MarkedOutput, number: int, categories: list[str]) -> dict[str, Any]:
    rest = dict(each.extra)
    said = dict(rest.pop("metadata", {}))
    listed = said.pop("annotation_span_categories", [])
    known = [str(category.get("name", "")) for category in listed if isinstance(category, dict)]
    listed = [*listed, *({"name": name} for name in categories if name not in known)]
    names = [*known, *(name for name in categories if name not in known)]
    is_named = _example(rest) == each.item
    ours = {
        "item": None if is_named else each.item,
        "document": each.document or None,
        "source": each.source,
        "score": each.score,
    }
    return {
        "annotations": [_annotation(mark, each, names) for mark in each.marks],
        **{name: [] for name in ANSWERS},
        "output": each.output,
        "metadata": {
            "annotator_id": each.rater,
            **({"annotation_span_categories": listed} if listed else {}),
            **{name: part for name, part in ours.items() if part is not None},
            **said,
        },
        **{"dataset": DATASET, "split": SPLIT, "setup_id": each.system, "example_idx": number},
        **rest,
    }


def _annotation(mark: Mark, each: MarkedOutput, names: Sequence[str]) -> dict[str, Any]:
    own = own_cells(mark)
    note, extra = own.pop("note", ""), own.pop("extra", {})
    text = each.text_of(mark.side)
    start = mark.start if text is None or mark.start is None else to_utf16(text, mark.start)
    return {
        **({"type": names.index(mark.category)} if mark.category else {}),
        "text": mark.text,
        "start": start or 0,
        **({"reason": note} if note else {}),
        **({"severity": mark.severity} if mark.severity else {}),
        **({"placed": False} if mark.start is None else {}),
        **own,
        **({"extra": extra} if extra else {}),
    }
