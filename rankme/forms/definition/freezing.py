"""Draw the form of a launched campaign: inputs for what may change, the rest as text.

What cannot change is sent back in hidden fields, so that the form is still the whole document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from rankme.protocols.changes import may_change, why_not

from .drawing import Group, Leaf, Section, Several

HIDDEN_LEAF = "organiser/definition/frozen_leaf.html"
HIDDEN_GROUP = "organiser/definition/frozen_group.html"
HIDDEN_SEVERAL = "organiser/definition/frozen_several.html"


@dataclass(frozen=True)
class FrozenPart:
    """A section in which nothing can change, with the reasons."""

    title: str
    in_short: str
    reasons: list[str]
    parts: list[Any]


def frozen_form(
    sections: Sequence[Section], document: Mapping[str, Any]
) -> tuple[list[Section], list[FrozenPart]]:
    """The sections in which something may change, and those in which nothing may."""
    open_sections, closed = [], []
    for section in sections:
        changeable = [_freeze(part, document) for part in section.parts]
        reasons = list(dict.fromkeys(filter(None, map(_why_not, section.parts))))
        if any(changeable):
            open_sections.append(replace(section, reasons=reasons))
        else:
            frozen = FrozenPart(section.title, section.in_short, reasons, section.parts)
            closed.append(frozen)
    return open_sections, closed


def _why_not(part: Any) -> str:
    if isinstance(part, Several) and not part.rows and why_not(part.path):
        return _("There were none at the launch, and it is too late to add some.")
    return why_not(part.path.partition(".")[0])


def _freeze(part: Any, document: Mapping[str, Any]) -> bool:
    """Hide what cannot change. Returns whether anything in the part can."""
    if isinstance(part, Leaf):
        if may_change(part.path, document):
            return True
        part.template = HIDDEN_LEAF
        return False
    if isinstance(part, Several):
        changes = [_freeze(row, document) for row in part.rows]
        part.is_frozen = not may_change(part.path, document)
        return _hidden_unless(any(changes) or not part.is_frozen, part, HIDDEN_SEVERAL)
    return _freeze_group(part, document)


def _freeze_group(group: Group, document: Mapping[str, Any]) -> bool:
    shown, more = (
        [(part, _freeze(part, document)) for part in parts] for parts in (group.parts, group.more)
    )
    group.is_frozen = not may_change(group.path, document)
    group.fixed = [
        (part.label, part.value)
        for part, changes in (*shown, *more)
        if isinstance(part, Leaf)
        and not changes
        and part.is_stated
        and part.kind != "tick"
        and part.value not in ("", False)
    ]
    # Nothing to open where all of "More settings" is hidden.
    group.more = [part for part, changes in more if changes]
    group.parts = [part for part, _changes in shown] + [part for part, some in more if not some]
    changes = any(some for _part, some in (*shown, *more))
    return _hidden_unless(changes, group, HIDDEN_GROUP)


def _hidden_unless(changes: bool, part: Any, template: str) -> bool:
    if not changes:
        part.template = template
    return changes
