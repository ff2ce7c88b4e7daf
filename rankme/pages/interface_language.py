"""Which language buttons and messages of a campaign are in."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from rankme.protocols.definition import Definition


def interface_language(definition: Definition) -> str:
    """The campaign's own language, or English where the site has no translation.

    It never depends on the browser: all raters of a campaign see the same screens.
    """
    language = definition.language.split("-")[0]
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def in_the_language_of(definition: Definition) -> AbstractContextManager[None]:
    return translation.override(interface_language(definition))


def language_warning(definition: Definition) -> str:
    """What an organiser should know before the launch; empty where nothing is missing."""
    if interface_language(definition) == definition.language.split("-")[0]:
        return ""
    return _(
        "The site has no translation for the language “%(language)s”. Your own texts are shown as "
        "you wrote them. Buttons and messages for raters will be in English."
    ) % {"language": definition.language}
