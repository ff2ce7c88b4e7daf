"""In which words raters read the site's own texts, and which of them a language still lacks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, ngettext

from rankme.protocols.definition import Definition
from rankme.protocols.rater_texts import RaterText, rater_texts, texts_needed

SEVERAL = 5


def catalogue_for(language: str) -> str:
    """The site's catalogue for a language, or English where there is none."""
    name = language.split("-")[0]
    return name if name in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def is_spoken(language: str) -> bool:
    """Whether the site itself has the texts in this language."""
    return catalogue_for(language) == language.split("-")[0]


def needed_texts(definition: Definition) -> list[RaterText]:
    """The texts that raters of this campaign can meet."""
    return texts_needed(criterion.instrument for criterion in definition.criteria)


def missing_texts(definition: Definition) -> list[RaterText]:
    """The texts that raters would read in English although the campaign has another language."""
    if is_spoken(definition.language):
        return []
    return [text for text in needed_texts(definition) if not definition.words.get(text.key)]


def current_words(
    language: str, definition: Definition | None = None, *, texts: Sequence[RaterText] | None = None
) -> dict[str, str]:
    """Map English texts to the raters' texts in this language; empty where there is none."""
    if texts is None:
        texts = needed_texts(definition) if definition else list(rater_texts().values())
    own = definition.words if definition and definition.language == language else {}
    if not is_spoken(language):
        return {text.key: own.get(text.key, "") for text in texts}
    with translation.override(catalogue_for(language)):
        return {text.key: own.get(text.key) or _translated(text) for text in texts}


def _translated(text: RaterText) -> str:
    if text.forms is None:
        return gettext(text.key)
    return ngettext(*text.forms, 1 if text.key == text.forms[0] else SEVERAL)


def words_file(language: str, words: Mapping[str, str]) -> str:
    """The part of a campaign file that says these words, to be filled in."""
    pairs = [f"  {_quoted(key)}: {_quoted(text)}" for key, text in words.items()]
    return "\n".join(
        [
            "# What raters read on buttons and in messages: the English text, then yours.",
            "# Keep %(names)s and {names}: they are filled in. An empty text leaves the English.",
            "# Two texts that differ in number only are for one thing and for any other number.",
            f"language: {language}",
            "words:" if pairs else "words: {}",
            *pairs,
            "",
        ]
    )


def _quoted(text: str) -> str:
    """In quotation marks as JSON has them, which YAML reads as well."""
    return json.dumps(text, ensure_ascii=False)
