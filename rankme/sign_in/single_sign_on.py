"""Signing in at an OpenID Connect provider, such as a university's, instead of with a password."""

from __future__ import annotations

import logging
from typing import Any, NoReturn

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import AuthError
from django.contrib import messages
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.sign_on_provider import provider_name

log = logging.getLogger(__name__)


class Adapter(DefaultSocialAccountAdapter):
    """Accounts are made by an operator, and a provider opens only those that are connected to it.

    They are found by `sub`, which the provider gives to nobody else, and never by a name or a mail
    address, which somebody else can have later.
    """

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Say what a person without a connected account can do."""
        messages.warning(
            request,
            _(
                "No account is connected to %(name)s yet. Log in with your password, and connect "
                "it under “Single sign-on” once. The administrator of this site makes accounts."
            )
            % {"name": provider_name()},
        )
        raise ImmediateHttpResponse(redirect("account_login"))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, **more: Any
    ) -> NoReturn:
        """Go back to the login page with a sentence, whatever went wrong."""
        if error == AuthError.CANCELLED:
            said, words = messages.info, _("You did not log in with %(name)s.")
        else:
            log.error("Single sign-on failed: %r %r", error, more.get("exception"))
            said = messages.error
            words = _("Logging in with %(name)s did not work. Try again, or use your password.")
        said(request, words % {"name": provider_name()})
        is_in = request.user.is_authenticated
        left = "socialaccount_connections" if is_in else "account_login"
        raise ImmediateHttpResponse(redirect(left))
