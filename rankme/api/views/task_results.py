"""Results, disputes and the history of shared tasks, for hosts; own results, for teams."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.shared_task.disputes import answer_dispute, disputes_of, make_dispute
from rankme.actions.shared_task.reading import seen_results
from rankme.api import task_result_shapes as shapes
from rankme.api.view import PageQuery, View, operation
from rankme.downloads import attachment
from rankme.exporting.shared_task.files import FILES, task_file
from rankme.exporting.shared_task.own_results import own_judgements, own_places
from rankme.exporting.shared_task.tables import as_documents
from rankme.permissions import Permission, user_of
from rankme.queries.shared_task import overview
from rankme.queries.shared_task.system_names import is_for_teams_first

from .shared_tasks import get_task
from .teams import TeamView

BINARY = {(200, "application/octet-stream"): OpenApiTypes.BINARY}


class TaskResultsView(View):
    @operation(
        "tasks_results_read",
        "The tables of an unsealed shared task, as it publishes them, and the names of its files",
        needs=Permission.FILES,
        gives=shapes.TaskResultsSerializer,
    )
    def get(self, request: Request, task: str) -> object:
        found = get_task(request, task)
        results = seen_results(found, by=user_of(request))
        return {
            "is_named": results.is_named,
            "teams_first_until": found.teams_first_until,
            "without_report": [each.track.name for each in results.tracks if each.run is None],
            "tables": as_documents(results),
            "files": FILES,
        }


class TaskResultFileView(View):
    @operation(
        "tasks_results_file",
        "A file of an unsealed shared task: tables, teams, outputs, or the overview paper",
        needs=Permission.FILES,
        responses=BINARY,
    )
    def get(self, request: Request, task: str, name: str) -> HttpResponseBase:
        results = seen_results(get_task(request, task), by=user_of(request))
        return attachment(task_file(results, name))


class TaskDisputesView(View):
    @operation(
        "tasks_disputes_list",
        "What teams object to in their results, newest first, with the answers of the hosts",
        needs=Permission.FILES,
        lists=shapes.HostedDisputeSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, task: str) -> Response:
        found = disputes_of(get_task(request, task))
        return self.paged(found, shapes.HostedDisputeSerializer, newest_first=True)


class DisputeAnswerView(View):
    @operation(
        "tasks_disputes_answer",
        "Answer a dispute, once; the answer stays",
        needs=Permission.EDIT,
        takes=shapes.AnswerSerializer,
        gives=shapes.HostedDisputeSerializer,
    )
    def post(self, request: Request, task: str, dispute: int) -> object:
        found = get_object_or_404(disputes_of(get_task(request, task)), pk=dispute)
        return answer_dispute(found, self.given["text"], by=user_of(request))


class TaskHistoryView(View):
    @operation(
        "tasks_history_list",
        "The acts of hosts and teams, newest first; none about uploads while codes hide the names",
        needs=Permission.FILES,
        lists=shapes.TaskEventSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, task: str) -> Response:
        found = overview.events_for_hosts(get_task(request, task))
        return self.paged(found, shapes.TaskEventSerializer, newest_first=True)


class OwnResultsView(TeamView):
    @operation(
        "team_results_read",
        "The places of your own systems, once the task is unsealed",
        needs=None,
        gives=shapes.OwnResultsSerializer,
    )
    def get(self, request: Request) -> object:
        task = self.member.team.task
        return {
            "may_object": is_for_teams_first(task),
            "teams_first_until": task.teams_first_until,
            "places": own_places(self.member.team),
        }


class OwnJudgementsView(TeamView):
    @operation(
        "team_results_judgements",
        "Your outputs in a track with every judgement of them that counts (CSV)",
        needs=None,
        responses={(200, "text/csv"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, track: int) -> HttpResponseBase:
        team = self.member.team
        found = get_object_or_404(team.task.tracks, pk=track)
        return attachment(own_judgements(team, found))


class OwnDisputesView(TeamView):
    @operation(
        "team_disputes_list",
        "What your team objects to, newest first, with the answers of the hosts",
        needs=None,
        lists=shapes.DisputeSerializer,
        query=PageQuery,
    )
    def get(self, request: Request) -> Response:
        found = self.member.team.disputes.select_related("track")
        return self.paged(found, shapes.DisputeSerializer, newest_first=True)

    @operation(
        "team_disputes_create",
        "Object to your results in a track, in the days that the task gives for that",
        needs=None,
        takes=shapes.NewDisputeSerializer,
        gives=shapes.DisputeSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        given = self.given
        track = get_object_or_404(self.member.team.task.tracks, pk=given["track"])
        made = make_dispute(track, given["text"], by=self.member)
        made.refresh_from_db()
        return made
