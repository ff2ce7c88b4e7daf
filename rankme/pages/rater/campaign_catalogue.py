"""A campaign's own words (`words` in its file) on top of one of the site's catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.utils.html import conditional_escape, escape
from django.utils.translation import trans_real

# Part of the text and not of a gap: formatting would fail on it.
STRAY_PERCENT = re.compile(r"%(?!\(\w+\)[sd])(?!d\b)")


# What `activate` sets: an object of its own for each thread.
ACTIVE: Any = trans_real._active  # type: ignore[attr-defined]


class PlainWord(str):
    """A word for scripts, which put it on the page as text."""

    def __mod__(self, values: Any) -> str:
        return str.__mod__(STRAY_PERCENT.sub("%%", self), values)


class EscapedWord(str):
    """A word that is HTML already. What is put into its gaps is escaped, too."""

    def __html__(self) -> str:
        return str.__str__(self)

    def __str__(self) -> str:
        return self  # templates turn lazy translations into text, and must not escape them again

    def __mod__(self, values: Any) -> EscapedWord:
        if isinstance(values, Mapping):
            values = {
                name: conditional_escape(value) if isinstance(value, str) else value
                for name, value in values.items()
            }
        return EscapedWord(str.__mod__(STRAY_PERCENT.sub("%%", self), values))


class CampaignCatalogue:
    """What Django asks for its texts while it answers a request of one campaign's rater.

    Django trusts translations as it trusts templates, and does not escape them. These are an
    organiser's, so they are escaped here; scripts and JSON ask for them as `plain`.
    """

    def __init__(
        self, language: str, base: str, words: Mapping[str, str], *, is_plain: bool = False
    ) -> None:
        self._language = language
        self._base = trans_real.translation(base)
        self._words = words
        self._is_plain = is_plain
        self._arguments = (language, base, words)

    def plain(self) -> CampaignCatalogue:
        return CampaignCatalogue(*self._arguments, is_plain=True)

    def to_language(self) -> str:
        return self._language

    def gettext(self, message: str) -> str:
        own = self._own(message)
        return self._base.gettext(message) if own is None else own

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        own = self._own(singular if number == 1 else plural)
        return self._base.ngettext(singular, plural, number) if own is None else own

    def _own(self, message: str) -> str | None:
        # In templates a percent sign of the text itself is doubled.
        text = self._words.get(message.replace("%%", "%"))
        if not text:
            return None
        return PlainWord(text) if self._is_plain else EscapedWord(escape(text))


@contextmanager
def speaking(catalogue: CampaignCatalogue) -> Iterator[None]:
    """Answer with this catalogue's texts, in this thread and until the end of the block.

    `translation.override` takes the names of languages only.
    """
    before = _active()
    ACTIVE.value = catalogue
    try:
        yield
    finally:
        if before is None:
            trans_real.deactivate()
        else:
            ACTIVE.value = before


@contextmanager
def in_plain_text() -> Iterator[None]:
    """For texts that scripts show: they put them on the page as text, never as HTML."""
    catalogue = _active()
    if not isinstance(catalogue, CampaignCatalogue):
        yield
        return
    with speaking(catalogue.plain()):
        yield


def _active() -> Any:
    return getattr(ACTIVE, "value", None)
