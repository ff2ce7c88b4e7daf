"""What hosts see of a task's teams and uploads: from the seal to the names, nothing of uploads."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from rankme.models import SharedTask, SystemUpload, TaskEvent, Team, TeamMember, Track


def teams_of(task: SharedTask) -> QuerySet[Team]:
    """The teams that registered, whatever was decided about them."""
    members = Prefetch("members", TeamMember.objects.filter(removed_at=None))
    return task.teams.filter(kind=Team.Kind.TEAM).prefetch_related("systems", members)


def uploads_for_hosts(task: SharedTask) -> QuerySet[SystemUpload]:
    """All uploads but those of the rehearsal; none while codes hide the names."""
    if task.is_sealed:
        return SystemUpload.objects.none()
    uploads = SystemUpload.objects.filter(track__task=task)
    found = uploads.exclude(team__kind=Team.Kind.REHEARSAL)
    return found.select_related("team", "track", "system", "check_job")


def teams_without_primary(task: SharedTask) -> QuerySet[Team]:
    """The teams that could take part and have no primary upload; none while codes hide names."""
    if task.is_sealed:
        return Team.objects.none()
    primary = SystemUpload.objects.filter(
        track__task=task, role=SystemUpload.Role.PRIMARY, withdrawn_at=None
    )
    taking_part = teams_of(task).filter(state__in=[Team.State.WAITING, Team.State.APPROVED])
    return taking_part.exclude(pk__in=primary.values("team"))


def events_for_hosts(task: SharedTask) -> QuerySet[TaskEvent]:
    """The acts of hosts and teams; none about uploads while codes hide the names."""
    found = task.events.exclude(team__kind=Team.Kind.REHEARSAL).select_related("actor", "team")
    if task.is_sealed:
        found = found.exclude(detail__has_key="upload")
    return found


def tracks_without_primary(team: Team) -> QuerySet[Track]:
    """The judged tracks in which nothing of the team counts. A file with problems cannot count."""
    primary = team.uploads.filter(role=SystemUpload.Role.PRIMARY, withdrawn_at=None)
    counting = primary.exclude(check_job__is_valid=False).values("track")
    return team.task.tracks.filter(is_development=False).exclude(pk__in=counting)
