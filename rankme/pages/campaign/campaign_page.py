"""The frame, tabs and messages of a campaign's pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions.audit import last_fault
from rankme.errors import RankmeError
from rankme.models import Campaign
from rankme.permissions import get_campaign, user_of
from rankme.queries.panel_books import has_panel

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

View = TypeVar("View", bound=Callable[..., HttpResponse])
Answer = TypeVar("Answer", bound=HttpResponseBase)

SAFE = ("GET", "HEAD")
FORM = ("GET", "HEAD", "POST")
POST = ("POST",)


@dataclass(frozen=True)
class Tab:
    name: str
    title: str
    address: str


def sent(request: HttpRequest) -> dict[str, Any]:
    """Bind a form to the sent fields, if any were sent."""
    return {"data": request.POST, "files": request.FILES} if request.method == "POST" else {}


def campaign_page(
    methods: Sequence[str], *, find: Callable[[HttpRequest, str], Campaign] = get_campaign
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Decorate a page of the campaign in its address, for accounts to which it is open."""

    def declare(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(view)
        def page(request: HttpRequest, code: str, **parts: Any) -> Answer:
            return view(request, find(request, code), **parts)

        return login_required(require_http_methods(methods)(page))

    return declare


def with_preview(view: View) -> View:
    """Let a page show the rater's page in a frame, next to the form that it is about."""
    # Its decorator is typed for views of one argument.
    return cast("View", csp_update({"frame-src": [SELF]})(cast("Any", view)))


def render_campaign(
    request: HttpRequest,
    campaign: Campaign,
    template: str,
    context: dict[str, Any] | None = None,
    *,
    tab: str,
    status: int | None = None,
) -> HttpResponse:
    """Answer with a page inside the campaign's frame, with its tab marked.

    A `form` that was sent comes back only if it was refused, so the status is then 422.
    """
    context = context or {}
    if status is None:
        status = 422 if getattr(context.get("form"), "is_bound", False) else 200
    frame = {
        "campaign": campaign,
        "tabs": tabs_of(campaign),
        "current_tab": tab,
        "is_owner": campaign.owner_id == request.user.pk,
        "last_fault": partial(last_fault, campaign),
    }
    return render(request, template, frame | context, status=status)


def tabs_of(campaign: Campaign) -> list[Tab]:
    launched = not campaign.is_draft
    titles: list[tuple[str, str, bool]] = [
        ("campaign", _("Overview"), True),
        ("campaign-edit", _("Definition"), True),
        ("campaign-material", _("Material"), True),
        ("campaign-launch", _("Launch"), campaign.is_draft and not campaign.is_archive),
        ("campaign-links", _("Links"), launched and not campaign.is_archive),
        ("campaign-panel", _("Panel"), launched and has_panel(campaign)),
        ("campaign-monitor", _("Monitor"), launched and not campaign.is_archive),
        ("campaign-raters", _("Raters"), launched),
        ("campaign-items", _("Items"), launched),
        ("campaign-quality", _("Quality"), launched and not campaign.is_archive),
        ("campaign-metrics", _("Metrics"), True),
        ("analysis-runs", _("Analysis"), launched),
        ("campaign-members", _("Members"), True),
        ("campaign-history", _("History"), True),
    ]
    return [
        Tab(name, title, address_of(name, campaign))
        for name, title, is_shown in titles
        if is_shown and address_of(name, campaign)
    ]


def address_of(name: str, campaign: Campaign, *more: object) -> str:
    """The address of a campaign's page; empty where this site has no such page."""
    try:
        return reverse(f"rankme:{name}", args=[campaign.code, *more])
    except NoReverseMatch:
        return ""


@contextmanager
def refusals_in(form: BaseForm) -> Iterator[None]:
    """An action that refuses says why at the top of the form."""
    try:
        yield
    except RankmeError as refusal:
        form.add_error(None, str(refusal))


@contextmanager
def refusals_as_messages(request: HttpRequest) -> Iterator[None]:
    """An action that refuses says why at the top of the next page."""
    try:
        yield
    except RankmeError as refusal:
        messages.error(request, str(refusal))


def act(
    request: HttpRequest,
    done: str | StrPromise,
    action: Callable[..., object],
    *given: Any,
    **named: Any,
) -> bool:
    """Do it in the name of the account and say that it is done, or say why it was refused."""
    with refusals_as_messages(request):
        action(*given, by=user_of(request), **named)
        messages.success(request, done)
        return True
    return False
