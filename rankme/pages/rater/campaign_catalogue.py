"""A campaign's own words (`words` in its file) on top of one of the site's catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Any

from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.translation import trans_real

from rankme.protocols.rater_texts import OF_DJANGO

# Part of the text and not of a gap: formatting would fail on it.
STRAY_PERCENT = re.compile(r"%(?!\(\w+\)[sd])(?!d\b)")
PERCENT_IN_HTML = format_html("&#{};", ord("%"))
# Python fills their gaps, and templates escape the result.
ESCAPED_LATER = frozenset(text for forms in OF_DJANGO for text in forms)

_is_plain = ContextVar("_is_plain", default=False)


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
    """For texts that scripts show: they put them on the page as text, never as HTML."""
    before = _is_plain.set(True)
    try:
        yield
    finally:
        _is_plain.reset(before)
