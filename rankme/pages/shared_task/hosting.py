"""The hosts' pages: their tasks, with tracks, teams and what counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions.shared_task import next_year, room, tasks, teams
from rankme.errors import RankmeError
from rankme.forms.shared_task import CapacityForm, CopyForm, HostForm, TaskForm, TrackForm
from rankme.models import SharedTask, Team, TeamMember
from rankme.pages.campaign.campaign_page import FORM, POST, SAFE, act, refusals_in, sent
from rankme.permissions import user_of
from rankme.protocols.files import preset
from rankme.queries.shared_task import capacity, overview
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


@task_page(*FORM)
def copy_task(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """Make the task of the next year, with a title and times that the host has checked."""
    is_named_on_a_day = task.teams_named == SharedTask.Naming.DATE
    initial = next_year.proposal(task)
    form = CopyForm(**sent(request), initial=initial, is_named_on_a_day=is_named_on_a_day)
    if form.is_valid():
        with refusals_in(form):
            given = {name: each for name, each in form.cleaned_data.items() if name != "is_checked"}
            made = next_year.copy_task(task, by=user_of(request), **given)
            messages.success(request, _("The task is copied. Upload the sources of its tracks."))
            return redirect("rankme:task", made.code)
    context = {"form": form, "task": task}
    return render(request, "shared_task/copy.html", context, status=422 if form.is_bound else 200)


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
        "hosts": task.hosts.select_related("user"),
        "invitations": teams.open_invitations(task)[:MOST_SHOWN],
        "track_form": TrackForm(),
        "host_form": HostForm(),
        "reserved": capacity.reserved_systems(task).count(),
        "events": overview.events_for_hosts(task)[:MOST_SHOWN],
        "call": request.build_absolute_uri(reverse("rankme:task-call", args=[task.code])),
    }
    return render(request, "shared_task/task.html", context | more)


@task_page(*FORM)
def show_capacity(request: HttpRequest, task: SharedTask) -> HttpResponse:
    """How many systems the raters and the money of a track allow; hosts may tell it in the call."""
    if request.POST.get("act") == "hide":
        act(request, _("The call no longer says what room there is."), room.hide_room, task)
        return redirect("rankme:task-capacity", task.code)
    given = request.POST if request.method == "POST" else request.GET
    form = CapacityForm(given if "raters" in given else None, initial=room.usual_means(task))
    context: dict[str, Any] = {"task": task, "form": form}
    if form.is_valid():
        found = room.rooms_of(task, form.cleaned_data)
        if request.method == "POST":
            act(request, _("The call now says what room there is."), room.tell_room, task, found)
            return redirect("rankme:task-call", task.code)
        context |= {"rooms": found, "allowed": capacity.allowed(found)}
    context["reserved"] = capacity.reserved_systems(task).count()
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "shared_task/capacity.html", context, status=status)


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
def add_host(request: HttpRequest, task: SharedTask) -> HttpResponse:
    username = request.POST.get("username", "")[:150]
    act(request, _("This account runs the task, too."), tasks.add_host, task, username)
    return redirect("rankme:task", task.code)


@task_page(*POST)
def remove(request: HttpRequest, task: SharedTask, kind: str, number: int) -> HttpResponse:
    """Remove a host, a track that nobody uses, a member of a team, or an open invitation."""
    if kind == "host":
        host = get_object_or_404(task.hosts, pk=number)
        act(request, _("This account no longer runs the task."), tasks.remove_host, host)
    elif kind == "track":
        track = get_object_or_404(task.tracks, pk=number)
        done = _("The track is removed. Its campaign is still in your list.")
        act(request, done, tasks.remove_track, track)
    elif kind == "member":
        members = TeamMember.objects.filter(team__task=task, removed_at=None)
        member = get_object_or_404(members, pk=number)
        act(request, _("The link of this member has ended."), teams.remove_member, member)
    elif kind == "invitation":
        invitation = get_object_or_404(teams.open_invitations(task), pk=number)
        done = _("The invitation is revoked. Its link no longer lets a team in.")
        act(request, done, teams.revoke_team_invitation, invitation)
    else:
        raise Http404
    # A host who removed the own account has no task page any more.
    is_host = tasks.tasks_of(user_of(request)).filter(pk=task.pk).exists()
    return redirect("rankme:task", task.code) if is_host else redirect("rankme:tasks")


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
