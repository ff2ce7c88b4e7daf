"""The results of an unsealed task, for its hosts: tables, teams, and files to publish."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from rankme.actions.shared_task.disputes import answer_dispute, disputes_of
from rankme.actions.shared_task.reading import seen_results
from rankme.downloads import attachment
from rankme.exporting.shared_task.files import task_file
from rankme.exporting.shared_task.results import TaskResults
from rankme.exporting.shared_task.tables import tables_of_results
from rankme.exporting.shared_task.teams import teams_table
from rankme.models import SharedTask
from rankme.pages.campaign.campaign_page import POST, SAFE, act
from rankme.permissions import Permission, rights_in, user_of
from rankme.queries.shared_task.system_names import is_for_teams_first

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
    }
    return render(request, "shared_task/results.html", context)


@task_page(*SAFE)
def result_file(request: HttpRequest, task: SharedTask, name: str) -> HttpResponseBase:
    return attachment(task_file(_results(request, task), name))


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
