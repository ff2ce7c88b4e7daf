"""The outputs of one system for known items: a table, lines of text, or XML of WMT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from rankme.importing.characters import NUL_OR_SURROGATE
from rankme.importing.fence import read_in_child
from rankme.importing.limits import LIMITS
from rankme.importing.problems import FileProblem, ImportRefused, refusal
from rankme.importing.sources import Progress
from rankme.importing.tabular.columns import Columns
from rankme.importing.tabular.reading import Reading
from rankme.importing.uploads import read_material

# A column `item` names the items even where it repeats one, which is then a problem: where names
# and values are guessed, it would be left out, and the rows numbered.
NAMED = tuple(
    Columns("outputs", {role: role for role in roles})
    for roles in (("item", "output"), ("system", "item", "output"))
)
TABLES = (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".ods", ".parquet", ".arrow")
MOST_LISTED = 200
ONE_SYSTEM = "The file has outputs of several systems. Upload one system at a time."


@dataclass(frozen=True)
class Outputs:
    """A file of one system; `label` is the name that its team gave it, which says its format."""

    path: Path
    label: str


def read_system_outputs(
    file: Outputs, keys: Sequence[str], progress: Progress | None = None
) -> list[str]:
    """Return one text for each item, in the order of `keys`.

    Line n of plain text, and the n-th `seg` of XML, belong to the n-th item; a table names items.

    Raises
    ------
    ImportRefused : the file cannot be read, or does not have one output for each item
    """
    ending = Path(file.label).suffix.lower()
    if ending in TABLES:
        return _of_table(file, keys, progress)
    reads = _of_xml if ending == ".xml" else _of_lines
    texts = read_in_child(lambda told: reads(file), LIMITS, progress, label=file.label)
    if problems := [*_unusable(texts, file, by_line=reads is _of_lines)]:
        raise ImportRefused(problems[:MOST_LISTED], len(problems))
    if len(texts) != len(keys):
        message = f"The file has {len(texts)} outputs, but the track has {len(keys)} items."
        # The first line that is missing, or has no item.
        line = min(len(texts), len(keys)) + 1 if reads is _of_lines else None
        raise refusal(message, file.label, line)
    return texts


def _unusable(texts: Sequence[str], file: Outputs, *, by_line: bool) -> Iterator[FileProblem]:
    """Texts that tables refuse, too: with what the database cannot store, or far too long."""
    for number, text in enumerate(texts, start=1):
        line = number if by_line else None
        place = "" if by_line else f"Segment {number}: "
        if found := NUL_OR_SURROGATE.search(text):
            message = f"{place}U+{ord(found[0]):04X} cannot be stored. Delete this character."
            yield FileProblem(message, file.label, line, str(found.start() + 1))
        if len(text) > LIMITS.text:
            message = f"{place}The text is longer than {LIMITS.text:,} characters. Shorten it."
            yield FileProblem(message, file.label, line)


def _of_table(file: Outputs, keys: Sequence[str], progress: Progress | None) -> list[str]:
    paths, reading = {file.label: file.path}, Reading(columns=NAMED)
    with read_material(paths, progress=progress, reading=reading) as material:
        is_of_several = len(material.preview.systems) > 1
        problems = refusal(ONE_SYSTEM, file.label).problems if is_of_several else ()
        texts = {row.item_key: row.text for row in material.outputs()}
        lines = dict(material.output_lines())
    known = set(keys)
    unknown = sorted((key for key in texts if key not in known), key=lambda key: lines[key])
    missing = [key for key in keys if key not in texts]
    listed = [
        FileProblem(f'The track has no item "{key}".', file.label, lines[key], "item")
        for key in unknown[:MOST_LISTED]
    ]
    listed += [
        FileProblem(f'The file has no output for item "{key}".', file.label)
        for key in missing[:MOST_LISTED]
    ]
    if problems or listed:
        raise ImportRefused([*problems, *listed], len(problems) + len(unknown) + len(missing))
    return [texts[key] for key in keys]


def _of_lines(file: Outputs) -> list[str]:
    lines = _text(file).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _of_xml(file: Outputs) -> list[str]:
    text = _text(file)
    if "<!ENTITY" in text.upper():
        raise refusal("The file declares entities. Write the characters themselves.", file.label)
    try:
        tree = Xml.fromstring(text)
    except (Xml.ParseError, ValueError) as error:
        raise refusal(f"The XML is damaged: {error}", file.label) from error
    documents = [document.findall("hyp") for document in tree.iter("doc")]
    if any(len(found) > 1 for found in documents):
        raise refusal(ONE_SYSTEM, file.label)
    segments = (segment for found in documents for hyp in found for segment in hyp.iter("seg"))
    return ["".join(segment.itertext()) for segment in segments]


def _text(file: Outputs) -> str:
    try:
        return file.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refusal("The file is not UTF-8. Save it as UTF-8.", file.label) from error
