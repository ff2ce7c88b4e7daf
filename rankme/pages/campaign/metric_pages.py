"""Metrics of a campaign: computed, uploaded, listed, downloaded, deleted."""

from __future__ import annotations

import io

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from analysis.text_metrics.score_files import write_scores
from rankme.actions.material import materials
from rankme.actions.material import metric_jobs as actions
from rankme.actions.runs import analysis_runs
from rankme.downloads import attachment
from rankme.exporting.files import CSV, ExportedFile
from rankme.forms.metric_choice import ComputeForm, ScoresForm
from rankme.models import Campaign, MaterialImport, Metric
from rankme.permissions import Permission, user_of
from rankme.queries.metric_scores import scores_of, uncomputable
from rankme.uploads import takes_files

from .campaign_page import FORM, POST, SAFE, act, campaign_page, refusals_in, render_campaign, sent

UPLOADS_SHOWN = 5


@campaign_page(FORM, needs=Permission.FILES, to_send=Permission.ANALYSE)
def show_metrics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The campaign's metrics, a computation under way, and the forms for more."""
    form = ComputeForm(**sent(request), reasons=uncomputable(campaign))
    if form.is_valid():
        with refusals_in(form):
            actions.request_metrics(
                campaign,
                form.cleaned_data["metrics"],
                lowercase=form.cleaned_data["lowercase"],
                by=user_of(request),
            )
            return redirect("rankme:campaign-metrics", campaign.code)
    return _page(request, campaign, form, ScoresForm())


@takes_files
@campaign_page(POST, needs=Permission.ANALYSE)
def upload_scores(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Store a file of scores for a worker to check; its own page shows what it found."""
    form = ScoresForm(**sent(request))
    if form.is_valid():
        with refusals_in(form):
            started = materials.start_import(
                campaign,
                [form.cleaned_data["file"]],
                kind=MaterialImport.Kind.SCORES,
                options=form.options(),
                by=user_of(request),
            )
            return redirect("rankme:campaign-import", campaign.code, started.pk)
    compute = ComputeForm(reasons=uncomputable(campaign))
    return _page(request, campaign, compute, form)


def _page(
    request: HttpRequest, campaign: Campaign, compute: ComputeForm, upload: ScoresForm
) -> HttpResponse:
    latest = campaign.metric_computations.first()
    scores = MaterialImport.Kind.SCORES
    context = {
        "metrics": campaign.metrics.defer("content_csv_gz"),
        "compute": compute,
        "upload": upload,
        "uploads": campaign.material_imports.filter(kind=scores)[:UPLOADS_SHOWN],
        "computation": latest,
        "percent": round(100 * latest.progress) if latest else 0,
        "is_moving": latest is not None and not latest.is_over,
        "has_outputs": campaign.systems.exists(),
        "has_judgements": analysis_runs.has_judgements(campaign),
    }
    status = 422 if compute.is_bound or upload.is_bound else 200
    return render_campaign(
        request,
        campaign,
        "organiser/material/metrics.html",
        context,
        tab="campaign-metrics",
        status=status,
    )


@campaign_page(POST, needs=Permission.ANALYSE)
def cancel(request: HttpRequest, campaign: Campaign, computation: int) -> HttpResponse:
    row = get_object_or_404(campaign.metric_computations, pk=computation)
    act(request, _("The computation was stopped."), actions.cancel_metrics, row)
    return redirect("rankme:campaign-metrics", campaign.code)


@campaign_page(FORM, needs=Permission.ANALYSE)
def delete(request: HttpRequest, campaign: Campaign, metric: int) -> HttpResponse:
    """Asks before it deletes scores: those that were uploaded would have to be uploaded again."""
    found = get_object_or_404(campaign.metrics, pk=metric)
    if request.method == "POST":
        act(request, _("The metric was deleted."), actions.delete_metric, found)
        return redirect("rankme:campaign-metrics", campaign.code)
    context: dict[str, Metric] = {"metric": found}
    return render_campaign(
        request, campaign, "organiser/material/metric_delete.html", context, tab="campaign-metrics"
    )


@campaign_page(SAFE, needs=Permission.FILES)
def download_scores(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Download all scores as the CSV that an upload takes."""
    scores = scores_of(campaign)
    if scores is None:
        raise Http404
    content = io.BytesIO()
    write_scores(scores, content)
    return attachment(ExportedFile(f"scores-{campaign.code}.csv", CSV, content.getvalue()))
