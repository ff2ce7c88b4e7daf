"""Which system has which code of a shared task, once its task is unsealed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from rankme.models import AnalysisRun, Campaign, SharedTask, SystemCode, Team, Track


@dataclass(frozen=True)
class NamedSystem:
    """A code with its name; `is_withdrawn` ones were judged and are listed, but not ranked."""

    code: str
    team: str
    system: str
    publication_name: str
    institution: str = ""
    citation: str = ""
    is_constrained: bool = True
    is_baseline: bool = False
    is_withdrawn: bool = False

    @property
    def name(self) -> str:
        """The team's name alone where its system has the same."""
        same = self.system.casefold() == self.team.casefold()
        return self.team if same else f"{self.team} ({self.system})"


def names_of(campaign: Campaign) -> Sequence[NamedSystem]:
    """The names of a campaign's codes; none while its task is sealed, or where it has no task."""
    track = track_of(campaign)
    if track is None or track.task.unsealed_at is None:
        return []
    codes = SystemCode.objects.filter(track=track).select_related("upload__team", "upload__system")
    return [_named(row) for row in codes]


def public_names_of(campaign: Campaign) -> Sequence[NamedSystem]:
    """The names that readers of a published report may see, by what the hosts have promised."""
    track = track_of(campaign)
    if track is None or is_for_teams_first(track.task) or not is_named_in_public(track.task):
        return []
    return names_of(campaign)


def database_now() -> datetime:
    """The time by which shared tasks are judged: clocks of web hosts may differ."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def is_for_teams_first(task: SharedTask) -> bool:
    """Whether teams may still object before readers learn who is who, by the database's clock."""
    until = task.teams_first_until
    return until is not None and database_now() <= until


def is_named_in_public(task: SharedTask) -> bool:
    """Whether readers may learn who is who, by the hosts' promise and the database's clock."""
    if task.teams_named == SharedTask.Naming.NEVER:
        return False
    if task.teams_named == SharedTask.Naming.DATE:
        return task.teams_named_at is not None and task.teams_named_at <= database_now()
    return True


def earlier_codes(team: Team) -> QuerySet[SystemCode]:
    """The systems of the year before that the hosts' own team can upload again, to be judged."""
    task = team.task
    if team.kind != Team.Kind.HOSTS or task.copied_from_id is None:
        return SystemCode.objects.none()
    codes = SystemCode.objects.filter(
        track__task=task.copied_from_id, track__task__unsealed_at__isnull=False
    )
    return codes.select_related("track__campaign", "upload__team", "upload__system")


def address_of_code(code: SystemCode) -> str:
    return f"{code.track.campaign.code}/{code.code}"


def title_of_code(code: SystemCode) -> str:
    """The track, name and code of a system whose name is known."""
    return f"{code.track.name}: {_named(code).name} ({code.code})"


def reports_missing(task: SharedTask) -> list[str]:
    """The tracks of an unsealed task that have no finished report."""
    done = AnalysisRun.objects.filter(state=AnalysisRun.State.DONE).values("campaign")
    tracks = task.tracks.filter(is_development=False).exclude(campaign__in=done)
    return list(tracks.values_list("name", flat=True))


def track_of(campaign: Campaign) -> Track | None:
    return Track.objects.filter(campaign=campaign).select_related("task").first()


def blind_runs(campaign: Campaign) -> Sequence[AnalysisRun]:
    """Reports of all judgements: asked for after the close, and done before the names."""
    if not campaign.is_over:
        return []
    runs = campaign.analysis_runs.filter(
        state=AnalysisRun.State.DONE, requested_at__gte=campaign.closed_at
    )
    track = track_of(campaign)
    if track is not None and track.task.unsealed_at is not None:
        runs = runs.filter(finished_at__lte=track.task.unsealed_at)
    return list(runs.defer("table_csv_gz", "result"))


def _named(row: SystemCode) -> NamedSystem:
    upload = row.upload
    if upload is None:
        name = _("Reference")
        return NamedSystem(row.code, name, name, name, is_baseline=True)
    team = upload.team
    return NamedSystem(
        code=row.code,
        team=team.name,
        system=upload.system.name,
        publication_name=team.publication_name,
        institution=team.institution,
        citation=team.citation,
        is_constrained=upload.system.is_constrained,
        is_baseline=team.kind == team.Kind.HOSTS,
        is_withdrawn=upload.withdrawn_at is not None or team.state == team.State.WITHDRAWN,
    )
