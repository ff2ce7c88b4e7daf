"""Rating files of mt-metrics-eval: ends are exclusive, and Python's code points are counted.

A file `*.seg.rating` has a line for each system and segment: the system, a tab, the rating as JSON
or `None`, and often a tab and the rater. The n-th line of a system is its n-th segment. The
self-contained kind has one JSON object per line, with the texts. We call segments 1, 2, … in both.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.errors import TableError
from analysis.spans.jsontext import Record, json_records, read_json_value
from analysis.spans.marking import OWN_NAMES, own_cells, own_parts, placed
from analysis.spans.model import (
    OUTPUT,
    SOURCE,
    Mark,
    MarkedOutput,
    Problems,
    SpanTable,
    check_unique,
)

NOBODY = "rater"
NO_PLACE = -1
NO_ERROR = "no-error"
# Segments are lines: a file for item 10,000 of two would be full of `None`.
LARGEST_GAP = 100


def is_mtme(first_line: str) -> bool:
    """Recognise a `*.seg.rating` file.

    Parameters
    ----------
    first_line : of the file
    """
    _, tab, rest = first_line.partition("\t")
    return bool(tab) and (rest.startswith("{") or rest.split("\t")[0].strip() == "None")


# --- reading ---------------------------------------------------------------------------------


def read_mtme(text: str) -> SpanTable:
    """Read a rating file, of either kind.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs; segments without a rating (`None`) are left out. A `*.seg.rating` file has
    no texts, unless we wrote it.

    Raises
    ------
    TableError : every problem with its line

    Source
    ------
    github.com/google-research/mt-metrics-eval, `ratings.py` and `standalone_ratings.py`
    """
    problems = Problems()
    outputs, places = [], []
    rows = _standalone(text, problems) if text.lstrip()[:1] == "{" else _by_line(text, problems)
    for record, system, item, rater in rows:
        outputs.append(_output(record, system, item, rater))
        places.append(record.place)
    check_unique(outputs, places, problems)
    problems.refuse()
    return SpanTable(tuple(outputs), "mtme")


def _by_line(text: str, problems: Problems) -> Iterator[tuple[Record, str, str, str]]:
    segments: dict[str, int] = defaultdict(int)
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.strip().split("\t")
        if cells == [""]:
            continue
        if len(cells) not in (2, 3):
            problems.add(
                f"Line {number}", f"{len(cells)} cells, not a system, a rating and a rater."
            )
            continue
        system, rating, rater = (*cells, NOBODY)[:3]
        segments[system] += 1
        if rating != "None":
            record = Record(read_json_value(rating, number), f"Line {number}, rating", problems)
            yield record, system, record.text("item") or str(segments[system]), rater


def _standalone(text: str, problems: Problems) -> Iterator[tuple[Record, str, str, str]]:
    for place, value in json_records(text):
        record = Record(value, place, problems)
        segment = record.whole("segment_id") if record.has("segment_id") else None
        item = record.text("item")
        if segment is None and not item:
            record.problem("segment_id", "this is missing.")
        rater = record.label("rater_id") if record.has("rater_id") else NOBODY
        yield record, record.label("system_id"), item or str((segment or 0) + 1), rater


OUTPUT_NAMES = (
    "errors", "source", "hypothesis", "document_id", "segment_id", "system_id",
    "rater_id", "item", "score", "extra",
)  # fmt: skip


def _output(record: Record, system: str, item: str, rater: str) -> MarkedOutput:
    output = record.text("hypothesis") if record.has("hypothesis") else None
    source = record.text("source") or None
    marks = (_mark(error, output, source) for error in record.records("errors"))
    return MarkedOutput(
        rater,
        system,
        item,
        tuple(mark for mark in marks if mark.severity.casefold() != NO_ERROR),
        output,
        source,
        record.text("document_id"),
        record.number("score"),
        record.rest(*OUTPUT_NAMES) | record.record("extra").parts,
    )


ERROR_NAMES = (
    "start", "end", "category", "severity", "score", "is_source_error", "text",
    *OWN_NAMES,
)  # fmt: skip


def _mark(record: Record, output: str | None, source: str | None) -> Mark:
    own = own_parts(record)
    own["side"] = SOURCE if record.flag("is_source_error") else OUTPUT
    own["extra"] = record.rest(*ERROR_NAMES) | own["extra"]
    if record.has("score"):
        own["extra"] |= {"score": record.number("score")}
    start, end = record.whole("start"), record.whole("end")
    if start == end == NO_PLACE:
        start = end = None
    text = record.text("text") if record.has("text") else None
    where = placed(record, start, end, text, source if own["side"] == SOURCE else output)
    return Mark(*where, record.text("severity"), record.text("category"), **own)


# --- writing ---------------------------------------------------------------------------------


def write_mtme(table: SpanTable) -> list[str]:
    """Write `*.seg.rating` files: one for each time that an output was judged.

    Parameters
    ----------
    table : marked outputs

    Returns
    -------
    The content of each file; a line can hold one rater's errors only, so the second rater of any
    output needs a second file. Read together they give equal marked outputs.

    Raises
    ------
    TableError : a system or rater whose name has a tab or a line break
    """
    _check_names(table)
    rounds: list[dict[tuple[str, str], MarkedOutput]] = []
    times: dict[tuple[str, str], int] = defaultdict(int)
    for each in table.outputs:
        which = times[each.system, each.item]
        times[each.system, each.item] += 1
        if which == len(rounds):
            rounds.append({})
        rounds[which][each.system, each.item] = each
    items = _items_by_line(list(dict.fromkeys(each.item for each in table.outputs)))
    systems = sorted({each.system for each in table.outputs})
    return ["".join(_rating_lines(judged, systems, items)) for judged in rounds]


def _check_names(table: SpanTable) -> None:
    names = {each.system for each in table.outputs} | {each.rater for each in table.outputs}
    bad = sorted(name for name in names if name != name.strip() or set(name) & set("\t\n\r"))
    if bad:
        raise TableError([f"The name {name!r} cannot be written in a line." for name in bad])


def _items_by_line(items: Sequence[str]) -> list[str | None]:
    """Return the item of each line: by number where all items are numbers, else by appearance."""
    numbers = {int(item): item for item in items if item.isascii() and item.isdigit()}
    by_number = {number: item for number, item in numbers.items() if str(number) == item}
    last = max(by_number, default=0)
    if len(by_number) < len(items) or 0 in by_number or last > LARGEST_GAP * len(items):
        return list(items)
    return [by_number.get(number) for number in range(1, last + 1)]


def _rating_lines(
    judged: dict[tuple[str, str], MarkedOutput], systems: list[str], items: list[str | None]
) -> Iterator[str]:
    for system in systems:
        for number, item in enumerate(items, start=1):
            each = judged.get((system, item)) if item is not None else None
            if each is None:
                yield f"{system}\tNone\n"
            else:
                own = {} if each.item == str(number) else {"item": each.item}
                rating = json.dumps({**_rating(each), **own}, allow_nan=False)
                yield f"{system}\t{rating}\t{each.rater}\n"


def write_standalone(table: SpanTable) -> str:
    """Write the self-contained kind of rating file.

    Parameters
    ----------
    table : marked outputs, all with their text

    Returns
    -------
    The file's content, which `read_mtme` reads back to equal marked outputs.

    Raises
    ------
    TableError : an output has no text
    """
    problems = Problems()
    lines = []
    appearing = list(dict.fromkeys(each.item for each in table.outputs))
    items = {item: at for at, item in enumerate(_items_by_line(appearing)) if item}
    for each in table.outputs:
        if each.output is None:
            problems.add(f"System {each.system}, item {each.item}", "the text is not known.")
        segment = items[each.item]
        rating = {
            "source": "",
            **_rating(each),
            "segment_id": segment,
            "system_id": each.system,
            "rater_id": each.rater,
            **({} if each.item == str(segment + 1) else {"item": each.item}),
        }
        lines.append(f"{json.dumps(rating, allow_nan=False)}\n")
    problems.refuse()
    return "".join(lines)


def _rating(each: MarkedOutput) -> dict[str, Any]:
    parts = {
        "source": each.source,
        "hypothesis": each.output,
        "document_id": each.document or None,
        "score": each.score,
        "extra": dict(each.extra) or None,
    }
    return {
        "errors": [_error(mark) for mark in each.marks],
        **{name: part for name, part in parts.items() if part is not None},
    }


def _error(mark: Mark) -> dict[str, Any]:
    own = own_cells(mark)
    own.pop("side", None)
    extra = dict(own.pop("extra", {}))
    score = extra.pop("score", None)
    return {
        "start": NO_PLACE if mark.start is None else mark.start,
        "end": NO_PLACE if mark.end is None else mark.end,
        "category": mark.category or None,
        "severity": mark.severity or None,
        "score": score,
        "is_source_error": mark.side == SOURCE,
        **({"text": mark.text} if mark.text else {}),
        **own,
        **({"extra": extra} if extra else {}),
    }
