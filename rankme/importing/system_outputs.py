"""The outputs of one system for known items: a table, lines of text, or XML of WMT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from rankme.importing.fence import read_in_child
from rankme.importing.limits import LIMITS
from rankme.importing.problems import FileProblem, ImportRefused
from rankme.importing.uploads import read_material

TABLES = (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".ods", ".parquet", ".arrow")
ONE_SYSTEM = "The file has outputs of several systems. Upload one system at a time."


@dataclass(frozen=True)
class Outputs:
    """A file of one system; `label` is the name that its team gave it, which says its format."""

    path: Path
    label: str


def read_system_outputs(file: Outputs, keys: Sequence[str]) -> list[str]:
    """Return one text for each item, in the order of `keys`.

    Line n of plain text, and the n-th `seg` of XML, belong to the n-th item; a table names items.

    Raises
    ------
    ImportRefused : the file cannot be read, or does not have one output for each item
    """
    ending = Path(file.label).suffix.lower()
    if ending in TABLES:
        return _of_table(file, keys)
    reads = _of_xml if ending == ".xml" else _of_lines
    texts = read_in_child(lambda progress: reads(file), LIMITS, label=file.label)
    if len(texts) != len(keys):
        message = f"The file has {len(texts)} outputs, but the track has {len(keys)} items."
        raise _refusal(message, file)
    return texts


def _of_table(file: Outputs, keys: Sequence[str]) -> list[str]:
    with read_material({file.label: file.path}) as material:
        if len(material.preview.systems) > 1:
            raise _refusal(ONE_SYSTEM, file)
        texts = {row.item_key: row.text for row in material.outputs()}
    missing = [key for key in keys if key not in texts]
    unknown = sorted(texts.keys() - set(keys))
    for named, what in ((missing, "has no output for"), (unknown, "has an output for the unknown")):
        if named:
            raise _refusal(f"The file {what} item {named[0]} ({len(named)} in all).", file)
    return [texts[key] for key in keys]


def _of_lines(file: Outputs) -> list[str]:
    lines = _text(file).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _of_xml(file: Outputs) -> list[str]:
    text = _text(file)
    if "<!ENTITY" in text.upper():
        raise _refusal("The file declares entities. Write the characters themselves.", file)
    try:
        tree = Xml.fromstring(text)
    except (Xml.ParseError, ValueError) as error:
        raise _refusal(f"The XML is damaged: {error}", file) from error
    documents = [document.findall("hyp") for document in tree.iter("doc")]
    if any(len(found) > 1 for found in documents):
        raise _refusal(ONE_SYSTEM, file)
    segments = (segment for found in documents for hyp in found for segment in hyp.iter("seg"))
    return ["".join(segment.itertext()) for segment in segments]


def _text(file: Outputs) -> str:
    try:
        return file.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refusal("The file is not UTF-8. Save it as UTF-8.", file) from error


def _refusal(message: str, file: Outputs) -> ImportRefused:
    return ImportRefused([FileProblem(message, file=file.label)])
