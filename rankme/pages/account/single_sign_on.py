"""Pages of single sign-on: to the provider, back from it, and what is connected to an account."""

from __future__ import annotations

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.decorators import reauthentication_required
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.internal.flows.connect import disconnect
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.openid_connect.views import callback
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from rankme.permissions import user_of
from rankme.sign_on_provider import app_settings, provider_name
from rankme.untrusted.whole_numbers import number_in

# What a provider can do wrong: not answer (an OSError of requests), answer something else than
# JSON, or leave a part out.
BROKEN_ANSWERS = (OSError, ValueError, KeyError, TypeError)


@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """Send somebody to the provider, to log in."""
    wanted = request.POST.get("next", "")
    next_url = wanted if get_account_adapter().is_safe_url(wanted) else None
    return _leave(request, AuthProcess.LOGIN, next_url)


def _leave(request: HttpRequest, process: str, next_url: str | None = None) -> HttpResponse:
    """Answer with a page that goes on to the provider.

    Browsers hold a redirect after a form against the page's policy, which allows forms to this
    site alone. A page that goes on is not part of the form.
    """
    app = app_settings()
    if app is None:
        raise Http404
    provider = get_adapter().get_provider(request, app["provider_id"])
    try:
        going: HttpResponse = provider.redirect(request, process=process, next_url=next_url)
    except BROKEN_ANSWERS as error:
        return _say_what_failed(request, provider, error)
    if "Location" not in going or going["Location"].startswith("/"):
        return going
    context = {"address": going["Location"], "name": provider_name()}
    page = render(request, "account/to_single_sign_on.html", context)
    page["Refresh"] = f"0; url={going['Location']}"
    page["Referrer-Policy"] = "no-referrer"
    return page


def _say_what_failed(request: HttpRequest, provider: object, error: Exception) -> HttpResponse:
    answer: HttpResponse = render_authentication_error(request, provider, exception=error)
    return answer


@require_safe
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take what the provider says about the person, and log in or connect."""
    app = app_settings()
    if app is None or app["provider_id"] != provider_id:
        raise Http404
    try:
        answer: HttpResponse = callback(request, provider_id=provider_id)
    except BROKEN_ANSWERS as error:
        provider = get_adapter().get_provider(request, provider_id)
        return _say_what_failed(request, provider, error)
    return answer


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def connections(request: HttpRequest) -> HttpResponse:
    """Show whether an account is connected to the provider; connect and disconnect it."""
    if request.method == "POST":
        changed: HttpResponse = _change(request)
        return changed
    rows = SocialAccount.objects.filter(user=user_of(request)).order_by("date_joined")
    app = app_settings()
    if app is None and not rows:
        raise Http404
    context = {
        "rows": rows,
        "name": provider_name(),
        "may_connect": app is not None and not rows.filter(provider=app["provider_id"]).exists(),
    }
    return render(request, "account/single_sign_on.html", context)


@reauthentication_required  # type: ignore[untyped-decorator]
def _change(request: HttpRequest) -> HttpResponse:
    number = request.POST.get("connection", "")
    if not number:
        return _leave(request, AuthProcess.CONNECT)
    of_account = SocialAccount.objects.filter(user=user_of(request))
    found = of_account.filter(pk=number_in(number)).first()
    if found is not None:
        disconnect(request, found)
    return redirect("socialaccount_connections")
