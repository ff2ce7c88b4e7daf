"""Files of error spans in every form, told apart by their content."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import IO

from analysis.errors import OptionsError, TableError
from analysis.spans.appraise import is_appraise, read_appraise
from analysis.spans.factgenie import is_factgenie, read_factgenie, write_factgenie
from analysis.spans.google import is_google, read_google
from analysis.spans.google_writing import write_google
from analysis.spans.jsontext import json_records
from analysis.spans.model import Problems, SpanTable, check_unique
from analysis.spans.mtme import is_mtme, read_mtme, write_mtme, write_standalone
from analysis.spans.own import is_span_csv, read_csv, read_json_lines, write_csv, write_json_lines
from analysis.spans.pearmut import is_pearmut, read_pearmut, write_pearmut
from analysis.table_files import content_of

READERS: dict[str, Callable[[str], SpanTable]] = {
    "google": read_google,
    "pearmut": read_pearmut,
    "factgenie": read_factgenie,
    "mtme": read_mtme,
    "appraise": read_appraise,
    "json": read_json_lines,
    "csv": read_csv,
}
# A form whose writer returns a list may need several files.
WRITERS: dict[str, Callable[[SpanTable], str | list[str]]] = {
    "google": write_google,
    "pearmut": write_pearmut,
    "factgenie": write_factgenie,
    "mtme": write_mtme,
    "mtme-standalone": write_standalone,
    "json": write_json_lines,
    "csv": write_csv,
}

Source = str | Path | IO[bytes]


def read_spans(*sources: Source, form: str | None = None) -> SpanTable:
    """Read files of error spans.

    Parameters
    ----------
    sources : names of files, or open binary files; "-" is standard input. Several are read as one
        (the raters of a campaign, or the parts of a large one). They may be compressed with gzip
    form : one of `READERS`; without it the content of each file decides

    Returns
    -------
    The marked outputs of all files.

    Raises
    ------
    TableError : every problem with its line and column, or a file in no known form
    """
    if form is not None and form not in READERS:
        raise OptionsError([f"There is no form {form!r}: {', '.join(READERS)}."])
    tables = [read_text(_text(source), form) for source in sources]
    if len(tables) == 1:
        return tables[0]
    outputs = [each for table in tables for each in table.outputs]
    places = [f"File {number}" for number, table in enumerate(tables, 1) for _ in table.outputs]
    problems = Problems()
    check_unique(outputs, places, problems)
    problems.refuse()
    forms = ", ".join(dict.fromkeys(table.form for table in tables))
    return SpanTable(tuple(outputs), forms, tuple(note for each in tables for note in each.notes))


def read_text(text: str, form: str | None = None) -> SpanTable:
    """Read the content of one file.

    Parameters
    ----------
    text : the content
    form : one of `READERS`; without it the content decides

    Returns
    -------
    The marked outputs.

    Raises
    ------
    TableError : every problem with its line and column, or no marked output at all
    """
    table = READERS[form or form_of(text)](text)
    if not table.outputs:
        raise TableError(["The file has no marked output."])
    return table


def form_of(text: str) -> str:
    """Recognise the form of a file, a key of `READERS`.

    Parameters
    ----------
    text : the content

    Returns
    -------
    The name of the form.

    Raises
    ------
    TableError : the content is in none of the forms
    """
    if text.lstrip()[:1] in ("{", "["):
        _, record = next(json_records(text), ("", None))
        if form := _json_form(record):
            return form
    else:
        first = text.partition("\n")[0]
        if is_google(first):
            return "google"
        if is_mtme(first):
            return "mtme"
        if is_span_csv(cells := _cells(first)):
            return "csv"
        if is_appraise(cells):
            return "appraise"
    raise TableError(
        [
            "Line 1: this is in none of the forms that can be read: Google's table (columns target "
            "and severity), Pearmut's or factgenie's JSON, MTME's ratings, Appraise's scores with "
            "marks, or our own JSON lines (marks) or CSV (columns rater, system, item, start, end)."
        ]
    )


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r")]), [])
    except csv.Error:
        return []


def _json_form(record: object) -> str:
    if not isinstance(record, dict):
        return ""
    if is_pearmut(record):
        return "pearmut"
    if is_factgenie(record):
        return "factgenie"
    if "errors" in record:
        return "mtme"
    return "json" if "marks" in record else ""


def write_spans(table: SpanTable, form: str, path: str | Path) -> list[Path]:
    """Write marked outputs into a file.

    Parameters
    ----------
    table : marked outputs
    form : one of `WRITERS`
    path : the file's name. Where a form needs several files, their names have a number before the
        ending: `x.seg.rating` becomes `x.1.seg.rating`, `x.2.seg.rating`, …

    Returns
    -------
    The names of the files that were written.

    Raises
    ------
    TableError : what the form cannot hold, or a file that cannot be written
    """
    if form not in WRITERS:
        raise OptionsError([f"There is no form {form!r}: {', '.join(WRITERS)}."])
    written = WRITERS[form](table)
    contents = [written] if isinstance(written, str) else written
    paths = [Path(path)] if len(contents) == 1 else _numbered(Path(path), len(contents))
    for name, content in zip(paths, contents, strict=True):
        write_file(name, content)
    return paths


def write_file(path: Path, content: str) -> None:
    """Write text as it is.

    Parameters
    ----------
    path : of the file
    content : its text

    Raises
    ------
    TableError : the file cannot be written; it is named
    """
    try:
        path.write_bytes(content.encode())
    except OSError as error:
        raise TableError([f"Cannot write {path}: {error.strerror}."]) from error


def _numbered(path: Path, count: int) -> list[Path]:
    stem, dot, ending = path.name.partition(".")
    return [path.with_name(f"{stem}.{number}{dot}{ending}") for number in range(1, count + 1)]


def _text(source: Source) -> str:
    content = content_of(source)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise TableError([f"Line {line}, byte {column}: this is not UTF-8 text."]) from error
