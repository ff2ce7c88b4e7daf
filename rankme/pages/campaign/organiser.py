"""The organiser's pages: the start page, the list, one campaign, its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from rankme.actions.audit import count_judgements
from rankme.actions.campaign import campaigns, deleting
from rankme.actions.shared_task.tasks import tasks_of
from rankme.forms.organiser import CampaignSearchForm, DeletionForm
from rankme.models import Campaign, Report, Slot
from rankme.models.deletions import DAYS_OF_WAITING
from rankme.permissions import Permission, open_campaigns, user_of
from rankme.protocols.files import stored_definition
from rankme.queries.panel_books import books_of, newest_study
from rankme.queries.progress import progress_of, size_of
from rankme.queries.raters import open_leases
from rankme.queries.shared_task.system_names import track_of
from rankme.queries.versions import balance_of

from .campaign_page import (
    FORM,
    POST,
    SAFE,
    act,
    campaign_page,
    refusals_in,
    render_campaign,
    sent,
)
from .next_step import next_step

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

CAMPAIGNS_ON_A_PAGE = EVENTS_ON_A_PAGE = 50


@require_safe
def welcome(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("rankme:campaigns")
    return render(request, "organiser/campaign/welcome.html")


@login_required
@require_safe
def list_campaigns(request: HttpRequest) -> HttpResponse:
    open_to_me = open_campaigns(request).values("pk")
    form = CampaignSearchForm(request.GET)
    found = Campaign.objects.filter(pk__in=open_to_me)
    found = found.filter(form.conditions()) if form.is_valid() else found.none()
    shows_hidden = "hidden" in request.GET
    are_hidden = Q(pk__in=user_of(request).hidden_campaigns.values("pk"))
    hidden = found.filter(are_hidden).count()
    found = found.filter(are_hidden) if shows_hidden else found.exclude(are_hidden)
    campaigns_with_progress = (
        found.select_related("owner")
        .defer("definition")
        .annotate(
            batches_done=Count("slots", filter=Q(slots__state=Slot.State.DONE)),
            batches_planned=Count("slots"),
        )
        # Django drops the model's own order where rows are grouped.
        .order_by("-created_at", "-pk")
    )
    page = Paginator(campaigns_with_progress, CAMPAIGNS_ON_A_PAGE).get_page(request.GET.get("page"))
    is_searched = any(request.GET.get(name) for name in form.fields)
    context = {
        "campaigns": page,
        "form": form,
        "is_searched": is_searched,
        "hidden": hidden,
        "shows_hidden": shows_hidden,
    }
    return render(request, "organiser/campaign/campaigns.html", context)


@campaign_page(SAFE, needs=Permission.SEE)
def show_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    definition = campaigns.definition_of(campaign)
    context = {
        "definition": definition,
        "step": next_step(campaign),
        "size": size_of(campaign),
        "progress": None if campaign.is_draft else progress_of(campaign),
        "plan": getattr(campaign, "plan", None),
        "balance": balance_of(campaign),
        "deletion": None if campaign.is_draft else deleting.waiting_deletion(campaign),
        "track": track_of(campaign),
        "task": tasks_of(user_of(request)).filter(tracks__campaign=campaign).first(),
    }
    return render_campaign(
        request, campaign, "organiser/campaign/campaign.html", context, tab="campaign"
    )


# --- Hide and show ------------------------------------------------------------------------------


@campaign_page(POST, needs=Permission.SEE)
def hide(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Leave a campaign out of this account's list; nothing else changes."""
    campaign.hidden_by.add(user_of(request))
    messages.success(request, _("The campaign is hidden from your list."))
    return redirect("rankme:campaigns")


@campaign_page(POST, needs=Permission.SEE)
def unhide(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a hidden campaign in this account's list again."""
    campaign.hidden_by.remove(user_of(request))
    messages.success(request, _("The campaign is in your list again."))
    return redirect("rankme:campaigns")


# --- Pause, resume, close, delete ---------------------------------------------------------------


def _transition(action: Callable[..., Campaign], done: StrPromise) -> Callable[..., HttpResponse]:
    """A page that does one thing to a campaign's state and leads back to where one was."""

    @campaign_page(POST, needs=Permission.EDIT)
    def move(request: HttpRequest, campaign: Campaign) -> HttpResponse:
        act(request, done, action, campaign)
        return redirect("rankme:campaign-monitor", campaign.code)

    return move


pause = _transition(
    campaigns.pause_campaign, gettext_lazy("The campaign is paused. No new batches are handed out.")
)
resume = _transition(campaigns.resume_campaign, gettext_lazy("The campaign is running again."))


@campaign_page(FORM, needs=Permission.EDIT)
def close(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Asks before it closes; opening it again takes a reason."""
    if request.method == "POST":
        act(
            request,
            _("The campaign is closed. Answers that arrive later are stored and flagged."),
            campaigns.close_campaign,
            campaign,
        )
        return redirect("rankme:campaign", campaign.code)
    context: dict[str, Any] = {
        "progress": progress_of(campaign),
        "leases": open_leases(campaign),
        "keep_identities_days": (stored_definition(campaign.definition).crowd.keep_identities_days),
    }
    if (study := newest_study(campaign)) is not None and study.is_published:
        books = books_of(study)
        context |= {
            "study": study,
            "study_at_work": books.at_work,
            "open_questions": books.open_questions,
        }
    return render_campaign(
        request, campaign, "organiser/campaign/close.html", context, tab="campaign-monitor"
    )


@campaign_page(FORM, needs=Permission.OWN)
def delete(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Asks before it deletes a draft, at once, or what was launched, after a wait."""
    if not campaign.is_draft:
        return _delete_launched(request, campaign)
    if request.method == "POST":
        done = act(request, _("The draft has been deleted."), campaigns.delete_draft, campaign)
        return redirect("rankme:campaigns") if done else redirect("rankme:campaign", campaign.code)
    context = {"size": size_of(campaign)}
    return render_campaign(
        request, campaign, "organiser/campaign/delete.html", context, tab="campaign"
    )


def _delete_launched(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    here = redirect("rankme:campaign-delete", campaign.code)
    if request.POST.get("decision") == "keep":
        act(request, _("The campaign is kept."), deleting.keep_campaign, campaign)
        return here
    form = DeletionForm(**sent(request))
    if form.is_valid():
        with refusals_in(form):
            given = form.cleaned_data["title"]
            deleting.ask_to_delete(campaign, title=given, by=user_of(request))
            return here
    context = {
        "form": form,
        "deletion": deleting.waiting_deletion(campaign),
        "reason": deleting.why_not_deleted(campaign),
        "days": DAYS_OF_WAITING,
        "reports": Report.objects.filter(run__campaign=campaign).order_by("published_at"),
        "raters": campaign.participants.count(),
        "judgements": count_judgements(campaign),
        "size": size_of(campaign),
    }
    page = "organiser/campaign/delete_launched.html"
    return render_campaign(request, campaign, page, context, tab="campaign")


# --- History ------------------------------------------------------------------------------------


@campaign_page(SAFE, needs=Permission.HISTORY)
def history(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the actions on this campaign, the newest first."""
    events = campaign.audit_events.select_related("actor")
    page = Paginator(events, EVENTS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render_campaign(
        request, campaign, "organiser/campaign/history.html", {"page": page}, tab="campaign-history"
    )
