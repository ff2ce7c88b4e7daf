"""Shared tasks for teams, whose members send the secret of their own link; and the open call."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile, File
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.shared_task import tasks, teams, uploads
from rankme.api import shared_task_shapes as shapes
from rankme.api.authentication import IsTeamMember, TeamAuthentication
from rankme.api.parsers import NamedFileParser
from rankme.api.view import PageQuery, View, operation
from rankme.models import SharedTask, SystemUpload, TeamMember
from rankme.networks import network_of
from rankme.uploads import LARGEST_OF_TEAMS

OPEN: list[dict[str, list[str]]] = []
RAW = {"application/octet-stream": OpenApiTypes.BINARY}
LINES = OpenApiResponse(OpenApiTypes.STR, description="A line of JSON for each source.")


class CallView(View):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    @operation(
        "calls_read",
        "The call of a shared task: its text, terms, times and tracks",
        needs=None,
        gives=shapes.CallSerializer,
        auth=OPEN,
    )
    def get(self, request: Request, task: str) -> object:
        return get_object_or_404(SharedTask, code=task)

    @operation(
        "calls_register",
        "Register a team; the answer has its captain's link",
        needs=None,
        takes=shapes.RegistrationSerializer,
        gives=shapes.SecretSerializer,
        status=201,
        auth=OPEN,
    )
    def post(self, request: Request, task: str) -> object:
        found = get_object_or_404(SharedTask, code=task)
        given = self.given
        teams.refuse_many_registrations(found, address=network_of(request))
        _captain, secret = teams.register_team(found, **given)
        return {"link": request.build_absolute_uri(reverse("rankme:team-enter", args=[secret]))}


class TeamView(View):
    # The base of what a team's members ask for; a docstring would describe every operation.
    authentication_classes = [TeamAuthentication]
    permission_classes = [IsTeamMember]

    @property
    def member(self) -> TeamMember:
        return self.request.auth  # type: ignore[return-value]

    def upload_of(self, number: int) -> SystemUpload:
        return get_object_or_404(_uploads(self.member), pk=number)

    def take(
        self, track: int, system: int, file: File[Any], *, name: str, ticket: UUID | None
    ) -> SystemUpload:
        team = self.member.team
        made = uploads.take_upload(
            get_object_or_404(team.task.tracks, pk=track),
            get_object_or_404(team.systems, pk=system),
            file,
            name=name,
            ticket=ticket,
            by=self.member,
        )
        return self.upload_of(made.pk)


def _uploads(member: TeamMember) -> QuerySet[SystemUpload]:
    return member.team.uploads.select_related("track", "system", "check_job")


class OwnTeamView(TeamView):
    @operation(
        "team_read",
        "Your team, its systems, and its task with tracks, times and limits",
        needs=None,
        gives=shapes.OwnTeamSerializer,
    )
    def get(self, request: Request) -> object:
        team: Any = self.member.team
        team.member, team.is_captain = self.member.name, self.member.is_captain
        return team


class FactsView(TeamView):
    @operation(
        "team_change",
        "Change how the paper names and cites your team (only its captain can)",
        needs=None,
        takes=shapes.FactsSerializer,
        gives=shapes.TeamSerializer,
    )
    def put(self, request: Request) -> object:
        return teams.change_team(self.member.team, **self.given, by=self.member)


class OwnWithdrawalView(TeamView):
    @operation(
        "team_withdraw",
        "Withdraw your whole team with all its uploads, for good (only its captain can)",
        needs=None,
        gives=shapes.TeamSerializer,
    )
    def post(self, request: Request) -> object:
        return teams.withdraw_team(self.member.team, by=self.member)


class MembersOfTeamView(TeamView):
    @operation(
        "team_members_list",
        "The members of your team",
        needs=None,
        gives=shapes.TeamMemberSerializer(many=True),
    )
    def get(self, request: Request) -> object:
        return self.member.team.members.filter(removed_at=None)

    @operation(
        "team_members_create",
        "Make a link for one more member (only the captain can)",
        needs=None,
        takes=shapes.NewMemberSerializer,
        gives=shapes.SecretSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        _made, secret = teams.add_member(self.member.team, **self.given, by=self.member)
        return {"link": request.build_absolute_uri(reverse("rankme:team-enter", args=[secret]))}


class MemberOfTeamView(TeamView):
    @operation("team_members_remove", "End a member's link (only the captain can)", needs=None)
    def delete(self, request: Request, member: int) -> None:
        members = self.member.team.members.filter(removed_at=None)
        teams.remove_member(get_object_or_404(members, pk=member), by=self.member)


class SourcesView(TeamView):
    @operation(
        "team_sources",
        "The sources of a track, once the task is open; `sources_sha256` is their hash",
        needs=None,
        responses={(200, "application/x-ndjson"): LINES},
    )
    def get(self, request: Request, track: int) -> HttpResponse:
        found = get_object_or_404(self.member.team.task.tracks, pk=track)
        pack = tasks.pack_for(self.member, found)
        return HttpResponse(pack, content_type="application/x-ndjson")


class SystemsView(TeamView):
    @operation(
        "team_systems_list",
        "The systems that your team has announced",
        needs=None,
        gives=shapes.TeamSystemSerializer(many=True),
    )
    def get(self, request: Request) -> object:
        return self.member.team.systems.all()

    @operation(
        "team_systems_create",
        "Announce a system",
        needs=None,
        takes=shapes.NewSystemSerializer,
        gives=shapes.TeamSystemSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        made = teams.announce_system(self.member.team, **self.given, by=self.member)
        made.refresh_from_db()
        return made


class TicketsView(TeamView):
    @operation(
        "team_tickets_create",
        "Begin an upload, so that it may end after the close",
        needs=None,
        takes=shapes.NewTicketSerializer,
        gives=shapes.TicketSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        team = self.member.team
        track = get_object_or_404(team.task.tracks, pk=self.given["track"])
        return {"ticket": uploads.begin_upload(team, track, by=self.member).key}


class UploadsView(TeamView):
    parser_classes = [MultiPartParser]
    largest_body = LARGEST_OF_TEAMS

    @operation(
        "team_uploads_list",
        "The uploads of your team with what their checks found, newest first",
        needs=None,
        lists=shapes.TaskUploadSerializer,
        query=PageQuery,
    )
    def get(self, request: Request) -> Response:
        return self.paged(_uploads(self.member), shapes.TaskUploadSerializer, newest_first=True)

    @operation(
        "team_uploads_create",
        "Upload the outputs of one system as a form; a worker checks them",
        needs=None,
        request={"multipart/form-data": shapes.NewTaskUploadSerializer},
        gives=shapes.TaskUploadSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        given = self.read(shapes.NewTaskUploadSerializer)
        file = given["file"]
        return self.take(
            given["track"], given["system"], file, name=file.name, ticket=given.get("ticket")
        )


class FileView(TeamView):
    parser_classes = [NamedFileParser]
    largest_body = LARGEST_OF_TEAMS

    @operation(
        "team_files_put",
        "Upload the outputs of one system: the body is the file (curl -T)",
        needs=None,
        request=RAW,
        gives=shapes.TaskUploadSerializer,
        status=201,
        query=shapes.TicketQuery,
    )
    def put(self, request: Request, track: int, system: int, name: str) -> object:
        return self._take(request, track, system, name)

    @operation(
        "team_files_post",
        "Upload the outputs of one system: the body is the file (curl --data-binary)",
        needs=None,
        request=RAW,
        gives=shapes.TaskUploadSerializer,
        status=201,
        query=shapes.TicketQuery,
    )
    def post(self, request: Request, track: int, system: int, name: str) -> object:
        return self._take(request, track, system, name)

    def _take(self, request: Request, track: int, system: int, name: str) -> SystemUpload:
        # Django closes the files of forms alone.
        with request.FILES.get("file") or ContentFile(b"") as file:
            return self.take(track, system, file, name=name, ticket=self.query.get("ticket"))


class UploadView(TeamView):
    @operation(
        "team_uploads_read",
        "One upload, with the problems and warnings of its check",
        needs=None,
        gives=shapes.TaskUploadSerializer,
    )
    def get(self, request: Request, upload: int) -> object:
        return self.upload_of(upload)


class ReceiptView(TeamView):
    @operation(
        "team_uploads_receipt",
        "The receipt of an upload: its number, hash and time, and what counts now",
        needs=None,
        gives=shapes.ReceiptSerializer,
    )
    def get(self, request: Request, upload: int) -> object:
        return uploads.receipt(self.upload_of(upload))


class RoleView(TeamView):
    @operation(
        "team_uploads_role",
        "Say what an upload counts as; a new primary replaces the one before",
        needs=None,
        takes=shapes.RoleOfUploadSerializer,
        gives=shapes.TaskUploadSerializer,
    )
    def post(self, request: Request, upload: int) -> object:
        found = self.upload_of(upload)
        uploads.choose_role(found, self.given["role"], by=self.member)
        return self.upload_of(upload)


class WithdrawalView(TeamView):
    @operation(
        "team_uploads_withdraw",
        "Withdraw an upload for good; its row and file stay",
        needs=None,
        gives=shapes.TaskUploadSerializer,
    )
    def post(self, request: Request, upload: int) -> object:
        uploads.withdraw_upload(self.upload_of(upload), by=self.member)
        return self.upload_of(upload)
