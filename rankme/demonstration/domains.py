"""Identification domains in TUNA's XML: our own pictures, twelve made-up ways to describe them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from xml.etree import ElementTree as Xml

import numpy as np

from .pictures import COLOURS, FURNITURE, HAIR, ORIENTATIONS, SIZES, furniture, person

ENTITIES = 7  # the target and six distractors
COLUMNS, ROWS = 5, 3
KINDS = ("furniture", "people")
_VALUES = {
    "furniture": {
        "type": FURNITURE,
        "colour": tuple(COLOURS),
        "size": tuple(SIZES),
        "orientation": ORIENTATIONS,
    },
    "people": {
        "type": ("person",),
        "hairColour": tuple(HAIR),
        "hasHair": ("0", "1"),
        "hasBeard": ("0", "1"),
        "hasGlasses": ("0", "1"),
        "hasTie": ("0", "1"),
    },
}
_DRAW = {"furniture": furniture, "people": person}


@dataclass(frozen=True)
class Entity:
    name: str
    attributes: dict[str, str]
    column: int
    row: int


@dataclass(frozen=True)
class Domain:
    """Seven entities from top left to bottom right, so that their order reveals nothing."""

    name: str
    kind: str
    target: Entity
    entities: tuple[Entity, ...]


def draw_domains(n_domains: int, *, seed: int = 8) -> list[Domain]:
    """Draw domains, furniture and people in turn; all entities of a domain look different."""
    rng = np.random.default_rng(seed)
    return [
        _domain(f"{KINDS[number % 2]}-{number:03d}", KINDS[number % 2], rng)
        for number in range(n_domains)
    ]


def describe(domain: Domain, system: str) -> str:
    """What a made-up system says about the domain's target."""
    return SYSTEMS[system](domain)


def tuna_archive(domains: list[Domain]) -> bytes:
    """A zip as TUNA's: a folder of XML files per system, and the pictures."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for domain in domains:
            for system in SYSTEMS:
                archive.writestr(f"{system}/{domain.name}.xml", _trial_xml(domain, system))
            for entity in domain.entities:
                picture = _DRAW[domain.kind](entity.attributes)
                archive.writestr(f"images/{_image(domain, entity)}", picture)
    return content.getvalue()


def _domain(name: str, kind: str, rng: np.random.Generator) -> Domain:
    places = rng.choice(COLUMNS * ROWS, size=ENTITIES, replace=False)
    looks: list[dict[str, str]] = []
    while len(looks) < ENTITIES:
        look = {attribute: str(rng.choice(values)) for attribute, values in _VALUES[kind].items()}
        if kind == "people" and look["hasHair"] == "0" and look["hasBeard"] == "0":
            look["hairColour"] = "dark"  # a colour that nobody could see
        if look not in looks:
            looks.append(look)
    entities = [
        Entity(str(number), look, int(place) % COLUMNS + 1, int(place) // COLUMNS + 1)
        for number, look, place in zip(count(1), looks, np.sort(places), strict=False)
    ]
    return Domain(name, kind, entities[rng.integers(ENTITIES)], tuple(entities))


def _image(domain: Domain, entity: Entity) -> str:
    return f"{domain.name}-{entity.name}.svg"


def _trial_xml(domain: Domain, system: str) -> str:
    trial = Xml.Element("TRIAL", ID=domain.name, CONDITION="+LOC", ENTITY_TYPE=domain.kind)
    found = Xml.SubElement(trial, "DOMAIN")
    for entity in domain.entities:
        element = Xml.SubElement(
            found,
            "ENTITY",
            ID=entity.name,
            TYPE="target" if entity is domain.target else "distractor",
            IMAGE=_image(domain, entity),
        )
        for name, value in _all_attributes(entity).items():
            Xml.SubElement(element, "ATTRIBUTE", NAME=name, VALUE=value)
    Xml.SubElement(trial, "WORD-STRING").text = describe(domain, system)
    attribute_set = Xml.SubElement(trial, "ATTRIBUTE-SET")
    for name in _distinguishing(domain):
        value = domain.target.attributes[name]
        Xml.SubElement(attribute_set, "ATTRIBUTE", NAME=name, VALUE=value)
    Xml.indent(trial)
    return Xml.tostring(trial, encoding="unicode")


def _all_attributes(entity: Entity) -> dict[str, str]:
    return entity.attributes | {
        "x-dimension": str(entity.column),
        "y-dimension": str(entity.row),
    }


def _distinguishing(domain: Domain) -> list[str]:
    """Attributes taken in order until no distractor is left (Dale & Reiter 1995)."""
    left = [entity for entity in domain.entities if entity is not domain.target]
    chosen = []
    for name, value in domain.target.attributes.items():
        stay = [entity for entity in left if entity.attributes[name] == value]
        if name == "type" or len(stay) < len(left):
            chosen.append(name)
            left = stay
        if not left:
            break
    return chosen


def _all_names(domain: Domain) -> list[str]:
    return list(domain.target.attributes)


def _words(domain: Domain, names: list[str]) -> str:
    """A noun phrase with these attributes of the target."""
    look = domain.target.attributes
    if domain.kind == "people":
        return _person_words(look, names)
    before = [look[name] for name in ("size", "colour") if name in names]
    phrase = " ".join(["the", *before, look["type"]])
    return f"{phrase} {_facing(look['orientation'])}" if "orientation" in names else phrase


def _facing(orientation: str) -> str:
    return {
        "front": "facing the viewer",
        "back": "seen from behind",
        "left": "facing left",
        "right": "facing right",
    }[orientation]


def _person_words(look: dict[str, str], names: list[str]) -> str:
    bald = "hasHair" in names and look["hasHair"] == "0"
    phrase = "the bald man" if bald else "the man"
    features = [
        words
        for name, words in (
            ("hairColour", f"{look['hairColour']} hair"),
            ("hasBeard", "a beard"),
            ("hasGlasses", "glasses"),
            ("hasTie", "a tie"),
        )
        if name in names and look.get(name, "1") != "0" and not (bald and name == "hairColour")
    ]
    return f"{phrase} with {' and '.join(features)}" if features else phrase


def _place_words(domain: Domain) -> str:
    target = domain.target
    across = ["far left", "left", "middle", "right", "far right"][target.column - 1]
    return f"in the {['top', 'middle', 'bottom'][target.row - 1]} row, {across}"


def _shuffled(text: str) -> str:
    words = text.split()
    return " ".join(words[1:] + words[:1])


SYSTEMS: dict[str, Callable[[Domain], str]] = {
    "Aster": lambda domain: _words(domain, _distinguishing(domain)),
    "Birch": lambda domain: _words(domain, _all_names(domain)),
    "Cedar": lambda domain: _words(domain, ["type"]),
    "Dahlia": lambda domain: f"{_words(domain, ['type'])} {_place_words(domain)}",
    "Elder": lambda domain: f"{_words(domain, _distinguishing(domain))} {_place_words(domain)}",
    "Fern": lambda domain: _shuffled(_words(domain, _distinguishing(domain))),
    "Gorse": lambda domain: _words(domain, _distinguishing(domain)).removeprefix("the "),
    "Hazel": lambda domain: _words(domain, _all_names(domain)[:3]),
    "Iris": lambda domain: f"it is {_words(domain, _distinguishing(domain))} that you want",
    "Juniper": lambda domain: _words(domain, _distinguishing(domain)[-1:]),
    "Human 1": lambda domain: (
        f"{_words(domain, _distinguishing(domain)[:2])}, {_place_words(domain)}"
    ),
    "Human 2": lambda domain: _words(domain, _distinguishing(domain)).replace("the man", "the guy"),
}
