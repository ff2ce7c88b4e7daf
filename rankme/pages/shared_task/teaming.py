"""The call of a task, and the pages of a team, whose members come by links without an account."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from rankme.actions.shared_task import tasks, teams, uploads
from rankme.actions.shared_task.warnings import titled
from rankme.errors import RankmeError, RefusedAction
from rankme.forms.shared_task import (
    FactsForm,
    MemberForm,
    RegistrationForm,
    SystemForm,
    UploadForm,
)
from rankme.models import SharedTask, Team, TeamMember
from rankme.networks import network_of
from rankme.pages.campaign.campaign_page import (
    FORM,
    POST,
    SAFE,
    refusals_as_messages,
    refusals_in,
    sent,
)
from rankme.queries.shared_task import capacity, overview
from rankme.untrusted.whole_numbers import number_in
from rankme.uploads import takes_files_of_teams

SESSION = "team_member"
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


@never_cache
@require_http_methods(FORM)
def show_call(request: HttpRequest, code: str) -> HttpResponse:
    """What the task is about; a team registers here, and gets its captain's link once."""
    task = get_object_or_404(SharedTask, code=code)
    invitation = request.GET.get("invitation", "")[:100]
    form, link = RegistrationForm(**sent(request), initial={"invitation": invitation}), ""
    if not task.terms:
        del form.fields["accepts_terms"]
    if form.is_valid():
        with refusals_in(form):
            teams.refuse_many_registrations(task, address=network_of(request))
            _captain, secret = teams.register_team(task, **form.cleaned_data)
            link = request.build_absolute_uri(reverse("rankme:team-enter", args=[secret]))
    context = {"task": task, "form": form, "link": link}
    context["reserved"] = capacity.reserved_systems(task).count()
    status = 422 if form.is_bound and not link else 200
    return render(request, "shared_task/call.html", context, status=status)


@never_cache
@require_http_methods(SAFE)
def enter(request: HttpRequest, secret: str) -> HttpResponse:
    """Keep who comes in the session, and leave the address with the secret at once."""
    try:
        member = teams.member_of(secret)
    except RefusedAction as refusal:
        return render(request, "shared_task/no_team.html", {"refusal": str(refusal)}, status=404)
    request.session[SESSION] = member.hash
    return redirect("rankme:team")


def member_here(request: HttpRequest) -> TeamMember | None:
    """Who sends the request, by the session of a link."""
    found = TeamMember.objects.select_related("team__task").filter(removed_at=None)
    return found.filter(hash=request.session.get(SESSION, "")).first()


def team_page(*methods: str) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """Decorate a page of the team whose member comes."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def page(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            member = member_here(request)
            if member is None:
                context = {"refusal": _("Open the link of your team first.")}
                return render(request, "shared_task/no_team.html", context, status=403)
            return view(request, member, **parts)

        return never_cache(require_http_methods(methods)(page))

    return decorate


@team_page(*SAFE)
def show_team(request: HttpRequest, member: TeamMember) -> HttpResponse:
    return _show(request, member)


def _show(request: HttpRequest, member: TeamMember, **more: Any) -> HttpResponse:
    team = member.team
    own = team.uploads.select_related("track", "system", "check_job").order_by("track", "-number")
    for each in own:
        each.check_job.warnings = titled(each.check_job.warnings)
    context = {
        "member": member,
        "team": team,
        "task": team.task,
        "tracks": team.task.tracks.all(),
        "systems": team.systems.all(),
        "members": team.members.filter(removed_at=None),
        "uploads": own,
        "missing": () if team.task.sealed_at else overview.tracks_without_primary(team),
        "facts_form": FactsForm(instance=team),
        "system_form": SystemForm(initial={"is_constrained": True}, team=team),
        "member_form": MemberForm(),
    }
    return render(request, "shared_task/team.html", context | more)


def _done(request: HttpRequest, action: Callable[..., object], *given: Any, **named: Any) -> None:
    with refusals_as_messages(request):
        action(*given, **named)
        messages.success(request, _("This is noted."))


@team_page(*POST)
def announce(request: HttpRequest, member: TeamMember) -> HttpResponse:
    form = SystemForm(request.POST, team=member.team)
    if form.is_valid():
        _done(request, teams.announce_system, member.team, **form.cleaned_data, by=member)
    else:
        messages.error(request, _("Give the system a name of at most 60 characters."))
    return redirect("rankme:team")


@team_page(*POST)
def add_member(request: HttpRequest, member: TeamMember) -> HttpResponse:
    form, link = MemberForm(request.POST), ""
    if form.is_valid():
        with refusals_in(form):
            _made, secret = teams.add_member(member.team, **form.cleaned_data, by=member)
            link = request.build_absolute_uri(reverse("rankme:team-enter", args=[secret]))
    return _show(request, member, link=link, member_form=MemberForm() if link else form)


@team_page(*POST)
def remove_member(request: HttpRequest, member: TeamMember, number: int) -> HttpResponse:
    found = get_object_or_404(member.team.members.filter(removed_at=None), pk=number)
    _done(request, teams.remove_member, found, by=member)
    return redirect("rankme:team")


@team_page(*POST)
def change_facts(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Change how the paper names and cites the team."""
    form = FactsForm(request.POST, instance=Team.objects.get(pk=member.team_id))
    if form.is_valid():
        with refusals_in(form):
            teams.change_team(member.team, **form.cleaned_data, by=member)
            messages.success(request, _("This is noted."))
            return redirect("rankme:team")
    return _show(request, member, facts_form=form)


@team_page(*POST)
def withdraw(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Withdraw the whole team, with all of its uploads."""
    _done(request, teams.withdraw_team, member.team, by=member)
    return redirect("rankme:team")


@team_page(*POST)
def begin_upload(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Give the ticket of an upload that begins now; a refused one goes on without it."""
    number = number_in(request.POST.get("track", ""))
    found = get_object_or_404(member.team.task.tracks, pk=number)
    try:
        ticket = uploads.begin_upload(member.team, found, by=member)
    except RankmeError as refusal:
        return JsonResponse({"detail": str(refusal)}, status=409)
    return JsonResponse({"ticket": str(ticket.key)})


@takes_files_of_teams
@team_page(*POST)
def upload(request: HttpRequest, member: TeamMember) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, _("Choose a track, a system and a file."))
        return redirect("rankme:team")
    given = form.cleaned_data
    track = get_object_or_404(member.team.task.tracks, pk=given["track"])
    system = get_object_or_404(member.team.systems, pk=given["system"])
    file, ticket = given["file"], given["ticket"]
    with refusals_as_messages(request):
        made = uploads.take_upload(track, system, file, name=file.name, ticket=ticket, by=member)
        done = _("Upload %(number)s has arrived. Nothing counts until you choose it.")
        messages.success(request, done % {"number": made.number})
    return redirect("rankme:team")


@team_page(*POST)
def choose(request: HttpRequest, member: TeamMember, number: int) -> HttpResponse:
    """Say what an upload counts as, or withdraw it."""
    found = get_object_or_404(member.team.uploads, pk=number)
    choice = request.POST.get("role", "")
    if choice == "withdraw":
        _done(request, uploads.withdraw_upload, found, by=member)
    else:
        _done(request, uploads.choose_role, found, choice, by=member)
    return redirect("rankme:team")


@team_page(*SAFE)
def show_receipt(request: HttpRequest, member: TeamMember, number: int) -> HttpResponse:
    return JsonResponse(uploads.receipt(get_object_or_404(member.team.uploads, pk=number)))


@team_page(*SAFE)
def sources(request: HttpRequest, member: TeamMember, track: int) -> HttpResponse:
    """The sources as lines of JSON, once the task is open."""
    found = get_object_or_404(member.team.task.tracks, pk=track)
    try:
        pack = tasks.pack_for(member, found)
    except RefusedAction as refusal:
        context = {"refusal": str(refusal)}
        return render(request, "shared_task/no_team.html", context, status=409)
    answer = HttpResponse(pack, content_type="application/x-ndjson")
    answer["Content-Disposition"] = 'attachment; filename="sources.jsonl"'
    return answer
