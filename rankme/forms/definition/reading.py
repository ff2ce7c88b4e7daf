"""Read a sent form as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from rankme.errors import InvalidDefinition
from rankme.protocols.definition import Definition
from rankme.untrusted import strict_yaml
from rankme.untrusted.whole_numbers import number_in

from .following import follow_names
from .lines import number_from, pairs_from, unquoted
from .settings import Document, Setting, option_settings, settings_of


def read_form(sent: Mapping[str, str]) -> Document:
    """The document that a sent form represents. It is not checked: `Definition` does that."""
    document = _read_model(Definition, sent, "") | {"format": 1}
    rows = _row_numbers(sent, "criteria")
    follow_names(document, [sent.get(f"criteria.{number}.drawn_name") for number in rows])
    return document


def _read_model(model: type[BaseModel], sent: Mapping[str, str], path: str) -> Document:
    document: Document = {}
    for setting in settings_of(model):
        place = f"{path}{setting.name}"
        if setting.kind == "options":
            owner = setting.key.partition(".")[0]
            document["options"] = _read_options(option_settings(owner, document), sent, place)
        elif setting.kind == "several":
            assert setting.part is not None
            document[setting.name] = [
                _read_model(setting.part, sent, f"{place}.{number}.")
                for number in _row_numbers(sent, place)
            ]
        elif setting.kind == "group":
            assert setting.part is not None
            is_there = not setting.nullable or f"{place}.is_there" in sent
            document[setting.name] = (
                _read_model(setting.part, sent, f"{place}.") if is_there else None
            )
        else:
            document[setting.name] = _read_leaf(setting, sent, place)
    return document


def _read_options(
    settings: Sequence[Setting], sent: Mapping[str, str], path: str
) -> dict[str, Any]:
    """Read the options that are not blank; the others keep their defaults."""
    options = {}
    for setting in settings:
        place = f"{path}.{setting.name}"
        if setting.kind == "tick":
            value: Any = place in sent
            asked = sent.get(f"{place}.asked")
            # A newly chosen instrument has not asked for its options yet.
            if asked is None or (value == setting.default and asked != "stated"):
                continue
        else:
            value = _read_leaf(setting, sent, place)
            if value in (None, "", [], {}):
                continue
        options[setting.name] = value
    return options


def _read_leaf(setting: Setting, sent: Mapping[str, str], place: str) -> Any:
    if setting.kind == "tick":
        return place in sent
    text = sent.get(place)
    if text is None:
        # A copy: the document may be changed, and the setting is there for all forms.
        return None if setting.nullable else deepcopy(setting.default)
    return _parsed(text.replace("\r\n", "\n"), setting)


def _parsed(text: str, setting: Setting) -> Any:
    if setting.nullable and not text.strip():
        return None
    if setting.kind == "number":
        return number_from(text.strip())
    if setting.kind == "lines":
        return [unquoted(line) for line in text.split("\n") if line.strip()]
    if setting.kind == "pairs":
        return pairs_from(text)
    if setting.kind == "yaml":
        try:
            return strict_yaml.parse(text).data or {}
        except InvalidDefinition:
            return text  # the check of the document reports that this is not a mapping
    return text


def _row_numbers(sent: Mapping[str, str], path: str) -> list[int]:
    prefix, ending = f"{path}.", ".row"
    numbers = (
        name.removeprefix(prefix).removesuffix(ending)
        for name in sent
        if name.startswith(prefix) and name.endswith(ending)
    )
    return sorted({place for number in numbers if (place := number_in(number, -1)) >= 0})
