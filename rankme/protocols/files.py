"""Campaign files in YAML: read with every problem and its line, written so that they read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from rankme.errors import InvalidAnswer, InvalidDefinition, Problem
from rankme.protocols.presets.languages import languages_of, translated
from rankme.untrusted import strict_yaml
from rankme.untrusted.clean_text import check_document

from .definition import Definition
from .definition_problems import names_in, problems_in, repeated_names
from .problem_words import Location, problems_found, summary

PRESETS = Path(__file__).parent / "presets"
BLANK = Path(__file__).parent / "blank.yaml"
MOST_VALUES = 20_000
LONGEST_KEY = 1_000  # YAML's own limit is 1,024
NO_LINES: Mapping[Location, int] = {}


def definition_from_yaml(text: str) -> Definition:
    """Read a campaign file; raise `InvalidDefinition` with every problem, its place and line."""
    document = strict_yaml.parse(text)
    if not isinstance(document.data, dict):
        raise InvalidDefinition(
            [Problem("line 1", "a campaign file is a list of settings, each as name: value")]
        )
    return definition_from_document(document.data, lines=document.lines)


def definition_from_document(
    document: Any, *, lines: Mapping[Location, int] | None = None
) -> Definition:
    """Validate a document that somebody sent (by a form, the API or a file)."""
    try:
        check_document(document, most_values=MOST_VALUES)
    except InvalidAnswer as error:
        raise InvalidDefinition(error.problems) from error
    return _validated(document, lines=lines or NO_LINES)


def stored_definition(document: Any) -> Definition:
    """The definition that the database has. It was checked when it was stored.

    What may be stored has become stricter since; an older campaign must still open.
    """
    return _as_stored(json.dumps(document))


@lru_cache(maxsize=64)
def _as_stored(document: str) -> Definition:
    """Kept, because a page asks for the same definition several times, and the next one again."""
    return _validated(json.loads(document), is_stored=True)


def _validated(
    document: Any, *, lines: Mapping[Location, int] = NO_LINES, is_stored: bool = False
) -> Definition:
    """Raise `InvalidDefinition` with every problem of the parts, or of the whole if they are valid.

    Repeated names are found in either case.
    """
    try:
        definition = Definition.model_validate(document, context={"is_stored": is_stored})
        found = list(problems_in(definition))
    except ValidationError as error:
        found = [*problems_found(error), *repeated_names(names_in(document))]
    if found:
        raise InvalidDefinition(
            [Problem(_place(location, lines), words) for location, words in summary(found)]
        )
    return definition


def definition_to_document(definition: Definition) -> dict[str, Any]:
    """The document without values that only repeat a default: what the database and the API
    contain. Choices are pairs: their order is part of the experiment (it numbers the answers), and
    neither PostgreSQL's jsonb nor JSON itself keeps the order of a mapping.
    """
    document = _plain_document(definition)
    for criterion in document["criteria"]:
        if "options" in criterion:
            criterion["options"] = _with_pairs(criterion["options"])
        if reasons := criterion.get("cannot_judge_reasons"):
            criterion["cannot_judge_reasons"] = [list(pair) for pair in reasons.items()]
    for part in ("entry_questions", "end_questions"):
        for question in document.get(part, []):
            if "choices" in question:
                question["choices"] = [list(pair) for pair in question["choices"].items()]
    return document


def _plain_document(definition: Definition) -> dict[str, Any]:
    return {"format": 1} | definition.model_dump(mode="json", exclude_defaults=True)


def _with_pairs(part: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [list(pair) for pair in value.items()] if value and isinstance(value, dict) else value
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

    def check_simple_key(self) -> bool:
        """Names of up to 128 characters are followed by a colon. So are whole sentences here."""
        is_short: bool = super().check_simple_key()
        text = getattr(self.event, "value", "\n")
        return is_short or ("\n" not in text and len(text) < LONGEST_KEY)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_ReadableDumper.add_representer(str, _represent_text)


def preset_names() -> list[str]:
    return sorted(path.stem for path in PRESETS.glob("*.yaml"))


def preset(name: str, language: str = "") -> Definition:
    """A shipped campaign file; its texts in a language, if they are translated into it."""
    if name not in preset_names():
        raise InvalidDefinition(
            [Problem("", f"no preset {name!r}; there are: {', '.join(preset_names())}")]
        )
    definition = _as_shipped(name)
    if not language or language == definition.language:
        return definition
    if language not in languages_of(definition):
        raise InvalidDefinition([Problem("", f"the preset {name!r} has no texts in {language!r}")])
    document = translated(definition_to_document(definition), language)
    return definition_from_document(document)


@cache
def _as_shipped(name: str) -> Definition:
    """Read once per process, as the site's code is: the gallery alone shows all presets."""
    return definition_from_yaml((PRESETS / f"{name}.yaml").read_text(encoding="utf-8"))


def blank_document() -> dict[str, Any]:
    """Return the document of a new campaign, with the settings that most studies share.

    It is not valid: it has neither a title nor a question.
    """
    document: dict[str, Any] = strict_yaml.parse(BLANK.read_text(encoding="utf-8")).data
    return document


def _place(location: Location, lines: Mapping[Location, int]) -> str:
    path = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in location
    ).lstrip(".")
    line = _line(location, lines)
    return f"line {line}, {path}" if line and path else path or (f"line {line}" if line else "")


def _line(location: Location, lines: Mapping[Location, int]) -> int | None:
    """The line of the deepest part of the location that is in the file."""
    parts = (location[:length] for length in range(len(location), -1, -1))
    return next((lines[part] for part in parts if part in lines), None)
