"""Keys for scripts: made in the browser, or for a password; kept as a hash; they end.

A new password revokes all keys of its account. That is a trigger of the database, so it holds for
every way in which a password can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.link_secrets import hash_of, new_secret
from rankme.errors import RefusedAction
from rankme.models import ApiKey, Campaign, Role
from rankme.permissions import ROLES, rights_in

from .passwords import WrongPassword, check_password, note_login
from .second_factors import has_second_factor, lacks_second_factor

MOST_DAYS, MOST_CALLS, MOST_KEYS = 366, 6_000, 100


@dataclass(frozen=True)
class KeyPlan:
    """What a key is to be: in these campaigns, or in all if there are none."""

    name: str = ""
    role: str = Role.OWNER
    campaigns: Sequence[Campaign] = ()
    days: int = MOST_DAYS
    calls_per_minute: int = 600


@dataclass(frozen=True)
class MadeKey:
    key: ApiKey
    secret: str  # shown once


@transaction.atomic
def make_key(user: User, plan: KeyPlan) -> MadeKey:
    """Make a key, which is at most what the account is in each of the campaigns."""
    User.objects.select_for_update().get(pk=user.pk)  # so that the limit holds
    if _at_work(user).count() >= MOST_KEYS:
        raise RefusedAction(_("You have many keys already. Revoke those that you do not need."))
    for campaign in plan.campaigns:
        if not ROLES[Role(plan.role)] <= rights_in(campaign, user):
            raise RefusedAction(
                _("In the campaign “%(title)s”, your role allows less than this key would.")
                % {"title": campaign.title}
            )
    secret = new_secret()
    key = ApiKey.objects.create(
        owner=user,
        name=plan.name,
        hash=stored_key(secret),
        role=plan.role,
        in_all_campaigns=not plan.campaigns,
        calls_per_minute=plan.calls_per_minute,
        ends_at=timezone.now() + timedelta(days=plan.days),
    )
    key.campaigns.set(plan.campaigns)
    note(None, user, gettext_noop("token given"), key=key.pk, name=plan.name, role=plan.role)
    return MadeKey(key, secret)


def obtain_key(username: str, password: str, *, address: str, plan: KeyPlan | None = None) -> str:
    """Make a key for a password; the previous one that was made so ends."""
    user = check_password(username, password, address=address)
    if user is None:
        raise WrongPassword("Wrong name or password.")
    if has_second_factor(user) or lacks_second_factor(user):
        raise RefusedAction(
            _("A password is not enough for a second factor: make the key in the browser.")
        )
    note_login(user, address=address)
    with transaction.atomic():
        _at_work(user).filter(name="").update(revoked_at=Now())
        return make_key(user, plan or KeyPlan()).secret


@transaction.atomic
def revoke_key(key: ApiKey) -> None:
    """End a key now; one that is revoked stays as it is."""
    if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=Now()):
        note(None, key.owner, gettext_noop("token revoked"), key=key.pk, name=key.name)


def stored_key(secret: str) -> str:
    """Hash a key for the database, which has room for 160 bits."""
    return hash_of(secret)[:40]


def _at_work(user: User) -> Any:
    return ApiKey.objects.filter(owner=user, revoked_at=None, ends_at__gt=Now())
