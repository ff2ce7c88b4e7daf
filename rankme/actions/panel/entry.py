"""Check what the panel has signed about a rater who follows a study's link."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db.models import F
from django.utils import timezone

from rankme.actions import jobs
from rankme.models import Campaign, PanelKeys, PanelStudy
from rankme.panel_calls.calls import PanelAway
from rankme.panel_calls.entry_tokens import (
    TOKEN_PARAMETER,
    UnknownKey,
    UntrustedEntry,
    check_entry,
    read_keys,
)

from .accounts import calls_with
from .study_documents import entry_address, own_names

KEYS_LAST, KEYS_ARE_READ_EVERY = timedelta(days=1), timedelta(hours=1)
# A token with an unknown key makes a worker read the keys, but strangers' tokens not too often.
BETWEEN_READINGS = timedelta(minutes=1)


def is_proven(campaign: Campaign, query: Mapping[str, str], ids: Mapping[str, str]) -> bool:
    """Whether the panel signed that this person comes; False where its study signs nothing.

    Raises
    ------
    UntrustedEntry : the study signs its links, and this one has no valid signature
    PanelAway : the panel's keys have to be read first
    """
    published = campaign.panel_studies.exclude(external_id="")
    study = published.filter(external_id=ids.get("STUDY_ID", "")).first()
    if study is None and published.filter(is_secure=True).exists():
        raise UntrustedEntry("The address is of another study.")
    if study is None or not study.is_secure:
        return False
    try:
        _check(study, query.get(TOKEN_PARAMETER, ""), ids)
    except UntrustedEntry:
        published.filter(pk=study.pk).update(untrusted_entries=F("untrusted_entries") + 1)
        raise
    return True


def _check(study: PanelStudy, token: str, ids: Mapping[str, str]) -> None:
    """Compare a link with its token. The keys come from the database: no page calls a panel."""
    now = timezone.now()
    kept = PanelKeys.objects.filter(address=settings.PROLIFIC_API).first()
    is_usable = kept is not None and kept.fetched_at > now - KEYS_LAST
    try:
        check_entry(
            token,
            ids,
            address=entry_address(study.campaign),
            keys=kept.document if kept is not None and is_usable else {},
            names=own_names(study.campaign),
        )
    except UnknownKey as error:
        if kept is not None and kept.fetched_at > now - BETWEEN_READINGS:
            raise
        if cache.add("panel-keys-asked", True, BETWEEN_READINGS.total_seconds()):
            jobs.send([("rankme.tasks.read_panel_keys", study.pk)])
        raise PanelAway("The panel's keys are being read.") from error


def read_panel_keys() -> None:
    """Store the panel's public keys, for pages that meet signed links."""
    found = {"document": read_keys(calls_with("")), "fetched_at": timezone.now()}
    PanelKeys.objects.update_or_create(address=settings.PROLIFIC_API, defaults=found)


def read_keys_that_are_due() -> None:
    """While a study has signed links, read the keys long before they are too old."""
    open_ones = PanelStudy.objects.filter(is_secure=True).exclude(external_id="")
    recent = PanelKeys.objects.filter(
        address=settings.PROLIFIC_API, fetched_at__gt=timezone.now() - KEYS_ARE_READ_EVERY
    )
    if open_ones.exclude(state=PanelStudy.State.COMPLETED).exists() and not recent.exists():
        read_panel_keys()
