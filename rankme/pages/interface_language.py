"""Which language buttons and messages of a campaign are in, and in whose words."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _

from rankme.errors import InvalidDefinition
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.words import catalogue_for, missing_texts, needed_texts
from rankme.untrusted.clean_text import storable

from .campaign_catalogue import CampaignCatalogue, speaking


def in_the_language_of(definition: Definition) -> AbstractContextManager[None]:
    """The campaign's own words, then the site's catalogue of its language, then English.

    It never depends on the browser: all raters of a campaign see the same screens.
    """
    if not definition.words:
        return translation.override(catalogue_for(definition.language))
    return speaking(
        CampaignCatalogue(definition.language, catalogue_for(definition.language), definition.words)
    )


def in_the_language_of_raters(
    request: HttpRequest, definition: Definition
) -> AbstractContextManager[None]:
    """The same for a rater's request, which remembers it in case that it ends on an error page."""
    request.rater_definition = definition  # type: ignore[attr-defined]
    return in_the_language_of(definition)


def in_the_language_of_an_error(
    request: HttpRequest, *, may_ask: bool
) -> AbstractContextManager[None]:
    """The campaign's language if the address is that of a campaign, else the browser's.

    `may_ask` says whether the database can be asked for a campaign that no view has read yet.
    """
    definition = getattr(request, "rater_definition", None)
    if definition is None and may_ask:
        definition = _definition_at(request.path_info)
    if definition is None:
        return translation.override(translation.get_language_from_request(request))
    return in_the_language_of(definition)


def _definition_at(path: str) -> Definition | None:
    """The definition of the launched campaign that a rater's address names."""
    parts = path.split("/")
    if parts[1:2] != ["r"] or not storable(path):
        return None
    try:
        campaign = Campaign.objects.filter(
            code=parts[2], launched_at__isnull=False, is_archive=False
        ).first()
        return campaign and frozen_definition(campaign).definition
    except (DatabaseError, InvalidDefinition):
        return None


def language_warning(definition: Definition) -> str:
    """What an organiser should know before the launch; empty where nothing is missing."""
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
