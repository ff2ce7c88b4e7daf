"""Shared tasks for their hosts: the task, its tracks and teams, the seal and the names."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from rankme.actions.shared_task import next_year, publishing, room, sealing, tasks, teams, unsealing
from rankme.api import shared_task_shapes as shapes
from rankme.api.view import PageQuery, View, operation
from rankme.errors import RefusedAction
from rankme.models import SharedTask, Team
from rankme.permissions import Permission, key_of, user_of
from rankme.protocols.files import preset, preset_names
from rankme.queries.shared_task import overview
from rankme.queries.shared_task.capacity import allowed

FIRST_PRESET = "e2e-quality"


def open_tasks(request: Request) -> QuerySet[SharedTask]:
    """The tasks that the account runs; a key for some campaigns alone opens none."""
    key = key_of(request)
    found = tasks.tasks_of(user_of(request))
    return found if key is None or key.in_all_campaigns else found.none()


def get_task(request: Request, code: str) -> SharedTask:
    return get_object_or_404(open_tasks(request), code=code)


class TasksView(View):
    @operation(
        "tasks_list",
        "The shared tasks that you run, newest first",
        needs=Permission.SEE,
        lists=shapes.TaskLineSerializer,
        query=PageQuery,
    )
    def get(self, request: Request) -> Response:
        return self.paged(open_tasks(request), shapes.TaskLineSerializer, newest_first=True)

    @operation(
        "tasks_create",
        "Make a shared task; its tracks come next",
        needs=Permission.EDIT,
        takes=shapes.NewTaskSerializer,
        gives=shapes.HostedTaskSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        return tasks.create_task(user_of(request), **self.given)


class TaskView(View):
    @operation(
        "tasks_read",
        "A shared task with its tracks, the seal and the time of the names",
        needs=Permission.FILES,
        gives=shapes.HostedTaskSerializer,
    )
    def get(self, request: Request, task: str) -> object:
        return get_task(request, task)

    @operation(
        "tasks_change",
        "Change the fields of a shared task that are sent",
        needs=Permission.EDIT,
        takes=shapes.ChangedTaskSerializer,
        gives=shapes.HostedTaskSerializer,
    )
    def put(self, request: Request, task: str) -> object:
        found = get_task(request, task)
        tasks.change_task(found, by=user_of(request), **self.given)
        return get_task(request, task)


class TaskCopiesView(View):
    @operation(
        "tasks_copies_create",
        "Make the task of the next year: texts, limits, rules and drafts of the tracks",
        needs=Permission.EDIT,
        takes=shapes.CopiedTaskSerializer,
        gives=shapes.HostedTaskSerializer,
        status=201,
    )
    def post(self, request: Request, task: str) -> object:
        return next_year.copy_task(get_task(request, task), by=user_of(request), **self.given)


class RoomView(View):
    @operation(
        "tasks_room_create",
        "How many systems the raters, and the time or the money, of a track allow",
        needs=Permission.EDIT,
        takes=shapes.MeansSerializer,
        gives=shapes.RoomsSerializer,
    )
    def post(self, request: Request, task: str) -> object:
        found, given = get_task(request, task), dict(self.given)
        tell, usual = given.pop("tell"), room.usual_means(found)
        if "money" in given:  # then time has a bound only where it is sent
            del usual["minutes"]
        means = usual | given
        if problems := room.problems_of_means(means):
            named = {
                name or api_settings.NON_FIELD_ERRORS_KEY: [why] for name, why in problems.items()
            }
            raise ValidationError(named)
        rooms = room.rooms_of(found, means)
        if tell:
            room.tell_room(found, rooms, by=user_of(request))
        return {"allowed": allowed(rooms), "rooms": rooms}

    @operation(
        "tasks_room_delete",
        "Let the call of a task no longer say what room there is",
        needs=Permission.EDIT,
    )
    def delete(self, request: Request, task: str) -> None:
        room.hide_room(get_task(request, task), by=user_of(request))


class TaskTracksView(View):
    @operation(
        "tasks_tracks_create",
        "Add a track, with a draft campaign whose items will be the sources",
        needs=Permission.EDIT,
        takes=shapes.NewTrackSerializer,
        gives=shapes.HostedTrackSerializer,
        status=201,
    )
    def post(self, request: Request, task: str) -> object:
        found, given = get_task(request, task), self.given
        name = given.get("preset", FIRST_PRESET)
        if name not in preset_names():
            raise RefusedAction("There is no such preset: presets/ lists them.")
        definition = preset(name)
        return tasks.add_track(
            found,
            given["name"],
            definition,
            is_development=given["is_development"],
            by=user_of(request),
        )


class TaskTrackView(View):
    @operation(
        "tasks_tracks_delete",
        "Remove a track without uploads whose campaign is a draft; the campaign stays",
        needs=Permission.EDIT,
    )
    def delete(self, request: Request, task: str, track: int) -> None:
        found = get_object_or_404(get_task(request, task).tracks, pk=track)
        tasks.remove_track(found, by=user_of(request))


class HostsView(View):
    @operation(
        "tasks_hosts_list",
        "The accounts that run a shared task, without its owner",
        needs=Permission.FILES,
        gives=shapes.HostSerializer(many=True),
    )
    def get(self, request: Request, task: str) -> object:
        return get_task(request, task).hosts.select_related("user")

    @operation(
        "tasks_hosts_create",
        "Let another account run a shared task",
        needs=Permission.OWN,
        takes=shapes.NewHostSerializer,
        gives=shapes.HostSerializer,
        status=201,
    )
    def post(self, request: Request, task: str) -> object:
        found = get_task(request, task)
        made = tasks.add_host(found, self.given["username"], by=user_of(request))
        made.refresh_from_db()
        return made


class HostView(View):
    @operation(
        "tasks_hosts_delete", "Remove an account from the hosts of a task", needs=Permission.OWN
    )
    def delete(self, request: Request, task: str, host: int) -> None:
        found = get_object_or_404(get_task(request, task).hosts, pk=host)
        tasks.remove_host(found, by=user_of(request))


class TaskTeamsView(View):
    @operation(
        "tasks_teams_list",
        "The teams of a shared task with their systems, in the order in which they registered",
        needs=Permission.FILES,
        lists=shapes.TeamSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, task: str) -> Response:
        found = overview.teams_of(get_task(request, task))
        return self.paged(found, shapes.TeamSerializer, newest_first=False)


def get_team(request: Request, task: str, team: int) -> Team:
    return get_object_or_404(get_task(request, task).teams, pk=team, kind=Team.Kind.TEAM)


class DecisionView(View):
    @operation(
        "tasks_teams_decide",
        "Approve, refuse or withdraw a team",
        needs=Permission.EDIT,
        takes=shapes.DecisionSerializer,
        gives=shapes.TeamSerializer,
    )
    def post(self, request: Request, task: str, team: int) -> object:
        found, choice = get_team(request, task, team), self.given["decision"]
        if choice == "withdraw":
            return teams.withdraw_team(found, by=user_of(request))
        return teams.decide(found, approve=choice == "approve", by=user_of(request))


class CaptainView(View):
    @operation(
        "tasks_teams_captain",
        "Make a new captain's link for a team that has lost its own, which ends",
        needs=Permission.EDIT,
        gives=shapes.SecretSerializer,
        status=201,
    )
    def post(self, request: Request, task: str, team: int) -> object:
        found = get_team(request, task, team)
        path = teams.make_captains_link(found, by=user_of(request))
        return {"link": request.build_absolute_uri(path)}


class TaskLinksView(View):
    @operation(
        "tasks_links_create",
        "Make a link: for a team that is invited, or into the hosts' own teams",
        needs=Permission.EDIT,
        takes=shapes.NewLinkSerializer,
        gives=shapes.SecretSerializer,
        status=201,
    )
    def post(self, request: Request, task: str) -> object:
        found = get_task(request, task)
        path = teams.make_link(found, self.given["kind"], by=user_of(request))
        return {"link": request.build_absolute_uri(path)}


class TaskUploadsView(View):
    @operation(
        "tasks_uploads_list",
        "The uploads of all teams, newest first; none while codes hide the names",
        needs=Permission.FILES,
        lists=shapes.HostedUploadSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, task: str) -> Response:
        found = overview.uploads_for_hosts(get_task(request, task))
        return self.paged(found, shapes.HostedUploadSerializer, newest_first=True)


class SealView(View):
    @operation(
        "tasks_seal_read",
        "What would become a code now, or the commitment of the seal",
        needs=Permission.FILES,
        gives=shapes.SealSerializer,
    )
    def get(self, request: Request, task: str) -> object:
        return _seal_of(get_task(request, task))

    @operation(
        "tasks_seal_create",
        "Seal a closed task: each system that people judge becomes a code",
        needs=Permission.OWN,
        takes=shapes.SealChoiceSerializer,
        gives=shapes.SealSerializer,
    )
    def post(self, request: Request, task: str) -> object:
        choice = sealing.Choice(**self.given)
        return _seal_of(sealing.seal(get_task(request, task), choice, by=user_of(request)))


def _seal_of(task: SharedTask) -> dict[str, Any]:
    fields, refusal = [], ""
    if task.sealed_at is None:
        try:
            sealing.refuse_before_the_close(task)
            fields = sealing.fields_of(task)
        except RefusedAction as refused:
            refusal = str(refused)
    return {
        "sealed_at": task.sealed_at,
        "commitment": task.seal_sha256,
        "refusal": refusal,
        "tracks": fields,
    }


class UnsealView(View):
    @operation(
        "tasks_unseal_read",
        "Whether the names are asked for or known, and what is not yet fixed without them",
        needs=Permission.FILES,
        gives=shapes.UnsealSerializer,
    )
    def get(self, request: Request, task: str) -> object:
        return _names_of(get_task(request, task))

    @operation(
        "tasks_unseal_create",
        "Ask for the names, agree with the host who asked, or tell them alone with a reason",
        needs=Permission.OWN,
        takes=shapes.UnsealChoiceSerializer,
        gives=shapes.UnsealSerializer,
    )
    def post(self, request: Request, task: str) -> object:
        found, user = get_task(request, task), user_of(request)
        if self.given["act"] == "ask":
            return _names_of(unsealing.ask_to_unseal(found, by=user))
        return _names_of(unsealing.unseal(found, by=user, reason=self.given.get("reason", "")))


class PublicationView(View):
    @operation(
        "tasks_publication_create",
        "Let everybody read the results of an unsealed task, at `calls/CODE/results/` of the site",
        needs=Permission.OWN,
        gives=shapes.HostedTaskSerializer,
    )
    def post(self, request: Request, task: str) -> object:
        return publishing.publish_results(get_task(request, task), by=user_of(request))

    @operation(
        "tasks_publication_delete", "Take the public results of a task down", needs=Permission.OWN
    )
    def delete(self, request: Request, task: str) -> None:
        publishing.withdraw_results(get_task(request, task), by=user_of(request))


def _names_of(task: SharedTask) -> dict[str, Any]:
    asked = task.unseal_asked_by
    return {
        "sealed_at": task.sealed_at,
        "unsealed_at": task.unsealed_at,
        "asked_at": task.unseal_asked_at,
        "asked_by": asked.get_username() if asked else "",
        "missing": unsealing.missing_before_the_names(task) if task.is_sealed else [],
    }
