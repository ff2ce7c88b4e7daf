"""The plain text of WMT: one file per system, one output per line, with source and reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.problems import StopFile
from rankme.importing.sources import Sources, text_lines
from rankme.importing.spooling.spool import NewItem, Spool

from .reader import Reader

SOURCE = re.compile(r"(^|[-._])(source|src)([-._]|$)", re.IGNORECASE)
REFERENCE = re.compile(r"(^|[-._])(reference|ref)([-._]|$)", re.IGNORECASE)
CONTEXT = re.compile(r"(^|[-._])context([-._]|$)", re.IGNORECASE)


def is_plain(files: list[SourceFile]) -> bool:
    return any(SOURCE.search(file.name) for file in files)


def read_plain(sources: Sources, spool: Spool) -> None:
    """Line n of every file belongs to item n."""
    of_items = [
        _only(SOURCE, "source", sources),
        _only(REFERENCE, "reference", sources),
        _only(CONTEXT, "context", sources),
    ]
    if of_items[0] is None:
        message = 'The file with the inputs is missing: name it "source.txt".'
        sources.problems.add(message)
        return
    _read_items(sources, spool, *of_items)
    for file in sources.files:
        if not any(pattern.search(file.name) for pattern in (SOURCE, REFERENCE, CONTEXT)):
            _read_system(sources, spool, file)


def _only(pattern: re.Pattern[str], role: str, sources: Sources) -> SourceFile | None:
    found = [file for file in sources.files if pattern.search(file.name)]
    for file in found[1:]:
        message = (
            f"Two files look like the {role}: {found[0].label} and this one. Rename or delete one."
        )
        sources.problems.add(message, file=file.label)
    return found[0] if found else None


def _read_items(
    sources: Sources,
    spool: Spool,
    source: SourceFile | None,
    reference: SourceFile | None,
    context: SourceFile | None,
) -> None:
    files = [source, reference, context]
    lines = [lines_of(sources, file) if file else iter(()) for file in files]
    counts = [0, 0, 0]
    for number, texts in enumerate(zip_longest(*lines), start=1):
        counts = [count + (text is not None) for count, text in zip(counts, texts, strict=True)]
        if texts[0] is not None and source:
            input, reference_text, context_text = (text or "" for text in texts)
            place = (source, number)
            spool.add_item(NewItem(str(number), input, reference_text, context_text), place)
    for file, count in zip(files, counts, strict=True):
        if file:
            _check_length(sources, file, count, counts[0])


def _read_system(sources: Sources, spool: Spool, file: SourceFile) -> None:
    system = spool.system_number(file.stem, (file, 1))
    if system is None:
        return
    n_items, count = spool.n_items, 0
    for count, text in enumerate(lines_of(sources, file), start=1):
        if count <= n_items:
            spool.add_output(system, count - 1, text, (file, count))
    _check_length(sources, file, count, n_items)


def _check_length(sources: Sources, file: SourceFile, count: int, expected: int) -> None:
    file.rows = count
    if count != expected:
        line = min(count, expected) + 1
        message = f"The file has {count} lines, but the source has {expected}."
        advice = advice_on_lines(count, expected)
        sources.problem((file, line), "", f"{message} {advice}")


def advice_on_lines(count: int, expected: int) -> str:
    """Say how to fix a file whose length differs from its companion's."""
    if count < expected:
        return "Add the lines that are missing; an empty output is an empty line."
    return "Delete the lines that have no counterpart."


def lines_of(sources: Sources, file: SourceFile) -> Iterator[str]:
    """The lines without their ends; only LF ends a line, as the tools of the field have it."""
    try:
        for number, line in enumerate(text_lines(sources, file), start=1):
            text = line.rstrip("\r\n")
            if "\r" in text:
                message = (
                    "There is a carriage return within the line. End every line with LF or CRLF."
                )
                sources.problem((file, number), text.index("\r") + 1, message)
            yield text
    except StopFile:
        return


READER = Reader(
    title=_("Plain text, one line per output"),
    help=_(
        "A zip or files, one per system and named after it, together with source.txt and "
        "reference.txt."
    ),
    recognises=is_plain,
    read=read_plain,
)
