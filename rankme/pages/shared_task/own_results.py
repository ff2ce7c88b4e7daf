"""A team's own results, before the public reads any: places, judgements, and disputes."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from rankme.actions.shared_task import disputes
from rankme.downloads import attachment
from rankme.exporting.shared_task.own_results import own_judgements, own_places
from rankme.forms.shared_task import DisputeForm
from rankme.models import SharedTask, TeamMember
from rankme.pages.campaign.campaign_page import POST, SAFE, refusals_as_messages
from rankme.queries.shared_task.system_names import is_for_teams_first

from .teaming import team_page


@team_page(*SAFE)
def show_own_results(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """The team's places, once the names are known; there is nothing before."""
    task = _unsealed(member)
    team = member.team
    judged = task.tracks.filter(codes__upload__team=team)
    context = {
        "team": team,
        "task": task,
        "places": own_places(team),
        "tracks": judged.distinct(),
        "disputes": team.disputes.select_related("track"),
        "may_object": is_for_teams_first(task),
    }
    return render(request, "shared_task/own_results.html", context)


@team_page(*SAFE)
def download_judgements(request: HttpRequest, member: TeamMember, track: int) -> HttpResponseBase:
    task = _unsealed(member)
    return attachment(own_judgements(member.team, get_object_or_404(task.tracks, pk=track)))


@team_page(*POST)
def dispute(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Object to the team's results in a track."""
    task = _unsealed(member)
    form = DisputeForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose a track, and write at most 5,000 characters."))
        return redirect("rankme:team-results")
    given = form.cleaned_data
    with refusals_as_messages(request):
        track = get_object_or_404(task.tracks, pk=given["track"])
        disputes.make_dispute(track, given["text"], by=member)
        messages.success(request, _("The hosts read this on their page, and answer here."))
    return redirect("rankme:team-results")


def _unsealed(member: TeamMember) -> SharedTask:
    task = member.team.task
    if task.unsealed_at is None:
        raise Http404
    return task
