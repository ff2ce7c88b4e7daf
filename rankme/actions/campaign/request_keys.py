"""Making a campaign once, however often a script asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from rankme.errors import InvalidInput, KeyReused, Problem
from rankme.models import Campaign, RequestKey
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.untrusted.clean_text import storable

LONGEST_KEY = 100


@transaction.atomic
def create_once(owner: User, key: str, asked: object, create: Callable[[], Campaign]) -> Campaign:
    """Make the campaign, or return the one that this key made before.

    Parameters
    ----------
    key : chosen by the script, for one campaign of this owner
    asked : the request's content; with the same key it must be the same
    create : makes the campaign

    Raises
    ------
    KeyReused : the key made a campaign from another request
    InvalidInput : the key is empty, too long or cannot be stored
    """
    if not 0 < len(key) <= LONGEST_KEY or not storable(key):
        message = _("The key has between 1 and %(most)s characters.") % {"most": LONGEST_KEY}
        raise InvalidInput([Problem("Idempotency-Key", message)])
    # One request at a time: two with the same key would both find nothing.
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    sha256 = hashlib.sha256(canonical({"asked": asked})).hexdigest()
    earlier = RequestKey.objects.filter(owner=owner, key=key).select_related("campaign").first()
    if earlier is None:
        campaign = create()
        RequestKey.objects.create(owner=owner, key=key, sha256=sha256, campaign=campaign)
        return campaign
    if earlier.sha256 != sha256:
        message = _("This key has already made a campaign from another request.")
        raise KeyReused(key, message)
    return earlier.campaign
