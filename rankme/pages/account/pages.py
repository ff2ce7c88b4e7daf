"""The pages of a person's own account that differ from those of django-allauth."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any

from allauth.account.views import LogoutView, PasswordChangeView, PasswordResetView
from allauth.mfa.adapter import get_adapter as get_factors_adapter
from allauth.mfa.base.views import IndexView
from allauth.mfa.webauthn.views import RemoveWebAuthnView
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from rankme.actions.accounts.sessions import end_sessions
from rankme.permissions import user_of
from rankme.sign_in.browsers import browser_name
from rankme.untrusted.whole_numbers import number_in


class LogOut(LogoutView):
    """Log out, and have the browser forget the pages and exports that it keeps.

    Its cookies and storage stay: they may be those of a rater, with answers not yet sent.
    """

    http_method_names = ["post"]

    def post(self, *arguments: Any, **named: Any) -> HttpResponse:
        answer: HttpResponse = super().post(*arguments, **named)
        answer["Clear-Site-Data"] = '"cache"'
        return answer


class ChangePassword(PasswordChangeView):
    success_url = reverse_lazy("rankme:campaigns")


class ResetPassword(PasswordResetView):
    """Ask for a mail with a link, where the site can send mail; elsewhere say who helps."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**context)
        return found | {"sends_mail": bool(settings.EMAIL_HOST)}

    def post(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if not settings.EMAIL_HOST:
            return redirect("account_reset_password")
        answer: HttpResponse = super().post(request, *arguments, **named)
        return answer


class SecondFactor(IndexView):
    """The second factors of an account, and what may be done with them."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**context)
        return found | {
            "can_be_kept": bool(settings.PANEL_KEYS),
            "is_required": settings.SECOND_FACTOR_REQUIRED,
        }


class RemovePasskey(RemoveWebAuthnView):
    """Removing a passkey asks the same as removing an app: whether it is the last one needed."""

    def form_valid(self, form: Any) -> HttpResponse:
        factors = get_factors_adapter()
        if factors.can_delete_authenticator(self.get_object()):
            answer: HttpResponse = super().form_valid(form)
            return answer
        messages.error(
            self.request, str(factors.validation_error("cannot_delete_authenticator").message)
        )
        return redirect("mfa_index")


def kept(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Open a page that stores a secret only where there is a key to store it with."""

    @wraps(view)
    def page(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if not settings.PANEL_KEYS:
            return redirect("mfa_index")
        return view(request, *arguments, **named)

    return page


log_out = LogOut.as_view()
reset_password = ResetPassword.as_view()
second_factor = SecondFactor.as_view()
remove_passkey = RemovePasskey.as_view()
change_password = ChangePassword.as_view()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def sessions(request: HttpRequest) -> HttpResponse:
    """List where this account is logged in, and end one of these sessions, or all others."""
    if request.method == "POST":
        number = request.POST.get("session", "")
        ended = end_sessions(
            user_of(request),
            but=request.session.session_key or "",
            number=number_in(number) if number else None,
        )
        said = ngettext("%(count)s session has ended.", "%(count)s sessions have ended.", ended)
        none = _("There was no such session: it had ended already.")
        messages.success(request, said % {"count": ended} if ended else none)
        return redirect("usersessions_list")
    found = UserSession.objects.purge_and_list(user_of(request))
    rows = [
        {
            "session": session,
            "browser": browser_name(session.user_agent),
            "seen_at": datetime.fromtimestamp(seen, tz=session.created_at.tzinfo),
            "is_this": session.session_key == request.session.session_key,
        }
        for session in sorted(found, key=lambda session: session.created_at, reverse=True)
        for seen in [session._session_store(session.session_key).get("seen", 0)]
    ]
    context = {
        "rows": rows,
        "hours": settings.SESSION_COOKIE_AGE // 3600,
        "idle": settings.SESSION_IDLE_SECONDS // 60,
    }
    return render(request, "account/sessions.html", context)
