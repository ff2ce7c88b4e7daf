"""What this site decides where django-allauth asks."""

from __future__ import annotations

import logging
from ipaddress import ip_address
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from rankme.actions.accounts.passwords import TooManyAttempts, check_password
from rankme.actions.accounts.second_factors import FACTORS
from rankme.networks import network_of
from rankme.panel_calls.sealed import seal, unseal
from rankme.sign_in.browsers import browser_name

log = logging.getLogger(__name__)

UNKNOWN = "0.0.0.0"


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by an operator, and guessing is limited for all processes together."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "enter_current_password": _("Your old password was entered incorrectly. Enter it again."),
        "too_many_login_attempts": _("Too many wrong passwords. Wait a minute and try again."),
    }

    def is_safe_url(self, url: str | None) -> bool:
        """Only this host is safe: django-allauth takes every name in ALLOWED_HOSTS for it."""
        request = context.request
        return url_has_allowed_host_and_scheme(
            url, {request.get_host()}, require_https=request.is_secure()
        )

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Check a password, at the login and when it is asked for again."""
        name, password = credentials.get("username", ""), credentials.get("password", "")
        try:
            return check_password(name, password, address=network_of(request), request=request)
        except TooManyAttempts as refusal:
            raise self.validation_error("too_many_login_attempts") from refusal

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail; what it is about has happened, whether the mail server answers or not."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError as error:  # also what smtplib raises
            log.error("A mail was not sent (%s): %s", template_prefix, error)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address for the list of sessions, whose column takes nothing else."""
        address: str = request.META.get("REMOTE_ADDR", "")
        try:
            return str(ip_address(address))
        except ValueError:
            return UNKNOWN


class SecondFactors(DefaultMFAAdapter):
    """Stores secrets encrypted, with a key that only the environment has."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_delete_authenticator": _(
            "This site requires a second factor. Add another one before you remove this one."
        ),
    }

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """Propose the browser's name for a new passkey, which says where it is."""
        return browser_name(context.request.headers.get("User-Agent", ""))

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Keep the last one where the site requires one."""
        if not settings.SECOND_FACTOR_REQUIRED:
            return True
        others = Authenticator.objects.filter(user_id=authenticator.user_id, type__in=FACTORS)
        return bool(others.exclude(pk=authenticator.pk).exists())
