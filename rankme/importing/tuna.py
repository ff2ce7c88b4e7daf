"""TUNA's XML: one TRIAL per domain and system, and the pictures of the entities."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml

from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.media_types import media_type_of
from rankme.importing.problems import StopFile
from rankme.importing.reader import Reader
from rankme.importing.sources import Sources, whole_bytes, whole_text
from rankme.importing.spool import Spool, digest_of

ENTITY_DECLARATION = re.compile(r"<!ENTITY")
TRIAL = re.compile(rb"<TRIAL[\s>]")
PEOPLE = {"person", "people"}


def is_tuna(files: list[SourceFile]) -> bool:
    return any(TRIAL.search(file.head) for file in files)


def read_tuna(sources: Sources, spool: Spool) -> None:
    """The folder of an XML file names its system, as in the archives of the 2008 challenge."""
    pictures = _Pictures(sources)
    domains: dict[str, tuple[int, Place]] = {}
    for file in sources.files:
        if file.ending != "xml":
            continue
        for trial in _trials(sources, file):
            file.rows += 1
            _read_trial(spool, pictures, domains, trial, file)
    if not any(file.ending == "xml" for file in sources.files):
        sources.problems.add("", None, "", "The upload has no XML file.")


def _trials(sources: Sources, file: SourceFile) -> list[Xml.Element]:
    """The TRIAL elements of a file; entity declarations could let it grow without bound."""
    try:
        text = whole_text(sources, file)
    except StopFile:
        return []
    if found := ENTITY_DECLARATION.search(text):
        line = text.count("\n", 0, found.start()) + 1
        sources.problems.add(file.label, line, "", "The file must not define entities.")
        return []
    try:
        trials = list(Xml.fromstring(text).iter("TRIAL"))
    except Xml.ParseError as error:
        line, column = error.position
        sources.problems.add(file.label, line, column + 1, f"This is not XML: {error.msg}.")
        return []
    if not trials:
        sources.problems.add(file.label, 1, "", "The file has no TRIAL.")
    return trials


def _read_trial(
    spool: Spool,
    pictures: _Pictures,
    domains: dict[str, tuple[int, Place]],
    trial: Xml.Element,
    file: SourceFile,
) -> None:
    place = (file, 1)
    key = trial.get("ID", "")
    description = trial.findtext("WORD-STRING")
    if not key or description is None:
        spool.problem(place, "", "The TRIAL has no ID or no WORD-STRING.")
        return
    domain = _domain(spool, pictures, trial, place)
    system = spool.system_number(trial.get("SYSTEM") or file.folder or file.stem, place)
    if domain is None or system is None:
        return
    known = domains.setdefault(key, (digest_of(domain.document), place))
    if known[0] != digest_of(domain.document):
        message = f'The domain "{key}" differs from the one in {known[1][0].label}.'
        spool.problem(place, "", message)
        return
    item = spool.item_or_new(key, place, input=domain.document, factors=domain.factors)
    if item is not None:
        spool.add_output(system, item, " ".join(description.split()), place)


@dataclass(frozen=True)
class _Domain:
    document: str
    factors: dict[str, str]


def _domain(spool: Spool, pictures: _Pictures, trial: Xml.Element, place: Place) -> _Domain | None:
    """The item's input: the pictures in their places, which of them is meant, and attributes."""
    entities = trial.findall("DOMAIN/ENTITY")
    targets = [entity.get("ID", "") for entity in entities if entity.get("TYPE") == "target"]
    names = Counter(entity.get("ID", "") for entity in entities)
    trouble = _trouble_with_entities(targets, names)
    if trouble:
        spool.problem(place, "", f'The domain "{trial.get("ID")}" {trouble}.')
        return None
    images = [_image(pictures, entity, number, place) for number, entity in enumerate(entities)]
    if None in images:
        return None
    shown: list[dict[str, Any]] = [image for image in images if image]
    document = {
        "images": shown,
        "columns": int(max(image["x"] for image in shown)),
        "rows": int(max(image["y"] for image in shown)),
        "target": targets[0],
    }
    factors = {"entity_type": trial.get("ENTITY_TYPE") or _entity_type(shown)}
    if trial.get("CONDITION"):
        factors["condition"] = trial.get("CONDITION", "")
    return _Domain(json.dumps(document, ensure_ascii=False), factors)


def _trouble_with_entities(targets: list[str], names: Counter[str]) -> str | None:
    if not names:
        return "has no entities"
    if len(targets) != 1:
        return f"has {len(targets)} targets"
    if "" in names or max(names.values()) > 1:
        return "has entities without an ID of their own"
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
                message = f'The picture "{name}" is not among the files.'
                self._sources.problems.add(place[0].label, place[1], "IMAGE", message)
            self._read[key] = self._content(file) if file else None
        return self._read[key]

    def _content(self, file: SourceFile) -> dict[str, str] | None:
        try:
            media = media_type_of(file.head) or ""
            if media.startswith("image/"):
                limit = self._sources.limits.picture_bytes
                content = base64.b64encode(whole_bytes(self._sources, file, limit)).decode()
                return {"src": f"data:{media};base64,{content}"}
            text = whole_text(self._sources, file)
        except StopFile:
            return None
        if "<svg" not in text or ENTITY_DECLARATION.search(text):
            message = "This is not a picture in PNG, JPEG, GIF, WebP or SVG."
            self._sources.problems.add(file.label, None, "", message)
            return None
        return {"svg": text}


READER = Reader(
    title=_("TUNA: XML and pictures"),
    help=_("A zip with a folder of XML files per system, one TRIAL each, and the pictures."),
    recognises=is_tuna,
    read=read_tuna,
    takes_media=True,
)
