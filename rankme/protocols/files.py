"""Campaign files in YAML: read with every problem and its line, written so that they read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rankme.clean_text import check_document
from rankme.errors import InvalidAnswer, InvalidDefinition, Problem

from .definition import Definition

PRESETS = Path(__file__).parent / "presets"
LARGEST_FILE = 1_000_000  # characters: a campaign file is written by hand


def definition_from_yaml(text: str) -> Definition:
    """Read a campaign file; raise `InvalidDefinition` with every problem, its place and line."""
    document, tree = read_yaml(text)
    if not isinstance(document, dict):
        raise InvalidDefinition([Problem("line 1", "a campaign file is a mapping: name: value")])
    return definition_from_document(document, tree=tree)


def read_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """A stranger's YAML as plain data and as the tree that knows its lines."""
    if len(text) > LARGEST_FILE:
        raise InvalidDefinition([Problem("", "the file is larger than a million characters")])
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            # A few lines of aliases of aliases stand for more than any memory holds.
            raise InvalidDefinition([Problem("", "aliases (*name) are not allowed: write it out")])
        return yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InvalidDefinition([Problem(place, f"this is no YAML: {error}")]) from error
    except RecursionError as error:
        raise InvalidDefinition([Problem("", "the file is nested too deep")]) from error
    except ValueError as error:  # a date that is none, a number of more digits than Python reads
        raise InvalidDefinition([Problem("", f"a value cannot be read: {error}")]) from error


def definition_from_document(document: Any, *, tree: yaml.Node | None = None) -> Definition:
    """Validate a document (of a form, a database row or a file)."""
    try:
        check_document(document)
        return Definition.model_validate(document)
    except InvalidAnswer as error:
        raise InvalidDefinition(error.problems) from error
    except ValidationError as error:
        problems = [Problem(_place(loc, tree), words) for loc, words in _findings(error)]
        raise InvalidDefinition(problems) from error


# What pydantic says in a programmer's words, in an organiser's.
_WORDS = {
    "missing": "this is missing",
    "string_too_short": "this must not be empty",
    "extra_forbidden": "there is no setting of this name",
    "int_parsing": "this must be a whole number",
    "int_type": "this must be a whole number",
    "int_from_float": "this must be a whole number",
    "float_parsing": "this must be a number",
    "float_type": "this must be a number",
}
_NAME_WORDS = "begin with a small letter; then small letters, digits, - and _, 60 at most"


def _findings(error: ValidationError) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every problem in words, with its location."""
    for found in error.errors():
        if found["type"] == "string_pattern_mismatch" and found["loc"][-1] == "name":
            yield found["loc"], _NAME_WORDS
        else:
            words = _WORDS.get(found["type"], found["msg"].removeprefix("Value error, "))
            yield found["loc"], words


def definition_to_document(definition: Definition) -> dict[str, Any]:
    """The document without what only repeats a default: what the database and the API hold.

    Choices stand as pairs: their order is part of the experiment (it numbers the answers), and
    neither PostgreSQL's jsonb nor JSON itself keeps the order of a mapping.
    """
    document = _plain_document(definition)
    for criterion in document["criteria"]:
        if "options" in criterion:
            criterion["options"] = _with_pairs(criterion["options"])
    for number, question in enumerate(document.get("entry_questions", [])):
        document["entry_questions"][number] = _with_pairs(question)
    return document


def _plain_document(definition: Definition) -> dict[str, Any]:
    return {"format": 1} | definition.model_dump(mode="json", exclude_defaults=True)


def _with_pairs(part: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [list(pair) for pair in value.items()] if isinstance(value, dict) else value
        for name, value in part.items()
    }


def definition_to_yaml(definition: Definition) -> str:
    return yaml.dump(
        _plain_document(definition),
        Dumper=_ReadableDumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )


class _ReadableDumper(yaml.SafeDumper):
    """Writes texts of several lines as a person would: as a block after a bar."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_ReadableDumper.add_representer(str, _represent_text)


def preset_names() -> list[str]:
    return sorted(path.stem for path in PRESETS.glob("*.yaml"))


def preset(name: str) -> Definition:
    """A shipped campaign file."""
    if name not in preset_names():
        raise InvalidDefinition(
            [Problem("", f"no preset {name!r}; there are: {', '.join(preset_names())}")]
        )
    return definition_from_yaml((PRESETS / f"{name}.yaml").read_text(encoding="utf-8"))


def _place(location: Sequence[str | int], tree: yaml.Node | None) -> str:
    path = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in location
    ).lstrip(".")
    line = _line(location, tree)
    return f"line {line}, {path}" if line and path else path or (f"line {line}" if line else "")


def _line(location: Sequence[str | int], tree: yaml.Node | None) -> int | None:
    """The line of the deepest part of the location that stands in the file."""
    if tree is None:
        return None
    node = tree
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            found = node.value[part] if part < len(node.value) else None
        else:
            found = None
        if found is None:
            break
        node = found
    return int(node.start_mark.line) + 1
