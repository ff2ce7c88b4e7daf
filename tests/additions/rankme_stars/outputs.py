"""A format of outputs: a heading `# system`, and below it one output per line."""

from __future__ import annotations

from rankme.importing.readers.reader import Reader
from rankme.importing.sources import SourceFile, Sources, text_lines
from rankme.importing.spooling.spool import NewItem, Spool


def is_headed(files: list[SourceFile]) -> bool:
    return any(file.first_line().startswith("# ") for file in files)


def read_headed(sources: Sources, spool: Spool) -> None:
    for file in sources.files:
        system, number = None, 0
        for line, written in enumerate(text_lines(sources, file), start=1):
            text = written.rstrip("\n")
            if text.startswith("# "):
                system, number = spool.system_number(text[2:], (file, line)), 0
            elif system is None:
                spool.problem((file, line), "", "There is no heading above this output.")
            else:
                number += 1
                item = spool.item_or_new(NewItem(f"item {number}", f"name[{number}]"), (file, line))
                if item is not None:
                    spool.add_output(system, item, text, (file, line))


READER = Reader(
    title="Outputs below headings",
    help="A heading `# system`, and below it one output per line.",
    recognises=is_headed,
    read=read_headed,
)
