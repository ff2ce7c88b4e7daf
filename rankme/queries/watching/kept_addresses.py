"""The addresses that are kept with personal links, sealed, for reminders."""

from __future__ import annotations

import logging

from rankme.errors import RefusedAction
from rankme.models import Invitation
from rankme.panel_calls.sealed import unseal

log = logging.getLogger(__name__)


def kept_address(link: Invitation) -> str:
    """Return the address; an empty text if none is kept, or if the key of the site is gone."""
    if not link.mail:
        return ""
    try:
        return unseal(link.mail)
    except RefusedAction:
        log.error("The address of personal link %s was stored with a key that is gone", link.pk)
        return ""
