"""Making a campaign and changing a draft: by form and by file, which write the same document."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.duplicates import duplicate_campaign, title_of_copy
from rankme.actions.imports.judgement_imports import start_archive
from rankme.errors import ChangedMeanwhile, InvalidDefinition, Problem, RankmeError
from rankme.forms.definition import (
    change_shape,
    differences,
    draw_form,
    name_the_nameless,
    read_form,
)
from rankme.forms.organiser import ArchiveForm, CampaignFileForm, DuplicateForm
from rankme.models import Campaign
from rankme.pages.previews.draft_preview import PREVIEW_PAGES
from rankme.pages.previews.gallery import pictures_of
from rankme.pages.rater.interface_language import language_warning
from rankme.permissions import Permission, may, open_campaigns, user_of
from rankme.protocols.definition import Definition
from rankme.protocols.files import (
    blank_document,
    definition_from_document,
    definition_to_document,
    definition_to_yaml,
    preset,
    preset_names,
)
from rankme.protocols.presets.groups import MOST_COMMON, grouped_presets
from rankme.protocols.presets.languages import languages_of
from rankme.queries.progress import size_of
from rankme.queries.words import current_words, missing_texts, words_file

from .campaign_page import (
    FORM,
    SAFE,
    campaign_page,
    problems_of,
    refusals_in,
    render_campaign,
    sent,
    with_preview,
)
from .changing import TAB, show_versions

BLANK_START = "blank"
MOST_EARLIER = 200


@login_required
@require_safe
def choose_start(request: HttpRequest) -> HttpResponse:
    """The presets, and the way by file."""
    return _start_page(request, ArchiveForm())


@login_required
@require_POST
def new_archive(request: HttpRequest) -> HttpResponse:
    """An archive for judgements that were collected elsewhere; its material page takes them."""
    form = ArchiveForm(request.POST)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    campaign = start_archive(user_of(request), title=form.cleaned_data["title"])
    return redirect("rankme:campaign-material", campaign.code)


@campaign_page(FORM, needs=Permission.EDIT)
def duplicate(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Asks for the copy's title, and whether it takes the material along."""
    size = size_of(campaign)
    initial = {"title": title_of_copy(campaign), "material": bool(size.items)}
    form = DuplicateForm(**sent(request), initial=initial)
    if form.is_valid():
        title, material = form.cleaned_data["title"], form.cleaned_data["material"]
        with refusals_in(form):
            copy = duplicate_campaign(
                campaign, by=user_of(request), title=title, with_material=material
            )
            return _saved(request, copy, _("The campaign has been duplicated."))
    return render_campaign(
        request,
        campaign,
        "organiser/setup/duplicate.html",
        {"form": form, "size": size},
        tab="campaign",
    )


def _start_page(request: HttpRequest, form: ArchiveForm, *, status: int = 200) -> HttpResponse:
    groups = [
        (_(title), title == MOST_COMMON, [_preset_card(name) for name in names])
        for title, names in grouped_presets(preset_names())
    ]
    own = open_campaigns(request, Permission.EDIT).filter(is_archive=False).values("pk")
    earlier = Campaign.objects.filter(pk__in=own).defer("definition")[:MOST_EARLIER]
    context = {"groups": groups, "archive_form": form, "earlier": earlier}
    return render(request, "organiser/setup/choose_start.html", context, status=status)


@login_required
@require_http_methods(FORM)
@with_preview
def new_campaign(request: HttpRequest, start: str) -> HttpResponse:
    """The form, filled from a preset; a campaign exists once it was saved without a problem."""
    if start != BLANK_START and start not in preset_names():
        return redirect("rankme:campaign-start")
    if request.method != "POST":
        is_blank = start == BLANK_START
        language = request.GET.get("language", "")
        if is_blank or language not in languages_of(preset(start)):
            language = ""
        document = blank_document() if is_blank else definition_to_document(preset(start, language))
        return _form_page(request, document, start=start)
    return _take_form(request, start=start)


def _preset_card(name: str) -> tuple[str, Definition, list[str]]:
    """A preset with the picture of its first screen."""
    file = preset(name)
    return name, file, pictures_of(name, file)[:1]


def _languages(start: str) -> list[tuple[str, str]]:
    """The languages that a preset comes in, each under its own name; none where it is only one."""
    found = [] if start in ("", BLANK_START) else languages_of(preset(start))
    if len(found) < 2:
        return []
    return [(language, get_language_info(language)["name_local"]) for language in found]


@campaign_page(FORM, needs=Permission.FILES, to_send=Permission.EDIT)
@with_preview
def edit_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The form of a draft; of a launched campaign the file and its versions."""
    if request.method == "POST":
        return _take_form(request, campaign)
    if not campaign.is_draft:
        return show_versions(request, campaign)
    if not may(request, Permission.EDIT):
        return redirect("rankme:campaign", campaign.code)
    version = campaigns.definition_version(campaign)
    return _form_page(request, campaign.definition, campaign, version=version)


@login_required
@require_http_methods(FORM)
def load_campaign(request: HttpRequest) -> HttpResponse:
    """A new campaign from a file that is uploaded or pasted."""
    form = CampaignFileForm(**sent(request))
    if form.is_valid():
        try:
            campaign = campaigns.create_campaign(user_of(request), form.definition())
        except InvalidDefinition as error:
            return _file_page(request, form, problems=error.problems)
        return _saved(request, campaign, _("The campaign has been created from the file."))
    return _file_page(request, form)


@campaign_page(FORM, needs=Permission.EDIT)
def edit_file(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The same draft as a file."""
    if not campaign.is_draft and request.method != "POST":
        return show_versions(request, campaign)
    saved = definition_to_yaml(campaigns.definition_of(campaign))
    version = campaigns.definition_version(campaign)
    form = CampaignFileForm(**sent(request), initial={"text": saved, "version": version})
    if not form.is_valid():
        return _file_page(request, form, campaign)
    base = form.cleaned_data["version"]
    try:
        campaigns.change_definition(campaign, form.definition(), by=user_of(request), base=base)
    except ChangedMeanwhile:
        return _file_conflict(request, form, campaign)
    except RankmeError as refusal:
        status = None if isinstance(refusal, InvalidDefinition) else 409
        return _file_page(request, form, campaign, problems=problems_of(refusal), status=status)
    return _saved(request, campaign, _("The definition has been saved."))


@campaign_page(SAFE, needs=Permission.FILES)
def download_file(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The campaign file that makes the same campaign again."""
    text = definition_to_yaml(campaigns.definition_of(campaign))
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="campaign-{campaign.code}.yaml"'
    return response


@campaign_page(SAFE, needs=Permission.SEE)
def download_words(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The part of the campaign file with the site's texts for raters, to be filled in."""
    definition = campaigns.definition_of(campaign)
    text = words_file(definition.language, current_words(definition.language, definition))
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="words-{campaign.code}.yaml"'
    return response


def _saved(request: HttpRequest, campaign: Campaign, message: str) -> HttpResponse:
    messages.success(request, message)
    if warning := language_warning(campaigns.definition_of(campaign)):
        messages.warning(request, warning)
    return redirect("rankme:campaign", campaign.code)


def _take_form(
    request: HttpRequest, campaign: Campaign | None = None, *, start: str = ""
) -> HttpResponse:
    """Save the sent form, or draw it again: in another shape, or with its problems."""
    document = read_form(request.POST)
    version = request.POST.get("version", "")
    page = partial(_form_page, request, document, campaign, start=start, version=version)
    command = request.POST.get("do", "save")
    if command != "save":
        return page(look_at=change_shape(document, command))
    name_the_nameless(document)
    try:
        definition, by = definition_from_document(document), user_of(request)
        if campaign is None:
            campaign = campaigns.create_campaign(by, definition)
        else:
            campaign = campaigns.change_definition(campaign, definition, by=by, base=version)
    except RankmeError as refusal:
        if isinstance(refusal, ChangedMeanwhile) and campaign is not None:
            return _form_conflict(request, document, campaign)
        return page(problems=problems_of(refusal))
    return _saved(request, campaign, _("The definition has been saved."))


# --- Two people at one draft --------------------------------------------------------------------


def _form_conflict(
    request: HttpRequest, document: dict[str, Any], campaign: Campaign
) -> HttpResponse:
    """Show the typed form next to the version saved meanwhile; saving again replaces it."""
    campaign = Campaign.objects.get(pk=campaign.pk)
    conflict = _last_change(campaign) | {"differences": differences(campaign.definition, document)}
    version = campaigns.definition_version(campaign)
    return _form_page(request, document, campaign, version=version, conflict=conflict)


def _file_conflict(
    request: HttpRequest, form: CampaignFileForm, campaign: Campaign
) -> HttpResponse:
    campaign = Campaign.objects.get(pk=campaign.pk)
    saved = definition_to_yaml(campaigns.definition_of(campaign))
    typed = definition_to_yaml(form.definition())
    lines = unified_diff(saved.splitlines(), typed.splitlines(), n=1, lineterm="")
    conflict = _last_change(campaign) | {"lines": list(lines)[2:]}
    version = campaigns.definition_version(campaign)
    again = CampaignFileForm(initial={"text": form.source(), "version": version})
    return _file_page(request, again, campaign, conflict=conflict, status=409)


def _last_change(campaign: Campaign) -> dict[str, Any]:
    """The author and time of the last change of the definition."""
    saved = campaign.audit_events.filter(verb="definition changed").select_related("actor")
    return {"event": saved.first()}


def _form_page(
    request: HttpRequest,
    document: dict[str, Any],
    campaign: Campaign | None = None,
    *,
    start: str = "",
    problems: Sequence[Problem] = (),
    version: str = "",
    conflict: dict[str, Any] | None = None,
    look_at: str = "",
) -> HttpResponse:
    sections, findings = draw_form(document, problems, look_at=look_at)
    context: dict[str, Any] = {
        "sections": sections,
        "findings": findings,
        "version": version,
        "conflict": conflict,
        "preview_pages": PREVIEW_PAGES,
    }
    status = 409 if conflict else 422 if problems else 200
    if campaign is None:
        address = reverse("rankme:campaign-new-preview")
        context |= {"preview_address": address, "start": start, "languages": _languages(start)}
        return render(request, "organiser/setup/new_campaign.html", context, status=status)
    saved = campaigns.definition_of(campaign)
    context |= {
        "preview_address": reverse("rankme:campaign-edit-preview", args=[campaign.code]),
        "language_warning": language_warning(saved),
        "missing_texts": missing_texts(saved),
    }
    page = "organiser/setup/edit_campaign.html"
    return render_campaign(request, campaign, page, context, tab=TAB, status=status)


def _file_page(
    request: HttpRequest,
    form: CampaignFileForm,
    campaign: Campaign | None = None,
    *,
    problems: Sequence[Problem] = (),
    conflict: dict[str, Any] | None = None,
    status: int | None = None,
) -> HttpResponse:
    context = {"form": form, "problems": problems, "conflict": conflict}
    if campaign is None:
        status = 422 if form.is_bound else 200
        return render(request, "organiser/setup/load_campaign.html", context, status=status)
    page = "organiser/setup/edit_file.html"
    return render_campaign(request, campaign, page, context, tab=TAB, status=status)
