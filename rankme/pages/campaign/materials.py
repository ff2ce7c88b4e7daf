"""Material on its way in: upload, check, preview, import or discard; and the current material."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from rankme.actions.material import materials
from rankme.forms.columns import ColumnsForm
from rankme.forms.organiser import MaterialForm
from rankme.importing import FileProblem
from rankme.importing.problems import grouped
from rankme.importing.tabular.columns import About
from rankme.models import Campaign, MaterialImport
from rankme.permissions import Permission, user_of
from rankme.queries.progress import size_of
from rankme.queries.shared_task.system_names import track_of
from rankme.uploads import takes_files

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
from .phases import address_of

IMPORTS_SHOWN = 10
SCORES = MaterialImport.Kind.SCORES


@takes_files
@campaign_page(FORM, needs=Permission.FILES, to_send=Permission.EDIT)
def show_material(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The current material, recent uploads, and the form for a new one."""
    form = MaterialForm(**sent(request), campaign=campaign)
    if form.is_valid():
        with refusals_in(form):
            started = materials.start_import(
                campaign,
                form.uploads(),
                kind=form.kind,
                format=form.cleaned_data["format"],
                options=form.options(),
                by=user_of(request),
            )
            return redirect("rankme:campaign-import", campaign.code, started.pk)
    context = {
        "form": form,
        "size": size_of(campaign),
        "systems": campaign.systems.order_by("position"),
        "imports": campaign.material_imports.exclude(kind=SCORES)[:IMPORTS_SHOWN],
        "is_open": campaign.is_draft or not campaign.is_archive,
        "adds": not campaign.is_draft,
        "track": track_of(campaign),
    }
    return render_campaign(
        request, campaign, "organiser/material/material.html", context, tab="campaign-material"
    )


@campaign_page(SAFE, needs=Permission.FILES)
def show_import(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """One upload: its progress, then its problems or its preview; a script keeps it fresh."""
    upload = get_object_or_404(campaign.material_imports, pk=number)
    return _render_import(request, campaign, upload, _columns_form(upload))


@campaign_page(POST, needs=Permission.EDIT)
def describe_columns(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Check the upload again, with its columns as the organiser says."""
    upload = get_object_or_404(campaign.material_imports, pk=number)
    form = _columns_form(upload, request.POST)
    if form is not None and not form.is_valid():
        return _render_import(request, campaign, upload, form)
    if form is not None:
        reading = form.reading()
        act(request, _("The files are checked again."), materials.read_again, upload, reading)
    return redirect("rankme:campaign-import", campaign.code, upload.pk)


def _columns_form(upload: MaterialImport, data: Any = None) -> ColumnsForm | None:
    """The columns of an upload that waits for a decision, if it has any."""
    tables = upload.preview.get("tables")
    is_open = upload.is_over and upload.phase in materials.CORRECTABLE
    if not tables or not is_open:
        return None
    chosen = upload.options.get("reading", {})
    return ColumnsForm(tables, data, about=cast(About, upload.kind), reading=chosen)


def _render_import(
    request: HttpRequest,
    campaign: Campaign,
    upload: MaterialImport,
    form: ColumnsForm | None,
) -> HttpResponse:
    Phase = MaterialImport.Phase
    context = {
        "form": form,
        "problem_groups": grouped([FileProblem(**problem) for problem in upload.problems]),
        "upload": upload,
        "preview": upload.preview,
        "samples": _samples(upload.preview),
        "percent": round(100 * upload.progress),
        "is_moving": not upload.is_over,
        "is_failed": upload.state in ("failed", "cancelled"),
        "waits": upload.is_over and upload.phase == Phase.PREVIEWED and not upload.problems,
        "replaces": size_of(campaign).items if campaign.is_draft and upload.kind != SCORES else 0,
        "back": address_of(back_of(upload), campaign),
        "onward": address_of("campaign-metrics" if upload.kind == SCORES else "campaign", campaign),
    }
    return render_campaign(
        request, campaign, "organiser/material/import.html", context, tab=back_of(upload)
    )


def back_of(upload: MaterialImport) -> str:
    """The page from which uploads of this kind come."""
    return "campaign-metrics" if upload.kind == SCORES else "campaign-material"


def _samples(preview: dict[str, Any]) -> list[dict[str, Any]]:
    """The sample items with their outputs in the order of the systems, which JSON does not keep."""
    order = [system["name"] for system in preview.get("systems", []) if isinstance(system, dict)]
    return [
        sample | {"outputs": {name: sample["outputs"].get(name) for name in order}}
        for sample in preview.get("samples", [])
    ]


@campaign_page(POST, needs=Permission.EDIT)
def take(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    upload = get_object_or_404(campaign.material_imports, pk=number)
    act(request, _("The import has started."), materials.take_import, upload)
    return redirect("rankme:campaign-import", campaign.code, upload.pk)


@campaign_page(POST, needs=Permission.EDIT)
def drop(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    upload = get_object_or_404(campaign.material_imports, pk=number)
    act(request, _("The upload has been discarded."), materials.drop_import, upload)
    return redirect(f"rankme:{back_of(upload)}", campaign.code)
