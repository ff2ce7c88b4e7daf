"""Recording who did what."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from rankme.models import AuditEvent, Campaign, Judgement
from rankme.models.campaigns import SEEN

DAMAGED = gettext_noop("record damaged")
INTACT = gettext_noop("record intact again")
IDENTITIES_SEEN = gettext_noop("identities seen")
# Within this time, reading the same thing again is the same look.
ONE_LOOK = timedelta(hours=1)


def note(campaign: Campaign | None, actor: User | None, verb: str, **detail: object) -> AuditEvent:
    """Write an audit event in the caller's transaction."""
    return AuditEvent.objects.create(
        campaign=campaign,
        actor=actor,
        verb=verb,
        detail=detail,
    )


def note_seen(campaign: Campaign, what: str, *, by: User) -> None:
    """Note that somebody read judgements with their systems, unless it is the same look.

    Also after the close: a campaign can be opened again.
    """
    if campaign.is_draft or campaign.is_archive:
        return
    if _is_same_look(campaign, SEEN, what, by):
        return
    if judgements := count_judgements(campaign):
        note(campaign, by, SEEN, what=what, judgements=judgements)


def note_identities(campaign: Campaign, what: str, *, by: User) -> None:
    """Note that somebody saw who raters are, unless it is the same look."""
    if not _is_same_look(campaign, IDENTITIES_SEEN, what, by):
        note(campaign, by, IDENTITIES_SEEN, what=what)


def note_names_shown(campaign: Campaign, *, by: User) -> None:
    """Note who looked at the names of systems. Others have read the judgements by code."""
    note(campaign, by, gettext_noop("names of systems shown"))


def _is_same_look(campaign: Campaign, verb: str, what: str, by: User) -> bool:
    looks = AuditEvent.objects.filter(campaign=campaign, verb=verb, actor=by, detail__what=what)
    return looks.filter(happened_at__gt=Now() - ONE_LOOK).exists()


def count_judgements(campaign: Campaign) -> int:
    return Judgement.objects.filter(submission__assignment__campaign=campaign).count()


def last_fault(campaign: Campaign | None) -> str:
    """Return the fault that the last check of the record found, or an empty text."""
    events = AuditEvent.objects.filter(campaign=campaign, verb__in=[DAMAGED, INTACT])
    newest = events.order_by("-number").first()
    return str(newest.detail.get("fault", "")) if newest else ""
