"""In which words raters read the site's own texts, and which of them a language still lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext, trans_real

from rankme.protocols.definition import Definition
from rankme.protocols.rater_texts import OF_DJANGO, RaterText, rater_texts, texts_needed

SEVERAL = 5
# Part of the text and not of a gap: formatting would fail on it.
STRAY_PERCENT = re.compile(r"%(?!\(\w+\)[sd])(?!d\b)")
PERCENT_IN_HTML = format_html("&#{};", ord("%"))
# Python fills their gaps, and templates escape the result.
ESCAPED_LATER = frozenset(text for forms in OF_DJANGO for text in forms)

_is_plain = ContextVar("_is_plain", default=False)


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


# --- A campaign's own words (`words` in its file) on top of one of the site's catalogues ----------


def in_the_language_of(definition: Definition, chosen: str = "") -> AbstractContextManager[None]:
    """The campaign's own words, then the site's catalogue of its language, then English.

    It never depends on the browser: all raters of a campaign see the same screens, unless the
    campaign lets them choose.
    """
    if chosen and chosen != definition.language:
        return translation.override(catalogue_for(chosen))
    base = catalogue_for(definition.language)
    if not definition.words:
        return translation.override(base)
    return speaking(definition.language, CampaignCatalogue(base, definition.words))


class CampaignCatalogue(NullTranslations):
    """The texts of one campaign; its fallback is the site's catalogue.

    Django trusts translations as it trusts templates, and does not escape them. These are an
    organiser's, so they are HTML already, except `in_plain_text`.
    """

    def __init__(self, base: str, words: Mapping[str, str]) -> None:
        super().__init__()
        self.add_fallback(trans_real.translation(base))
        self.words = words

    def gettext(self, message: str) -> str:
        return self._own(message) or super().gettext(message)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        own = self._own(singular if number == 1 else plural)
        return own or super().ngettext(singular, plural, number)

    def _own(self, message: str) -> str:
        # In templates a percent sign of the text itself is doubled.
        text = self.words.get(message.replace("%%", "%"), "")
        if _is_plain.get() or message in ESCAPED_LATER:
            return STRAY_PERCENT.sub("%%", text) if "%(" in message else text
        return format_html_join(
            PERCENT_IN_HTML, "{}", ((part,) for part in STRAY_PERCENT.split(text))
        )


@contextmanager
def speaking(language: str, catalogue: CampaignCatalogue) -> Iterator[None]:
    """Answer with this catalogue's texts, in this thread and until the end of the block."""
    # None installs an empty catalogue, which belongs to this block alone.
    with translation.override(None):
        empty: Any = trans_real.catalog()
        empty.add_fallback(catalogue)
        empty.to_language = lambda: language
        yield


@contextmanager
def in_plain_text() -> Iterator[None]:
    """For texts that are shown as text, never as HTML: by scripts on a page, and in mails."""
    before = _is_plain.set(True)
    try:
        yield
    finally:
        _is_plain.reset(before)
