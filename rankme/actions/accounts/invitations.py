"""Personal links for raters whom the organiser knows by name."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, Invitation

MOST_AT_ONCE = 1_000


@transaction.atomic
def invite_raters(campaign: Campaign, names: Sequence[str], *, by: User) -> list[Invitation]:
    """Create one personal link per name; an empty name creates an unnamed link."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.is_over:
        raise RefusedAction(_("This campaign is closed: new links would not let anybody in."))
    if not 1 <= len(names) <= MOST_AT_ONCE:
        raise RefusedAction(
            _("Create between 1 and %(most)s links at a time.") % {"most": MOST_AT_ONCE}
        )
    invitations = Invitation.objects.bulk_create(
        Invitation(campaign=campaign, token=secrets.token_urlsafe(16), name=name[:200])
        for name in names
    )
    note(campaign, by, gettext_noop("raters invited"), invitations=len(invitations))
    return invitations
