"""The results of an unsealed task: for its hosts, and, once they are published, for everybody."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from rankme.actions.shared_task.disputes import answer_dispute, disputes_of
from rankme.actions.shared_task.publishing import publish_results, withdraw_results
from rankme.actions.shared_task.reading import seen_results
from rankme.downloads import attachment
from rankme.exporting.shared_task.anchors import comparisons, has_anchors
from rankme.exporting.shared_task.files import PUBLIC, task_file
from rankme.exporting.shared_task.results import TaskResults, public_results
from rankme.exporting.shared_task.tables import tables_of_results
from rankme.exporting.shared_task.teams import teams_table
from rankme.models import SharedTask
from rankme.pages.campaign.campaign_page import FORM, POST, SAFE, act
from rankme.permissions import Permission, rights_in, user_of
from rankme.queries.shared_task.system_names import is_for_teams_first, reports_missing

from .hosting import task_page


@task_page(*SAFE)
def show_results(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """The tables as they are published, and the files; there is nothing before the unseal."""
    results = _results(request, task)
    user = user_of(request)
    tracks = [
        {"found": each, "may_read": Permission.FILES in rights_in(each.track.campaign, user)}
        for each in results.tracks
    ]
    context = {
        "task": task,
        "results": results,
        "tracks": tracks,
        "tables": tables_of_results(results),
        "teams": teams_table(results),
        "disputes": disputes_of(task),
        "until": task.teams_first_until,
        "is_for_teams_first": is_for_teams_first(task),
        "has_anchors": has_anchors(task),
    }
    return render(request, "shared_task/results.html", context)


@task_page(*SAFE)
def show_scales(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """Last year's systems next to this year's, and whether the two scales agree."""
    found = comparisons(_results(request, task))
    return render(request, "shared_task/scales.html", {"task": task, "comparisons": found})


@task_page(*SAFE)
def result_file(request: HttpRequest, task: SharedTask, name: str) -> HttpResponseBase:
    return attachment(task_file(_results(request, task), name))


@task_page(*FORM)
def publish(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """Say what everybody will read, and publish it, or take it down again."""
    if task.unsealed_at is None:
        raise Http404
    if request.method == "POST":
        if request.POST.get("act") == "withdraw":
            act(request, _("The public page is taken down."), withdraw_results, task)
        else:
            act(request, _("The results are published."), publish_results, task)
        return redirect("rankme:task-publish", task.code)
    context = {
        "task": task,
        "results": public_results(task),
        "missing": reports_missing(task),
        "until": task.teams_first_until if is_for_teams_first(task) else None,
        "address": request.build_absolute_uri(_public_address(task)),
    }
    return render(request, "shared_task/publish.html", context)


def _public_address(task: SharedTask) -> str:
    return reverse("rankme:task-public", args=[task.code])


@never_cache
@require_http_methods(SAFE)
def show_public(request: HttpRequest, code: str) -> HttpResponse:
    """The published results, for everybody."""
    results = _published(code)
    context = {
        "task": results.task,
        "results": results,
        "tables": tables_of_results(results),
        "teams": teams_table(results),
    }
    return render(request, "shared_task/public_results.html", context)


@never_cache
@require_http_methods(SAFE)
def public_file(request: HttpRequest, code: str, name: str) -> HttpResponseBase:
    if name not in PUBLIC:
        raise Http404
    return attachment(task_file(_published(code), name))


def _published(code: str) -> TaskResults:
    published = SharedTask.objects.filter(published_at__isnull=False, unsealed_at__isnull=False)
    return public_results(get_object_or_404(published, code=code))


@task_page(*POST)
def answer(request: HttpRequest, task: SharedTask, number: int) -> HttpResponse:
    """Answer a team's dispute, once."""
    found = get_object_or_404(disputes_of(task), pk=number)
    text = request.POST.get("text", "")[:5_000]
    act(request, _("The team reads the answer on its page."), answer_dispute, found, text)
    return redirect("rankme:task-results", task.code)


def _results(request: HttpRequest, task: SharedTask) -> TaskResults:
    if task.unsealed_at is None:
        raise Http404
    return seen_results(task, by=user_of(request))
