"""The texts of presets in other languages than English, paragraph by paragraph.

`translations/de.json` has each English paragraph with its translation. A preset is offered
in a language when every text that raters read is translated. What raters judge is not: it stays as
it is, like the names in the answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from rankme.protocols.definition import Definition
from rankme.protocols.texts import THANKS

TRANSLATIONS = Path(__file__).parent / "translations"
PARAGRAPHS = "\n\n"
Text = Callable[[str], str]


def languages_of(definition: Definition) -> list[str]:
    """The languages that a preset comes in, its own first."""
    texts = set(texts_for_raters(definition))
    found = [
        language
        for language in sorted(path.stem for path in TRANSLATIONS.glob("*.json"))
        if all(_translation(text, language) is not None for text in texts)
    ]
    return [definition.language, *found]


def texts_for_raters(definition: Definition) -> Iterator[str]:
    """Every text of a campaign file that raters read, without what they judge."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    _in_document(definition.model_dump(mode="json"), note)
    yield from (text for text in found if text)


def translated(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The document with its texts in a language; a text without a translation stays."""
    return _in_document(document, lambda text: _translation(text, language) or text) | {
        "language": language
    }


def missing(definition: Definition, language: str) -> list[str]:
    """The texts that have no translation yet."""
    return [text for text in texts_for_raters(definition) if _translation(text, language) is None]


def _translation(text: str, language: str) -> str | None:
    table = _table(language)
    paragraphs = [table.get(" ".join(part.split())) for part in text.split(PARAGRAPHS)]
    found = [part for part in paragraphs if part is not None]
    return PARAGRAPHS.join(found) if len(found) == len(paragraphs) else None


@lru_cache(maxsize=8)
def _table(language: str) -> dict[str, str]:
    table: dict[str, str] = json.loads((TRANSLATIONS / f"{language}.json").read_text("utf-8"))
    return table


def _in_document(document: Mapping[str, Any], say: Text) -> dict[str, Any]:
    """A copy of a campaign file in which `say` was applied to every text for raters."""
    copy = _said(document, say, "title")
    copy["criteria"] = [
        _said(criterion, say, "question", "low", "high")
        | ({"options": _options(criterion["options"], say)} if criterion.get("options") else {})
        | _with_choices(criterion, say, "cannot_judge_reasons")
        for criterion in document["criteria"]
    ]
    copy["screens"] = [
        _said(screen, say, "title")
        | {"show": [_said(block, say, "title", "text") for block in screen["show"]]}
        for screen in document["screens"]
    ]
    copy["texts"] = _said(document["texts"], say, "consent", "instructions", "digest")
    # The site says its own thanks in the language of its buttons.
    if document["texts"].get("thanks", THANKS) != THANKS:
        copy["texts"]["thanks"] = say(document["texts"]["thanks"])
    for part in ("entry_questions", "end_questions"):
        copy[part] = [
            _said(question, say, "question") | _with_choices(question, say)
            for question in document.get(part, [])
        ]
    copy["practice"] = [_said(trial, say, "feedback") for trial in document.get("practice", [])]
    if words := document.get("words"):
        copy["words"] = {key: say(text) for key, text in words.items()}
    return copy


def _said(part: Mapping[str, Any], say: Text, *names: str) -> dict[str, Any]:
    spoken = {name: say(part[name]) for name in names if part.get(name)}
    return {**part, **spoken}


def _options(options: Mapping[str, Any], say: Text) -> dict[str, Any]:
    copy = _said(options, say, "none")
    for name in ("choices", "severities", "categories", "anchors"):
        copy |= _with_choices(options, say, name)
    if labels := options.get("labels"):
        copy["labels"] = [say(label) for label in labels]
    return copy


def _with_choices(part: Mapping[str, Any], say: Text, name: str = "choices") -> dict[str, Any]:
    """Names with their texts, as a mapping or as pairs."""
    choices = part.get(name)
    if not choices:
        return {}
    if isinstance(choices, Mapping):
        return {name: {key: say(text) for key, text in choices.items()}}
    return {name: [[key, say(text)] for key, text in choices]}
