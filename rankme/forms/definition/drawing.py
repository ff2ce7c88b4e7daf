"""The form as it is drawn: leaves, groups and lists, filled from a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext
from pydantic import BaseModel

from rankme.errors import Problem
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition

from .in_short import in_short, row_in_short
from .lines import text_of
from .sections import QUIET, SECTIONS
from .settings import SWITCHES, Document, Setting, applies, option_settings, settings_of

# Every campaign has its own title and questions.
OPEN_AT_FIRST = ("general", "criteria")
# Asked before the others of their row: its short name may follow from it.
FIRST = ("CriterionSpec.question",)
# Alone in its row anyway; its hint would take three lines of half of it.
ALONE = ("CriterionSpec.name",)


@dataclass
class Leaf:
    """One input."""

    setting: Setting
    path: str
    value: Any
    # Whether the document itself says it, or it is only the default that is shown.
    is_stated: bool = True
    problems: list[str] = field(default_factory=list)
    template: str = "organiser/definition/leaf.html"

    @property
    def kind(self) -> str:
        return self.setting.kind

    @property
    def label(self) -> Any:
        return self.setting.title

    @property
    def hint(self) -> Any:
        return self.setting.hint

    @property
    def element(self) -> str:
        return self.path.replace(".", "-")

    @property
    def is_switch(self) -> bool:
        return self.setting.key in SWITCHES

    @property
    def room(self) -> str:
        """Whether it takes a whole row: always (`wide`), on a phone (`roomy`), or never."""
        if self.kind in ("long", "yaml") or self.setting.is_named or self.setting.key in ALONE:
            return "wide"
        return "roomy" if self.setting.name in ("title", "name") else ""

    @property
    def placeholder(self) -> str:
        if not self.setting.may_be_absent or self.setting.default in (None, "", [], {}):
            return ""
        return text_of(self.setting.default, self.kind)


@dataclass
class Group:
    """Fields that belong together; `is_there` is None unless the group may be left out."""

    path: str
    title: str
    parts: list[Any]
    more: list[Any] = field(default_factory=list)
    more_is_open: bool = False
    is_there: bool | None = None
    # The name of a criterion as it is drawn: screens follow when it comes back as another.
    drawn_name: str | None = None
    # A row of the list of its own can be folded; then this is all that one sees of it.
    in_short: str = ""
    is_open: bool = True
    # In a launched campaign: what cannot change in it, as label and value.
    fixed: list[tuple[str, Any]] = field(default_factory=list)
    is_frozen: bool = False
    problems: list[str] = field(default_factory=list)
    template: str = "organiser/definition/group.html"

    @property
    def element(self) -> str:
        return self.path.replace(".", "-")


@dataclass
class Several:
    """A list of groups that can grow and shrink."""

    path: str
    title: str
    hint: str
    add_label: str
    rows: list[Group]
    rows_fold: bool = False
    is_frozen: bool = False  # no row can come or go
    problems: list[str] = field(default_factory=list)
    template: str = "organiser/definition/several.html"

    @property
    def element(self) -> str:
        return self.path.replace(".", "-")


@dataclass(frozen=True)
class Finding:
    """A problem for the list above the form, with the label and element that it is about."""

    element: str
    label: str
    message: str


@dataclass(frozen=True)
class Section:
    anchor: str
    title: str
    hint: str
    parts: list[Any]
    in_short: str = ""
    is_open: bool = False
    reasons: list[str] = field(default_factory=list)  # why some of it cannot change


def draw_form(
    document: Document, problems: Sequence[Problem] = (), *, look_at: str = ""
) -> tuple[list[Section], list[Finding]]:
    """The form, filled from a document that need not be valid, and the list of its problems.

    Sections and rows are folded, except those that a new campaign needs first, those with a
    problem, and those around the path `look_at`.
    """
    settings = {found.name: found for found in settings_of(Definition)}
    sections = [
        Section(
            anchor=section.anchor,
            title=section.title,
            hint=section.hint,
            in_short=in_short(section.anchor, document),
            parts=[
                _draw(settings[name], _value(settings[name], document), name)
                for name in section.fields
            ],
        )
        for section in SECTIONS
    ]
    findings = [_place(problem, sections) for problem in problems]
    for section in sections:
        for group in _groups(section.parts):
            group.more_is_open = any(_deserves_a_look(part) for part in group.more)
    return [_unfolded(section, look_at) for section in sections], findings


def _unfolded(section: Section, look_at: str) -> Section:
    """Unfold what an organiser has to see at once."""
    for part in section.parts:
        if isinstance(part, Several) and part.rows_fold:
            for row in part.rows:
                is_alone = len(part.rows) == 1
                row.is_open = is_alone or not row.in_short or _needs_a_look(row, look_at)
    is_open = section.anchor in OPEN_AT_FIRST or any(
        _needs_a_look(part, look_at) for part in section.parts
    )
    return replace(section, is_open=is_open)


def _needs_a_look(part: Any, look_at: str) -> bool:
    inside = list(_all_parts([part]))
    return any(part.problems or (look_at and part.path == look_at) for part in inside)


def _value(setting: Setting, document: Document) -> Any:
    if setting.may_be_absent and setting.kind != "tick":
        return document.get(setting.name)
    return document.get(setting.name, setting.default)


def _draw(setting: Setting, value: Any, path: str) -> Any:
    if setting.kind == "several":
        assert setting.part is not None
        label = gettext(setting.part.model_config.get("title") or "")
        rows = [
            _group(setting.part, row, f"{path}.{number}", f"{label} {number + 1}")
            for number, row in enumerate(value or [])
        ]
        rows_fold = "." not in path
        for row, content in zip(rows, value or [], strict=True):
            row.in_short = row_in_short(content) if rows_fold else ""
        return Several(path, setting.title, setting.hint, label, rows, rows_fold)
    if setting.kind == "group":
        is_there = (value is not None) if setting.nullable else None
        return _group(setting.part, _plain(value), path, setting.title, is_there)
    text = bool(value) if setting.kind == "tick" else text_of(value, setting.kind)
    return Leaf(setting, path, text)


def _group(
    model: type[BaseModel] | None,
    document: Document,
    path: str,
    title: str,
    is_there: bool | None = None,
) -> Group:
    assert model is not None
    group = Group(path, title, [], is_there=is_there)
    if model is CriterionSpec:
        group.drawn_name = document.get("name") or ""
    for setting in sorted(settings_of(model), key=lambda candidate: candidate.key not in FIRST):
        if not applies(setting, document):
            continue
        if setting.kind == "options":
            drawn = _draw_options(setting, document, f"{path}.options")
        else:
            drawn = [_draw(setting, _value(setting, document), f"{path}.{setting.name}")]
        (group.more if setting.key in QUIET else group.parts).extend(drawn)
    return group


def _draw_options(setting: Setting, document: Document, path: str) -> list[Leaf]:
    options = document.get("options") or {}
    leaves = []
    for option in option_settings(setting.key.partition(".")[0], document):
        leaf = _draw(option, _value(option, options), f"{path}.{option.name}")
        leaf.is_stated = option.name in options
        leaves.append(leaf)
    return leaves


def _plain(value: Any) -> Document:
    """Turn a default that is an object into a document."""
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else (value or {})


def _deserves_a_look(part: Any) -> bool:
    if part.problems:
        return True
    if isinstance(part, Leaf):
        default = part.setting.default
        usual = bool(default) if part.kind == "tick" else text_of(default, part.kind)
        return part.value not in (usual, "")
    if isinstance(part, Several):
        return bool(part.rows)
    if part.is_there is not None:
        return bool(part.is_there)
    return any(_deserves_a_look(inner) for inner in (*part.parts, *part.more))


def _groups(parts: Iterable[Any]) -> Iterable[Group]:
    for part in parts:
        if isinstance(part, Group):
            yield from _groups([*part.parts, *part.more])
            yield part
        elif isinstance(part, Several):
            yield from _groups(part.rows)


def _place(problem: Problem, sections: list[Section]) -> Finding:
    """Put a problem next to the deepest part of the form that contains its place."""
    place = problem.place.rpartition(", ")[2].replace("[", ".").replace("]", "")
    around = [
        part
        for part in _all_parts(part for section in sections for part in section.parts)
        if place == part.path or place.startswith(part.path + ".")
    ]
    if not around:
        return Finding("", problem.place, problem.message)
    deepest = max(around, key=lambda part: len(part.path))
    deepest.problems.append(problem.message)
    rows = [part.title for part in around if part.path[-1].isdigit() and part is not deepest]
    own = deepest.label if isinstance(deepest, Leaf) else deepest.title
    return Finding(deepest.element, ", ".join(map(str, [*rows[-1:], own])), problem.message)


def _all_parts(parts: Iterable[Any]) -> Iterable[Any]:
    for part in parts:
        yield part
        if isinstance(part, Group):
            yield from _all_parts([*part.parts, *part.more])
        elif isinstance(part, Several):
            yield from _all_parts(part.rows)
