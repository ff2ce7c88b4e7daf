"""The hosts' pages: their tasks, with tracks, teams and what counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions.shared_task import tasks, teams
from rankme.errors import RankmeError
from rankme.forms.shared_task import TaskForm, TrackForm
from rankme.models import SharedTask, Team
from rankme.pages.campaign.campaign_page import FORM, POST, SAFE, act, refusals_in, sent
from rankme.permissions import user_of
from rankme.protocols.files import preset
from rankme.queries.shared_task import overview
from rankme.untrusted.whole_numbers import number_in

MOST_SHOWN = 500


def task_page(
    *methods: str,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Decorate a page of the task in its address, for its hosts; others learn nothing of it."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def page(request: HttpRequest, code: str, **parts: Any) -> HttpResponseBase:
            task = get_object_or_404(tasks.tasks_of(user_of(request)), code=code)
            return view(request, task, **parts)

        return login_required(require_http_methods(methods)(page))

    return decorate


@login_required
@require_http_methods(SAFE)
def list_tasks(request: HttpRequest) -> HttpResponse:
    found = tasks.tasks_of(user_of(request))[:MOST_SHOWN]
    return render(request, "shared_task/tasks.html", {"tasks": found})


@login_required
@require_http_methods(FORM)
def new_task(request: HttpRequest) -> HttpResponse:
    form = TaskForm(**sent(request))
    if form.is_valid():
        with refusals_in(form):
            task = tasks.create_task(user_of(request), **form.cleaned_data)
            return redirect("rankme:task", task.code)
    status = 422 if form.is_bound else 200
    return render(request, "shared_task/edit.html", {"form": form}, status=status)


@task_page(*FORM)
def edit_task(request: HttpRequest, task: SharedTask) -> HttpResponse:
    form = TaskForm(**sent(request), instance=SharedTask.objects.get(pk=task.pk))
    if form.is_valid():
        with refusals_in(form):
            tasks.change_task(task, by=user_of(request), **form.cleaned_data)
            return redirect("rankme:task", task.code)
    context = {"form": form, "task": task}
    return render(request, "shared_task/edit.html", context, status=422 if form.is_bound else 200)


@task_page(*SAFE)
def show_task(request: HttpRequest, task: SharedTask) -> HttpResponse:
    return _show(request, task)


def _show(request: HttpRequest, task: SharedTask, **more: Any) -> HttpResponse:
    """The task's page. From the seal to the names, it shows teams and nothing of their uploads."""
    context = {
        "task": task,
        "tracks": task.tracks.select_related("campaign"),
        "teams": overview.teams_of(task)[:MOST_SHOWN],
        "uploads": overview.uploads_for_hosts(task)[:MOST_SHOWN],
        "without_primary": overview.teams_without_primary(task),
        "track_form": TrackForm(),
        "call": request.build_absolute_uri(reverse("rankme:task-call", args=[task.code])),
    }
    return render(request, "shared_task/task.html", context | more)


@task_page(*POST)
def add_track(request: HttpRequest, task: SharedTask) -> HttpResponse:
    form = TrackForm(request.POST)
    if form.is_valid():
        definition = preset("e2e-quality")
        given = form.cleaned_data
        act(
            request,
            _("The track is made. Define its campaign, and upload its sources."),
            tasks.add_track,
            task,
            given["name"],
            definition,
            is_development=given["is_development"],
        )
    return redirect("rankme:task", task.code)


@task_page(*POST)
def decide(request: HttpRequest, task: SharedTask, team: int, choice: str) -> HttpResponse:
    """Approve, refuse or withdraw a team."""
    found = get_object_or_404(task.teams, pk=team, kind=Team.Kind.TEAM)
    done = _("This is noted.")
    if choice == "withdraw":
        act(request, done, teams.withdraw_team, found)
    elif choice in ("approve", "refuse"):
        act(request, done, teams.decide, found, approve=choice == "approve")
    else:
        raise Http404
    return redirect("rankme:task", task.code)


@task_page(*POST)
def make_link(request: HttpRequest, task: SharedTask, kind: str) -> HttpResponse:
    """Make a link for a team: an invitation, the hosts' own teams, or a new captain by team id."""
    user = user_of(request)
    try:
        if kind in ("invitation", Team.Kind.HOSTS, Team.Kind.REHEARSAL):
            address = teams.make_link(task, kind, by=user)
        else:
            team = get_object_or_404(task.teams, pk=number_in(kind), kind=Team.Kind.TEAM)
            address = teams.make_captains_link(team, by=user)
    except RankmeError as refusal:
        return _show(request, task, refusal=str(refusal))
    # Shown once, so there is no redirect.
    return _show(request, task, link=request.build_absolute_uri(address))
