"""Recording the versions of a launched campaign: what changed, why and by whom."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from rankme.errors import RefusedAction
from rankme.models import Campaign, CampaignVersion
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.untrusted.clean_text import storable

LONGEST_REASON = 500


def write_version(
    campaign: Campaign,
    *,
    change: str,
    by: User | None,
    reason: str = "",
    extension: dict[str, Any] | None = None,
) -> CampaignVersion:
    """Store the definition of a locked campaign as its newest version.

    A version covers the same material as the one before, unless it is an extension.
    """
    # The first version has none before it.
    before = campaign.versions.filter(number=campaign.version).first() if campaign.version else None
    covers_all = before is None or change == CampaignVersion.Change.EXTENSION
    version = CampaignVersion.objects.create(
        campaign=campaign,
        number=campaign.version + 1,
        change=change,
        definition=campaign.definition,
        definition_sha256=definition_sha256(campaign.definition),
        items=before.items if before and not covers_all else campaign.items.count(),
        systems=before.systems if before and not covers_all else campaign.systems.count(),
        extension=extension or {},
        reason=reason,
        author=by,
    )
    campaign.version = version.number
    campaign.save(update_fields=["version", "definition", "title"])
    return version


def definition_sha256(document: dict[str, Any]) -> str:
    return hashlib.sha256(canonical(document)).hexdigest()


def checked_reason(reason: str) -> str:
    """The reason for a change as it is stored."""
    reason = reason.strip()
    if not reason:
        raise RefusedAction(_("Say why you change the campaign: the report will quote it."))
    if not storable(reason):
        raise RefusedAction(_("The reason contains a character that cannot be stored."))
    if len(reason) > LONGEST_REASON:
        raise RefusedAction(
            _("The reason may have at most %(most)s characters.") % {"most": LONGEST_REASON}
        )
    return reason
