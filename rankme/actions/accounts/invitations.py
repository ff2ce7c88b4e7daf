"""Personal links for raters whom the organiser knows by name."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.accounts.work_pages import join_work_pages
from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, Invitation
from rankme.protocols.files import stored_definition

MOST_AT_ONCE = 1_000
# What a consent says that named links make untrue (the presets said so before version 1.5), and
# what an address that is kept for reminders does. Addresses of networks are others.
PROMISES_NO_NAMES = re.compile(
    r"\b(?:do not|don't|never) (?:store|save|keep|record) (?:your|any) (?:real )?names?\b"
    r"|\bNamen\b[^.]*\bspeichern wir nicht\b|\bspeichern (?:Ihren|keinen) Namen\b"
    r"|\bjméno\b[^.]*\bneukládáme\b|لا نحفظ اسمك",
    re.IGNORECASE,
)
PROMISES_NO_ADDRESSES = re.compile(
    r"\b(?:do not|don't|never) (?:store|save|keep|record) [^.]*(?<!IP )(?<!network )\baddress"
    r"|(?<!IP-)\bAdressen?\b[^.]*\bspeichern wir nicht\b"
    r"|\bspeichern (?:weder|keine)\b[^.]*(?<!IP-)\bAdressen?\b"
    r"|(?<!IP )(?<!síťovou )\badres[uy]?\b[^.]*\bneukládáme\b|لا نحفظ [^.]*عنوانك",
    re.IGNORECASE,
)


@transaction.atomic
def invite_raters(
    campaign: Campaign,
    names: Sequence[str],
    *,
    by: User,
    on_pages: bool = False,
    within: QuerySet[Campaign] | None = None,
) -> list[Invitation]:
    """Create one personal link per name; an empty name creates an unnamed link.

    With `on_pages`, links are added to the pages of all work that raters of these names have, in
    the campaigns of the account, or in those of `within`.
    """
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.is_over:
        raise RefusedAction(_("This campaign is closed: new links would not let anybody in."))
    if not 1 <= len(names) <= MOST_AT_ONCE:
        raise RefusedAction(
            _("Create between 1 and %(most)s links at a time.") % {"most": MOST_AT_ONCE}
        )
    if any(names):
        refuse_broken_promise(stored_definition(campaign.definition).texts.promises)
    invitations = Invitation.objects.bulk_create(
        Invitation(campaign=campaign, token=secrets.token_urlsafe(16), name=name[:200])
        for name in names
    )
    if on_pages:
        join_work_pages(invitations, by=by, within=within)
    note(campaign, by, gettext_noop("raters invited"), invitations=len(invitations))
    return invitations


def refuse_broken_promise(consent: str, *, addresses: bool = False) -> None:
    """Refuse a consent that promises to store no names, or no addresses, where they are kept."""
    if addresses:
        promised = PROMISES_NO_ADDRESSES.search(consent)
        words = _(
            "The consent says “%(promise)s”, which an address that is kept makes untrue. "
            "Change the consent, or send links without keeping the address."
        )
    else:
        promised = PROMISES_NO_NAMES.search(consent)
        words = _(
            "The consent says “%(promise)s”, which names of personal links make untrue. Change "
            "the consent, or create links without names."
        )
    if promised:
        raise RefusedAction(words % {"promise": promised[0]})
