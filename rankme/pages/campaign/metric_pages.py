"""Metrics of a campaign: computed, uploaded, listed, downloaded, deleted."""

from __future__ import annotations

import io

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from analysis.text_metrics.score_files import write_scores
from rankme.actions.material import materials
from rankme.actions.material import metric_jobs as actions
from rankme.actions.runs import analysis_runs
from rankme.downloads import attachment
from rankme.errors import RankmeError
from rankme.exporting.files import CSV, ExportedFile
from rankme.forms.metric_choice import ComputeForm, ScoresForm
from rankme.models import Campaign, MaterialImport, Metric
from rankme.permissions import get_campaign, user_of
from rankme.queries.metric_scores import scores_of, uncomputable
from rankme.uploads import takes_files

from .campaign_page import act, render_campaign, sent

UPLOADS_SHOWN = 5


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_metrics(request: HttpRequest, code: str) -> HttpResponse:
    """The campaign's metrics, a computation under way, and the forms for more."""
    campaign = get_campaign(request, code)
    form = ComputeForm(request.POST or None, reasons=uncomputable(campaign))
    if request.method == "POST":
        form = ComputeForm(request.POST, reasons=uncomputable(campaign))
        if form.is_valid() and _computed(request, campaign, form):
            return redirect("rankme:campaign-metrics", campaign.code)
    return _page(request, campaign, form, ScoresForm(), status=422 if form.is_bound else 200)


def _computed(request: HttpRequest, campaign: Campaign, form: ComputeForm) -> bool:
    try:
        actions.request_metrics(
            campaign,
            form.cleaned_data["metrics"],
            lowercase=form.cleaned_data["lowercase"],
            by=user_of(request),
        )
    except RankmeError as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


@takes_files
@login_required
@require_POST
def upload_scores(request: HttpRequest, code: str) -> HttpResponse:
    """Store a file of scores for a worker to check; its own page shows what it found."""
    campaign = get_campaign(request, code)
    form = ScoresForm(**sent(request))
    if form.is_valid():
        try:
            started = materials.start_import(
                campaign,
                [form.cleaned_data["file"]],
                kind=MaterialImport.Kind.SCORES,
                options=form.options(),
                by=user_of(request),
            )
            return redirect("rankme:campaign-import", campaign.code, started.pk)
        except RankmeError as refusal:
            form.add_error(None, str(refusal))
    compute = ComputeForm(reasons=uncomputable(campaign))
    return _page(request, campaign, compute, form, status=422)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    compute: ComputeForm,
    upload: ScoresForm,
    *,
    status: int,
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
    return render_campaign(
        request,
        campaign,
        "organiser/material/metrics.html",
        context,
        tab="campaign-metrics",
        status=status,
    )


@login_required
@require_POST
def cancel(request: HttpRequest, code: str, computation: int) -> HttpResponse:
    campaign = get_campaign(request, code)
    row = get_object_or_404(campaign.metric_computations, pk=computation)
    act(
        request,
        lambda: actions.cancel_metrics(row, by=user_of(request)),
        _("The computation was stopped."),
    )
    return redirect("rankme:campaign-metrics", campaign.code)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, code: str, metric: int) -> HttpResponse:
    """Asks before it deletes scores: those that were uploaded would have to be uploaded again."""
    campaign = get_campaign(request, code)
    found = get_object_or_404(campaign.metrics, pk=metric)
    if request.method == "POST":
        act(
            request,
            lambda: actions.delete_metric(found, by=user_of(request)),
            _("The metric was deleted."),
        )
        return redirect("rankme:campaign-metrics", campaign.code)
    context: dict[str, Metric] = {"metric": found}
    return render_campaign(
        request, campaign, "organiser/material/metric_delete.html", context, tab="campaign-metrics"
    )


@login_required
@require_safe
def download_scores(request: HttpRequest, code: str) -> HttpResponseBase:
    """Download all scores as the CSV that an upload takes."""
    campaign = get_campaign(request, code)
    scores = scores_of(campaign)
    if scores is None:
        raise Http404
    content = io.BytesIO()
    write_scores(scores, content)
    return attachment(ExportedFile(f"scores-{campaign.code}.csv", CSV, content.getvalue()))
