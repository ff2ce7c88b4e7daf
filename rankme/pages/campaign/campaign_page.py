"""The frame and messages of a campaign's pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from rankme.actions.audit import last_fault
from rankme.errors import InvalidInput, Problem, RankmeError
from rankme.models import Campaign
from rankme.permissions import Permission, declare, get_campaign, may, user_of

from .next_step import next_step
from .phases import phases_of

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

View = TypeVar("View", bound=Callable[..., HttpResponse])
Answer = TypeVar("Answer", bound=HttpResponseBase)

SAFE = ("GET", "HEAD")
FORM = ("GET", "HEAD", "POST")
POST = ("POST",)


def sent(request: HttpRequest) -> dict[str, Any]:
    """Bind a form to the sent fields, if any were sent."""
    return {"data": request.POST, "files": request.FILES} if request.method == "POST" else {}


def campaign_page(
    methods: Sequence[str], *, needs: Permission, to_send: Permission | None = None
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Decorate a page of the campaign in its address, for members whose role has the permission.

    Parameters
    ----------
    to_send : what sending the page's form needs, if that is another permission
    """

    def decorate(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(view)
        def page(request: HttpRequest, code: str, **parts: Any) -> Answer:
            declare(request, to_send or needs if request.method == "POST" else needs)
            return view(request, get_campaign(request, code), **parts)

        return login_required(require_http_methods(methods)(page))

    return decorate


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
    phases = phases_of(request, campaign)
    frame = {
        "campaign": campaign,
        "phases": phases,
        "tab_title": next(
            (each.title for phase in phases for each in phase.tabs if each.name == tab), ""
        ),
        "current_tab": tab,
        "may": {each.value: may(request, each) for each in Permission},
        "last_fault": partial(last_fault, campaign),
        "draft_step": partial(next_step, campaign) if campaign.is_draft else None,
    }
    return render(request, template, frame | context, status=status)


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


def problems_of(refusal: RankmeError) -> Sequence[Problem]:
    """What a refused definition has, or the refusal itself as the one problem."""
    return refusal.problems if isinstance(refusal, InvalidInput) else [Problem("", str(refusal))]


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
