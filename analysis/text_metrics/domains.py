"""Does a set of attributes name one entity of a domain alone, and with as little as possible?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.errors import Undefined

from .referring import Attributes, parse_attributes

ENTITY_END = re.compile(r"</ENTITY\s*>", re.IGNORECASE)
ENTITY_START = re.compile(r"<ENTITY\b([^>]*)>", re.IGNORECASE)
IS_TARGET = re.compile(r"\bTYPE\s*=\s*[\"']target[\"']", re.IGNORECASE)
TARGET, DISTRACTOR = "target", "distractor"
# Sets of attributes are tried out, and there are 2^n of them.
MOST_ATTRIBUTES = 20


@dataclass(frozen=True)
class Domain:
    """The target that a description has to single out, and its distractors."""

    target: Attributes
    distractors: tuple[Attributes, ...]


def parse_domain(text: str) -> Domain | None:
    """Return the domain that a text writes as TUNA's XML, or with an entity on each line.

    A line begins with `target:` or `distractor:`, and then has the entity's attributes as
    `colour=red; type=chair`.

    Parameters
    ----------
    text : an input

    Returns
    -------
    None where the text is not a domain with exactly one target.
    """
    entities = _of_xml(text) if "<" in text else _of_lines(text)
    if entities is None:
        return None
    targets = [attributes for is_target, attributes in entities if is_target]
    if len(targets) != 1:
        return None
    return Domain(targets[0], tuple(found for is_target, found in entities if not is_target))


def _of_xml(text: str) -> list[tuple[bool, Attributes]] | None:
    found = []
    for part in ENTITY_END.split(text)[:-1]:
        start = ENTITY_START.search(part)
        attributes = parse_attributes(part[start.end() :]) if start else None
        if start is None or attributes is None:
            return None
        found.append((bool(IS_TARGET.search(start[1])), attributes))
    return found


def _of_lines(text: str) -> list[tuple[bool, Attributes]] | None:
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        kind, _, rest = line.partition(":")
        attributes = parse_attributes(rest)
        if kind.strip().lower() not in (TARGET, DISTRACTOR) or attributes is None:
            return None
        found.append((kind.strip().lower() == TARGET, attributes))
    return found


def is_unique(description: Attributes, domain: Domain) -> bool:
    """Say whether the attributes are true of the target, and of nothing else.

    Parameters
    ----------
    description : the attributes of an output
    domain : the target and its distractors

    Source
    ------
    Gatt et al. (2008).
    """
    return description <= domain.target and not any(
        description <= other for other in domain.distractors
    )


def least_attributes(domain: Domain) -> int | None:
    """Count the attributes of the shortest unique description.

    Parameters
    ----------
    domain : of a target with at most 20 attributes

    Returns
    -------
    None where even all of the target's attributes fit another entity.

    Raises
    ------
    Undefined : the target has more attributes
    """
    if len(domain.target) > MOST_ATTRIBUTES:
        raise Undefined(f"The target has more than {MOST_ATTRIBUTES} attributes.")
    everything = (1 << len(domain.distractors)) - 1
    # Which distractors each attribute rules out, as bits of a number.
    rules_out = [
        sum(1 << n for n, other in enumerate(domain.distractors) if attribute not in other)
        for attribute in domain.target
    ]
    reached = {0}
    for size in range(len(rules_out) + 1):
        if everything in reached:
            return size
        reached = {before | ruled_out for before in reached for ruled_out in rules_out}
    return None


def is_minimal(description: Attributes, domain: Domain, least: int | None) -> bool:
    """Say whether the attributes are unique and no unique set is smaller.

    Parameters
    ----------
    description : the attributes of an output
    domain : the target and its distractors
    least : the size of the smallest unique set; None: there is none
    """
    return is_unique(description, domain) and len(description) == least
