"""Google's MQM table: one row per error, the marked text between `<v>` and `</v>`.

The columns are those of github.com/google/wmt-mqm-human-evaluation. Cells are neither quoted nor
escaped there, so a tab, a line break or a literal `<v>` has no place in them: where a text has one,
we write a further column `escaped`, and backslashes before them. What else the table has no column
for (time, score, …) gets our own column. Readers that know the columns by name ignore them all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.spans.jsontext import json_object, read_number
from analysis.spans.model import OUTPUT, SOURCE, Mark, MarkedOutput, Problems, SpanTable, short

# Ours: the names that Google's files have used.
NAMES: dict[str, tuple[str, ...]] = {
    "system": ("system",),
    "document": ("doc",),
    "doc_id": ("doc_id", "docSegId"),
    "item": ("seg_id", "globalSegId"),
    "rater": ("rater",),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
    "note": ("comment",),
}
OPTIONAL = {"document", "doc_id", "note"}
OUR_COLUMNS = ("missing", "time", "score", "extra", "output_extra", "escaped")
NO_ERROR = "No-error"
TAG = re.compile(r"(</?v>)")
ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "<": "\\x3c"}
ESCAPED = re.compile(r"\\(x3c|[tnr\\])")
UNESCAPED = {escape[1:]: letter for letter, escape in ESCAPES.items()}


def is_google(first_line: str) -> bool:
    """Recognise the header of Google's table.

    Parameters
    ----------
    first_line : of the file
    """
    names = first_line.rstrip("\r").split("\t")
    return "target" in names and "severity" in names


# --- reading ---------------------------------------------------------------------------------


@dataclass
class _Segment:
    """The rows read so far of one rater, system and item."""

    line: int
    rater: str
    system: str
    item: str
    document: str
    doc_id: str
    output: str
    source: str
    score: float | None
    extra: dict[str, Any]
    marks: list[Mark] = field(default_factory=list)


def read_google(text: str) -> SpanTable:
    """Read Google's table.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs in the order in which they first appear. A row whose severity is "No-error"
    says that the rater looked and found nothing. A row without `<v>` is an error without a place.

    Raises
    ------
    TableError : every problem with its line and column

    Source
    ------
    Freitag et al. (2021); github.com/google/wmt-mqm-human-evaluation, README
    """
    reader = _Reader()
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    reader.read_header(lines[0] if lines else "")
    for number, line in enumerate(lines[1:], start=2):
        reader.read_row(number, line)
    reader.problems.refuse()
    return reader.table()


class _Reader:
    def __init__(self) -> None:
        self.problems = Problems()
        self.segments: dict[tuple[str, ...], _Segment] = {}
        self.unclosed: list[int] = []
        self.place: dict[str, int] = {}
        self.others: dict[str, int] = {}
        self.width = 0
        self.ending = ""

    def read_header(self, line: str) -> None:
        self.ending = "\r" if line.endswith("\r") else ""
        names = line.removesuffix(self.ending).split("\t")
        self.width = len(names)
        for ours, theirs in NAMES.items():
            found = [names.index(name) for name in theirs if name in names]
            if found:
                self.place[ours] = found[0]
            elif ours not in OPTIONAL:
                self.problems.add("Line 1", f"there is no column {' or '.join(theirs)}.")
        self.problems.refuse()
        known = set(self.place.values())
        self.place |= {name: names.index(name) for name in OUR_COLUMNS if name in names}
        known |= set(self.place.values())
        self.others = {name: at for at, name in enumerate(names) if at not in known}

    def read_row(self, number: int, line: str) -> None:
        cells = line.removesuffix(self.ending).split("\t")
        if len(cells) != self.width:
            self.problems.add(
                f"Line {number}", f"{len(cells)} cells, but the header has {self.width}."
            )
            return
        row = {name: cells[at] for name, at in self.place.items()}
        row |= {name: "" for name in OPTIONAL - self.place.keys()}
        is_escaped = bool(row.get("escaped"))
        segment = self._segment(number, row, is_escaped)
        if segment is None:
            return
        others = {name: cells[at] for name, at in self.others.items() if cells[at]}
        if row["severity"].casefold() == NO_ERROR.casefold():
            said = {**others, **({"comment": row["note"]} if row["note"] else {})}
            segment.extra["no_error"] = _unescaped_cells(said, is_escaped)
        else:
            segment.marks.extend(self._marks(number, row, others, is_escaped))

    def _segment(self, number: int, row: Mapping[str, str], is_escaped: bool) -> _Segment | None:
        key = (row["rater"], row["system"], row["item"], row["document"])
        output, source = (_text(row[name], is_escaped) for name in ("target", "source"))
        known = self.segments.get(key)
        if known is not None:
            return self._same_text(number, known, output, source)
        for name in ("rater", "system", "item"):
            if not row[name].strip():
                self.problems.add(f"Line {number}, {NAMES[name][0]}", "the cell is empty.")
                return None
        row = _unescaped_cells(row, is_escaped)
        score, problem = read_number(row.get("score", ""))
        if problem:
            self.problems.add(f"Line {number}, score", problem)
        extra = self._extra(number, "output_extra", row)
        made = _Segment(
            number,
            row["rater"],
            row["system"],
            row["item"],
            row["document"],
            row["doc_id"],
            output,
            source,
            score,
            extra,
        )
        self.segments[key] = made
        return made

    def _same_text(self, number: int, known: _Segment, output: str, source: str) -> _Segment | None:
        """Rows of one segment may differ in the spaces at the end of a text, not in the text."""
        for name, before, now in (
            ("target", known.output, output),
            ("source", known.source, source),
        ):
            if now != before and now.rstrip() != before.rstrip():
                self.problems.add(
                    f"Line {number}, {name}",
                    f"the text {short(now)} is not that of line {known.line}: {short(before)}.",
                )
                return None
        known.output = max(known.output, output, key=len)
        known.source = max(known.source, source, key=len)
        return known

    def _extra(self, number: int, name: str, row: Mapping[str, str]) -> dict[str, Any]:
        found, problem = json_object(row.get(name, ""))
        if problem:
            self.problems.add(f"Line {number}, {name}", problem)
        return found

    def _marks(
        self, number: int, row: Mapping[str, str], others: Mapping[str, str], is_escaped: bool
    ) -> Iterator[Mark]:
        """Yield the places of one row: the first is the error, the others continue it."""
        names = _unescaped_cells(row, is_escaped)
        first = Mark(
            None,
            None,
            severity=names["severity"],
            category=names["category"],
            note=names["note"],
            missing=bool(row.get("missing")),
            time=names.get("time", ""),
            extra=_unescaped_cells(others, is_escaped) | self._extra(number, "extra", names),
        )
        places = [
            Mark(start, end, marked, side=side)
            for side, name in ((OUTPUT, "target"), (SOURCE, "source"))
            for start, end, marked in self._places(number, name, row[name], is_escaped)
        ]
        if not places:
            yield first
        for which, place in enumerate(places):
            each = replace(
                first, start=place.start, end=place.end, text=place.text, side=place.side
            )
            if which:
                each = replace(each, note="", time="", missing=False, extra={}, continues=True)
            yield each

    def _places(
        self, number: int, name: str, cell: str, is_escaped: bool
    ) -> Iterator[tuple[int, int, str]]:
        if "<v>" not in cell and "</v>" not in cell:
            return
        at, begun, marked = 0, None, ""
        for piece in TAG.split(cell):
            if piece == "<v>" and begun is None:
                begun, marked = at, ""
            elif piece == "</v>" and begun is not None:
                yield begun, at, marked
                begun = None
            elif TAG.fullmatch(piece):
                message = "<v> within <v>" if piece == "<v>" else "</v> without <v>"
                self.problems.add(f"Line {number}, {name}", f"{message} at character {at}.")
                return
            else:
                letters = _unescape(piece) if is_escaped else piece
                at += len(letters)
                marked += letters
        if begun is not None:
            self.unclosed.append(number)
            yield begun, at, marked

    def table(self) -> SpanTable:
        """Return all that was read, with items named so that no two documents share a name."""
        documents: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for segment in self.segments.values():
            documents[segment.item].add((segment.document, segment.doc_id))
        ambiguous = any(len(found) > 1 for found in documents.values())
        ranks = Ranks()
        outputs = []
        for segment in self.segments.values():
            item = f"{segment.document}/{segment.item}" if ambiguous else segment.item
            rank = ranks.of(segment.document, item)
            own = {"doc_id": segment.doc_id} if segment.doc_id not in ("", rank) else {}
            if not segment.marks and segment.extra.get("no_error") == {}:
                del segment.extra["no_error"]  # an output without marks says so itself
            outputs.append(
                MarkedOutput(
                    segment.rater,
                    segment.system,
                    item,
                    tuple(segment.marks),
                    segment.output,
                    segment.source or None,
                    segment.document,
                    segment.score,
                    {**own, **segment.extra},
                )
            )
        return SpanTable(tuple(outputs), "google", self._notes())

    def _notes(self) -> tuple[str, ...]:
        if not self.unclosed:
            return ()
        lines = ", ".join(map(str, self.unclosed[:5])) + (" …" if len(self.unclosed) > 5 else "")
        return (f"A <v> without </v> marks the rest of its text (line {lines}).",)


class Ranks:
    """The number of each item within its document, in order of appearance from 1."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, str]] = defaultdict(dict)

    def of(self, document: str, item: str) -> str:
        items = self._items[document]
        return items.setdefault(item, str(len(items) + 1))


def _text(cell: str, is_escaped: bool) -> str:
    plain = TAG.sub("", cell) if "v>" in cell else cell
    return _unescape(plain) if is_escaped else plain


def _unescape(cell: str) -> str:
    return ESCAPED.sub(lambda found: UNESCAPED[found[1]], cell)


def _unescaped_cells(cells: Mapping[str, str], is_escaped: bool) -> dict[str, str]:
    if not is_escaped:
        return dict(cells)
    return {name: _unescape(cell) for name, cell in cells.items()}
