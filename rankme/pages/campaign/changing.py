"""Changing a launched campaign: what it would become, next to what it is, then a new version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from rankme.actions.campaign import campaigns, changes
from rankme.errors import ChangedMeanwhile, InvalidDefinition, Problem, RankmeError
from rankme.forms.definition import change_shape, differences, draw_form, frozen_form, read_form
from rankme.forms.organiser import CampaignFileForm, ReasonForm
from rankme.models import Campaign
from rankme.pages.previews.draft_preview import PREVIEW_PAGES
from rankme.permissions import Permission, user_of
from rankme.protocols.definition import Definition
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
    stored_definition,
)
from rankme.queries.versions import version_lines
from rankme.untrusted.whole_numbers import number_in

from .campaign_page import (
    FORM,
    POST,
    SAFE,
    act,
    campaign_page,
    problems_of,
    render_campaign,
    sent,
    with_preview,
)

TAB = "campaign-edit"


def show_versions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The definition of a launched campaign with all of its versions."""
    context = {
        "text": definition_to_yaml(campaigns.definition_of(campaign)),
        "versions": [] if campaign.is_archive else version_lines(campaign),
    }
    page = "organiser/setup/launched_definition.html"
    return render_campaign(request, campaign, page, context, tab=TAB)


@campaign_page(SAFE, needs=Permission.FILES)
def show_version(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """One version: its reason, its file, and where it differs from the one before."""
    around = {row.number: row for row in campaign.versions.filter(number__in=[number - 1, number])}
    if number not in around:
        raise Http404
    version, before = around[number], around.get(number - 1)
    context = {
        "version": version,
        "differences": differences(before.definition, version.definition) if before else [],
        "text": definition_to_yaml(stored_definition(version.definition)),
    }
    return render_campaign(request, campaign, "organiser/setup/version.html", context, tab=TAB)


@campaign_page(FORM, needs=Permission.EDIT)
@with_preview
def change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The form of a launched campaign; saving it leads to the page that asks for a reason."""
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign-edit", campaign.code)
    if request.method != "POST":
        return _form_page(request, campaign, campaign.definition)
    base = request.POST.get("version", "")
    command = request.POST.get("do", "save")
    document = {} if command == "edit" else read_form(request.POST)
    if command not in ("save", "edit"):
        change_shape(document, command)
        return _form_page(request, campaign, document, base=base)
    try:
        if command == "edit":
            # Of the page that asks for a reason.
            reviewed = definition_from_yaml(request.POST.get("text", ""))
            document = definition_to_document(reviewed)
            return _form_page(request, campaign, document, base=base)
        return _review(request, campaign, definition_from_document(document), base)
    except ChangedMeanwhile:
        return _conflict_page(request, campaign, document)
    except RankmeError as refusal:
        problems = problems_of(refusal)
        return _form_page(request, campaign, document, base=base, problems=problems)


@campaign_page(FORM, needs=Permission.EDIT)
@with_preview
def change_file(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The same as a file."""
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign-edit", campaign.code)
    text = definition_to_yaml(campaigns.definition_of(campaign))
    initial = {"text": text, "version": campaign.version}
    form = CampaignFileForm(**sent(request), initial=initial)
    if not form.is_valid():
        return _file_page(request, campaign, form)
    try:
        return _review(request, campaign, form.definition(), form.cleaned_data["version"])
    except ChangedMeanwhile:
        return _conflict_page(request, campaign, definition_to_document(form.definition()))
    except RankmeError as refusal:
        return _file_page(request, campaign, form, problems_of(refusal))


@campaign_page(POST, needs=Permission.EDIT)
@with_preview
def confirm(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Store what was reviewed as a new version, with its reason."""
    form = ReasonForm(request.POST)
    base = request.POST.get("version", "")
    try:
        definition = definition_from_yaml(request.POST.get("text", ""))
    except InvalidDefinition as error:
        return _form_page(request, campaign, campaign.definition, problems=error.problems)
    try:
        if not form.is_valid():
            return _review(request, campaign, definition, base, form)
        version = changes.change_campaign(
            campaign,
            definition,
            reason=form.cleaned_data["reason"],
            by=user_of(request),
            base=number_in(base),
        )
    except ChangedMeanwhile:
        return _conflict_page(request, campaign, definition_to_document(definition))
    except RankmeError as refusal:
        document, problems = definition_to_document(definition), problems_of(refusal)
        return _form_page(request, campaign, document, base=base, problems=problems)
    done = _("Version %(number)s is in force. New batches are handed out with it.")
    messages.success(request, done % {"number": version.number})
    return redirect("rankme:campaign-edit", campaign.code)


@campaign_page(FORM, needs=Permission.EDIT)
def reopen(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Asks for a reason before it opens a closed campaign again."""
    if not campaign.is_over or campaign.is_archive:
        return redirect("rankme:campaign", campaign.code)
    form = ReasonForm(**sent(request), initial={"version": campaign.version})
    if form.is_valid():
        reason, base = form.cleaned_data["reason"], form.cleaned_data["version"]
        done = _("The campaign is running again. Its links are active.")
        act(request, done, changes.reopen_campaign, campaign, reason=reason, base=base)
        return redirect("rankme:campaign", campaign.code)
    free = campaign.slots.exclude(state="done").count()
    return render_campaign(
        request,
        campaign,
        "organiser/campaign/reopen.html",
        {"form": form, "open_slots": free},
        tab="campaign",
    )


def _review(
    request: HttpRequest,
    campaign: Campaign,
    definition: Definition,
    base: str,
    form: ReasonForm | None = None,
) -> HttpResponse:
    """Show the changes, setting by setting, and ask for the reason."""
    if number_in(base) != campaign.version:
        raise ChangedMeanwhile
    changes.refuse_unless_changeable(campaign)
    definition = changes.checked_change(campaign, definition)
    context = {
        "differences": differences(campaign.definition, definition_to_document(definition)),
        "text": definition_to_yaml(definition),
        "form": form or ReasonForm(initial={"version": campaign.version}),
        "next_number": campaign.version + 1,
        "at_work": campaign.assignments.live().count(),
    }
    return render_campaign(
        request, campaign, "organiser/setup/review_change.html", context, tab=TAB
    )


def _conflict_page(
    request: HttpRequest, campaign: Campaign, document: dict[str, Any]
) -> HttpResponse:
    """Show the typed definition next to the version that was saved meanwhile."""
    campaign = Campaign.objects.get(pk=campaign.pk)
    event = campaign.audit_events.filter(detail__version=campaign.version)
    conflict = {
        "event": event.select_related("actor").first(),
        "differences": differences(campaign.definition, document),
    }
    return _form_page(request, campaign, document, conflict=conflict)


def _form_page(
    request: HttpRequest,
    campaign: Campaign,
    document: dict[str, Any],
    *,
    base: str = "",
    problems: Sequence[Problem] = (),
    conflict: dict[str, Any] | None = None,
) -> HttpResponse:
    drawn, findings = draw_form(document, problems)
    sections, frozen = frozen_form(drawn, document)
    context = {
        "sections": sections,
        "frozen": frozen,
        "findings": findings,
        "version": base or campaign.version,
        "conflict": conflict,
        "save_label": _("Review the change"),
        "preview_pages": PREVIEW_PAGES,
        "preview_address": reverse("rankme:campaign-edit-preview", args=[campaign.code]),
    }
    status = 409 if conflict else 422 if problems else 200
    return render_campaign(
        request, campaign, "organiser/setup/change.html", context, tab=TAB, status=status
    )


def _file_page(
    request: HttpRequest,
    campaign: Campaign,
    form: CampaignFileForm,
    problems: Sequence[Problem] = (),
) -> HttpResponse:
    context = {"form": form, "problems": problems, "save_label": _("Review the change")}
    return render_campaign(request, campaign, "organiser/setup/change_file.html", context, tab=TAB)
