"""Second factors of accounts: who needs one, and how often a code can be tried."""

from __future__ import annotations

from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.rate_limits import Limit, give_back, take

# Those that open an account; codes for recovery only stand in for them.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
# A code has too few digits to be guessed at for long.
GUESSES = Limit("second factor", most=10, again_every=timedelta(minutes=5))
# An app's code is accepted for three times thirty seconds; within them it works once.
USES = Limit("code of a second factor", most=1, again_every=timedelta(minutes=2))
RESET = gettext_noop("second factors removed by an operator")


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user_id=user.pk, type__in=FACTORS).exists())


def lacks_second_factor(user: User) -> bool:
    """Whether this account needs a second factor that it does not have."""
    return bool(settings.SECOND_FACTOR_REQUIRED) and not has_second_factor(user)


@transaction.atomic
def remove_second_factors(user: User) -> int:
    """Let somebody who has lost all factors and codes log in with the password alone."""
    removed = int(Authenticator.objects.filter(user_id=user.pk).delete()[0])
    note(None, None, RESET, user=user.get_username())
    return removed


def may_guess(user: User) -> bool:
    return take(GUESSES, user.pk)


def was_no_guess(user: User) -> None:
    """Take back what a right code used up."""
    give_back(GUESSES, user.pk)


def use_code(user: User, code: str) -> bool:
    """Use a code; False if it was used already."""
    return take(USES, user.pk, code)
