"""The language in which a rater's request is answered, and which one a rater chose."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from rankme.errors import InvalidDefinition
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.queries.definitions import FrozenDefinition, frozen_definition
from rankme.queries.words import in_the_language_of, missing_texts, needed_texts
from rankme.untrusted.clean_text import storable

from .rater_identity import ACCESS_DAYS

T = TypeVar("T")
PARAMETER = "interface"
COOKIE = "__Secure-rater-language" if settings.SESSION_COOKIE_SECURE else "rater-language"


def in_the_language_of_raters(
    request: HttpRequest, frozen: FrozenDefinition, recorded: str = ""
) -> AbstractContextManager[None]:
    """The same for a rater's request, which remembers it in case that it ends on an error page.

    `recorded` is the language in which the rater gave consent.
    """
    definition = frozen.definition
    chosen = chosen_language(request, definition, recorded)
    visit = RaterVisit(definition, chosen, offered_languages(definition), frozen.kept)
    request.rater_visit = visit  # type: ignore[attr-defined]
    return in_the_language_of(definition, chosen)


@dataclass(frozen=True)
class RaterVisit:
    """The facts about a rater's request that templates and error pages use."""

    definition: Definition
    language: str
    offered: dict[str, str]
    kept: dict[Hashable, Any]

    def once(self, part: Hashable, make: Callable[[], T]) -> T:
        """A part of pages that only the version and the language decide, made once."""
        key = (part, self.language, translation.get_language())
        if key not in self.kept:
            self.kept[key] = make()
        found: T = self.kept[key]
        return found


def offered_languages(definition: Definition) -> dict[str, str]:
    """The languages among which raters choose, with their own names; empty: there is no choice."""
    if not definition.languages:
        return {}
    return {code: _own_name(code) for code in (definition.language, *definition.languages)}


def _own_name(code: str) -> str:
    try:
        return str(translation.get_language_info(code)["name_local"])
    except KeyError:
        return code


def chosen_language(request: HttpRequest, definition: Definition, recorded: str = "") -> str:
    """The language that the rater chose, now or earlier; else the campaign's."""
    wishes = (request.GET.get(PARAMETER), request.COOKIES.get(COOKIE), recorded)
    offered = offered_languages(definition)
    return next((wish for wish in wishes if wish in offered), definition.language)


def remember_language(request: HttpRequest, response: HttpResponse, campaign: Campaign) -> None:
    """Keep a choice that came with this request, for this campaign's pages alone."""
    chosen = request.GET.get(PARAMETER)
    if chosen not in offered_languages(frozen_definition(campaign).definition):
        return
    response.set_cookie(
        COOKIE,
        chosen,
        max_age=ACCESS_DAYS * 86_400,
        path=reverse("rankme:enter", args=[campaign.code]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def in_the_language_of_an_error(
    request: HttpRequest, *, may_ask: bool
) -> AbstractContextManager[None]:
    """The campaign's language if the address is that of a campaign, else the browser's.

    `may_ask` says whether the database can be asked for a campaign that no view has read yet.
    """
    visit: RaterVisit | None = getattr(request, "rater_visit", None)
    if visit is not None:
        return in_the_language_of(visit.definition, visit.language)
    definition = _definition_at(request.path_info) if may_ask else None
    if definition is None:
        return translation.override(translation.get_language_from_request(request))
    return in_the_language_of(definition, chosen_language(request, definition))


def _definition_at(path: str) -> Definition | None:
    """The definition of the launched campaign that a rater's address names."""
    parts = path.split("/")
    if parts[1:2] != ["r"] or not storable(path):
        return None
    try:
        campaign = Campaign.objects.filter(
            code=parts[2], launched_at__isnull=False, is_archive=False
        ).first()
        return None if campaign is None else frozen_definition(campaign).definition
    except (DatabaseError, InvalidDefinition):
        return None


def language_warning(definition: Definition) -> str:
    """Warn the organiser about missing translations before the launch; empty if there are none."""
    missing = missing_texts(definition)
    if not missing:
        return ""
    return _(
        "The site has no translation for the language “%(language)s”. Your own texts are shown as "
        "you wrote them. %(missing)s of %(all)s buttons and messages for raters will be in English."
    ) % {
        "language": definition.language,
        "missing": len(missing),
        "all": len(needed_texts(definition)),
    }
