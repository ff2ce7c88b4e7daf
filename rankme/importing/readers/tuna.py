"""TUNA's XML: one TRIAL per domain and system, and the pictures of the entities."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml
from xml.parsers import expat

from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.media import svg
from rankme.importing.problems import StopFile
from rankme.importing.sources import Sources, whole_bytes, whole_text
from rankme.importing.spooling.spool import NewItem, Spool, digest_of

from .reader import Reader

ENTITY_DECLARATION = re.compile(r"<!ENTITY")
TRIAL = re.compile(rb"<TRIAL[\s>]")
PEOPLE = {"person", "people"}
DEFINES_ENTITIES = "The file must not define entities. Write the characters themselves."
NO_PICTURE = "This is not a picture in PNG, JPEG, GIF, WebP or SVG. Save it as one of these."


def is_tuna(files: list[SourceFile]) -> bool:
    return any(TRIAL.search(file.text_head) for file in files)


def read_tuna(sources: Sources, spool: Spool) -> None:
    """The folder of an XML file names its system, as in the archives of the 2008 challenge."""
    pictures = _Pictures(sources)
    domains: dict[str, tuple[int, Place]] = {}
    for file in sources.files:
        if file.ending != "xml":
            continue
        for trial in _trials(sources, file):
            file.rows += 1
            _read_trial(spool, pictures, domains, trial)
    if not any(file.ending == "xml" for file in sources.files):
        message = 'The upload has no XML file. End the names of files with trials in ".xml".'
        sources.problems.add(message)


@dataclass(frozen=True)
class _Trial:
    """A TRIAL of a file, with the lines on which it and its entities begin."""

    element: Xml.Element
    file: SourceFile
    lines: dict[Xml.Element, int]

    @property
    def place(self) -> Place:
        return self.place_of(self.element)

    def place_of(self, element: Xml.Element) -> Place:
        return self.file, self.lines[element]


def _trials(sources: Sources, file: SourceFile) -> list[_Trial]:
    """The TRIAL elements of a file; entity declarations could let it grow without bound."""
    try:
        text = whole_text(sources, file)
    except StopFile:
        return []
    if found := ENTITY_DECLARATION.search(text):
        line = text.count("\n", 0, found.start()) + 1
        sources.problem((file, line), "", DEFINES_ENTITIES)
        return []
    try:
        root = Xml.fromstring(text)
    except Xml.ParseError as error:
        line, column = error.position
        sources.problem((file, line), column + 1, f"This is not XML: {error.msg}. Correct it.")
        return []
    lines = dict(zip(root.iter(), _lines_of_elements(text), strict=True))
    trials = [_Trial(element, file, lines) for element in root.iter("TRIAL")]
    if not trials:
        message = "The file has no TRIAL. Add one for each description, or leave out the file."
        sources.problem((file, 1), "", message)
    return trials


def _lines_of_elements(text: str) -> Iterator[int]:
    """The lines on which elements begin, in their order; trees of elements have no lines."""
    found: list[int] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: found.append(parser.CurrentLineNumber)
    parser.Parse(text, True)
    return iter(found)


def _read_trial(
    spool: Spool, pictures: _Pictures, domains: dict[str, tuple[int, Place]], trial: _Trial
) -> None:
    place, element = trial.place, trial.element
    key = element.get("ID", "")
    description = element.findtext("WORD-STRING")
    if not key:
        spool.problem(place, "", "The TRIAL has no ID. Add one, the name of its domain.")
        return
    if description is None:
        spool.problem(place, "", "The TRIAL has no WORD-STRING. Add one with the description.")
        return
    domain = _domain(spool, pictures, trial)
    system = spool.system_number(
        element.get("SYSTEM") or trial.file.folder or trial.file.stem, place
    )
    if domain is None or system is None:
        return
    digest, (file, line) = domains.setdefault(key, (digest_of(domain.document), place))
    if digest != digest_of(domain.document):
        message = (
            f'The domain "{key}" differs from the one in {file.label}, line {line}. Make them the '
            "same, or give the TRIALs different IDs."
        )
        spool.problem(place, "", message)
        return
    item = spool.item_or_new(NewItem(key, domain.document, factors=domain.factors), place)
    if item is not None:
        spool.add_output(system, item, " ".join(description.split()), place)


@dataclass(frozen=True)
class _Domain:
    document: str
    factors: dict[str, str]


def _domain(spool: Spool, pictures: _Pictures, trial: _Trial) -> _Domain | None:
    """The item's input: the pictures in their places, which of them is meant, and attributes."""
    element = trial.element
    entities = element.findall("DOMAIN/ENTITY")
    targets = [entity.get("ID", "") for entity in entities if entity.get("TYPE") == "target"]
    names = Counter(entity.get("ID", "") for entity in entities)
    trouble = _trouble_with_entities(targets, names)
    if trouble:
        spool.problem(trial.place, "", f'The domain "{element.get("ID")}" {trouble}')
        return None
    images = [
        _image(pictures, entity, number, trial.place_of(entity))
        for number, entity in enumerate(entities)
    ]
    if None in images:
        return None
    shown: list[dict[str, Any]] = [image for image in images if image]
    document = {
        "images": shown,
        "columns": int(max(image["x"] for image in shown)),
        "rows": int(max(image["y"] for image in shown)),
        "target": targets[0],
    }
    factors = {"entity_type": element.get("ENTITY_TYPE") or _entity_type(shown)}
    if element.get("CONDITION"):
        factors["condition"] = element.get("CONDITION", "")
    return _Domain(json.dumps(document, ensure_ascii=False), factors)


def _trouble_with_entities(targets: list[str], names: Counter[str]) -> str | None:
    if not names:
        return "has no entities. Add an ENTITY for each picture."
    if len(targets) != 1:
        return f'has {len(targets)} targets. Give exactly one ENTITY TYPE="target".'
    if "" in names or max(names.values()) > 1:
        return "has entities without an ID of their own. Give each another ID."
    return None


def _entity_type(images: list[dict[str, Any]]) -> str:
    """Old files say it only by the attributes: people, or else furniture."""
    kinds = {str(image["attributes"].get("type", "")) for image in images}
    return "people" if kinds & PEOPLE else "furniture"


def _image(
    pictures: _Pictures, entity: Xml.Element, number: int, place: Place
) -> dict[str, Any] | None:
    attributes = {
        attribute.get("NAME", ""): attribute.get("VALUE", "")
        for attribute in entity.findall("ATTRIBUTE")
    }
    picture = pictures.find(entity.get("IMAGE", ""), place)
    where = {
        axis: _whole(attributes.pop(f"{axis}-dimension", ""), default)
        for axis, default in (("x", number + 1), ("y", 1))
    }
    if picture is None:
        return None
    return {"name": entity.get("ID", ""), **picture, **where, "attributes": attributes}


def _whole(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default


class _Pictures:
    """The pictures of the upload by their names, made part of the items that show them."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        others = [file for file in sources.files if file.ending != "xml"]
        self._files = {file.name.lower(): file for file in (*others, *sources.media)}
        self._read: dict[str, dict[str, str] | None] = {}

    def find(self, name: str, place: Place) -> dict[str, str] | None:
        """The picture as an `svg` text or a `src` address; one that is not there is a problem."""
        key = re.split(r"[\\/]", name)[-1].lower()
        if key not in self._read:
            file = self._files.get(key)
            if file is None:
                message = (
                    f'The picture "{name}" is not among the files. Add it, or correct its name.'
                )
                self._sources.problem(place, "IMAGE", message)
            self._read[key] = self._content(file) if file else None
        return self._read[key]

    def _content(self, file: SourceFile) -> dict[str, str] | None:
        try:
            media = file.media_type or ""
            if media.startswith("image/"):
                limit = self._sources.limits.picture_bytes
                content = base64.b64encode(whole_bytes(self._sources, file, limit)).decode()
                return {"src": f"data:{media};base64,{content}"}
            text = whole_text(self._sources, file)
        except StopFile:
            return None
        if "<svg" not in text:
            self._sources.problems.add(NO_PICTURE, file=file.label)
            return None
        try:
            return {"svg": svg.clean(text.encode()).decode()}
        except svg.InvalidSvg as error:
            self._sources.problems.add(str(error), file=file.label)
            return None


READER = Reader(
    title=_("TUNA: XML and pictures"),
    help=_("A zip with a folder of XML files per system, one TRIAL each, and the pictures."),
    recognises=is_tuna,
    read=read_tuna,
    takes_media=True,
)
