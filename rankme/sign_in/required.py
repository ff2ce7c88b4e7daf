"""No page without a second factor, where the site requires one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.actions.accounts.second_factors import lacks_second_factor

# Pages that lead to a second factor, or out.
OPEN = {
    "account_logout",
    "account_reauthenticate",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_index",
    "mfa_view_recovery_codes",
    "rankme:help",
    "rankme:help-page",
}
# What an account has no part in: raters' own pages, and probes.
OF_NOBODY = (
    *("/r/", "/my-work/", "/no-mail/", "/reports/"),
    *("/healthz/", "/readyz/", "/metrics/", "/hooks/"),
)


def require_second_factor(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Lead accounts without a second factor to the page where they add one."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return get_response(request)

    def process_view(request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        if not settings.SECOND_FACTOR_REQUIRED or request.path_info.startswith(OF_NOBODY):
            return None
        found = request.resolver_match
        if found is None or found.view_name in OPEN or not isinstance(request.user, User):
            return None
        if not lacks_second_factor(request.user):
            return None
        if request.path_info.startswith("/api/"):
            raise PermissionDenied
        messages.warning(request, _("This site requires a second factor. Add one to go on."))
        return redirect("mfa_index")

    middleware.process_view = process_view  # type: ignore[attr-defined]
    return middleware
