"""Audit events of what people do with their accounts."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import password_changed, password_reset, user_logged_in
from allauth.mfa import signals as factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as single_sign_on
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django.utils.translation import gettext_noop

from rankme.actions.accounts.passwords import CHANGED, LOGGED_OUT, note_login
from rankme.actions.audit import note
from rankme.networks import network_of

RESET = gettext_noop("password reset by mail")
ADDED = gettext_noop("second factor added")
REMOVED = gettext_noop("second factor removed")
RENEWED = gettext_noop("recovery codes renewed")
RECOVERED = gettext_noop("recovery code used")
REFUSED = gettext_noop("second factor refused")
CONNECTED = gettext_noop("single sign-on connected")
DISCONNECTED = gettext_noop("single sign-on disconnected")


@receiver(user_logged_in)
def note_logged_in(request: HttpRequest, user: User, **more: Any) -> None:
    """Note a login when all of its steps are done."""
    note_login(user, address=network_of(request))


@receiver(user_logged_out)
def note_logged_out(user: User | None, **more: Any) -> None:
    if user is not None:
        note(None, user, LOGGED_OUT)


PASSWORDS = {password_changed: CHANGED, password_reset: RESET}
FACTORS = {
    factors.authenticator_added: ADDED,
    factors.authenticator_removed: REMOVED,
    factors.authenticator_reset: RENEWED,
    factors.authentication_failed: REFUSED,
}


@receiver(list(PASSWORDS))
def note_password(user: User, signal: Signal, **more: Any) -> None:
    note(None, user, PASSWORDS[signal])


@receiver(list(FACTORS))
def note_factor(user: User, authenticator: Authenticator, signal: Signal, **more: Any) -> None:
    note(None, user, FACTORS[signal], kind=authenticator.type)


@receiver(factors.authenticator_used)
def note_recovered(user: User, authenticator: Authenticator, **more: Any) -> None:
    """Note codes for recovery alone: the others are a part of a login, which is noted."""
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        note(None, user, RECOVERED, kind=authenticator.type)


@receiver(single_sign_on.social_account_added)
def note_connected(sociallogin: SocialLogin, **more: Any) -> None:
    note(None, sociallogin.user, CONNECTED, provider=sociallogin.account.provider)


@receiver(single_sign_on.social_account_removed)
def note_disconnected(socialaccount: SocialAccount, **more: Any) -> None:
    note(None, socialaccount.user, DISCONNECTED, provider=socialaccount.provider)
