"""Who comes: what the panel has signed about somebody who follows a study's link."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings

from rankme.models import Campaign
from rankme.panels.entry_tokens import TOKEN_PARAMETER, UntrustedEntry, check_entry

from .accounts import calls_with

TRIES_WHILE_SOMEBODY_WAITS = 2


def is_proven(campaign: Campaign, query: Mapping[str, str], ids: Mapping[str, str]) -> bool:
    """Whether the panel signed that this person comes; False where its study signs nothing.

    Raises
    ------
    UntrustedEntry : the study signs its links, and this one has no valid signature
    PanelError : the panel's keys cannot be read now
    """
    if not campaign.panel_studies.filter(is_secure=True).exclude(external_id="").exists():
        return False
    study = ids.get("STUDY_ID", "")
    if not campaign.panel_studies.filter(external_id=study).exclude(external_id="").exists():
        raise UntrustedEntry("The address is of another study.")
    audience = [settings.SITE_URL, urlsplit(settings.SITE_URL).netloc]
    calls = calls_with("", tries=TRIES_WHILE_SOMEBODY_WAITS)
    check_entry(query.get(TOKEN_PARAMETER, ""), ids, audience=audience, calls=calls)
    return True
