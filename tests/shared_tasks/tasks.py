"""Shared tasks with teams, made row by row as the actions make them."""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.utils import timezone

from rankme.models import SharedTask, SystemUpload, Team, TeamMember, TeamSystem, Track
from tests.campaigns import make_campaign, make_owner

HOUR = timedelta(hours=1)


def make_task(*, owner=None, tracks: tuple[str, ...] = ("English",), **fields: Any) -> SharedTask:
    """A task that is open for an hour more, with one draft campaign for each track."""
    now = timezone.now()
    owner = owner or make_owner("host")
    given = {"opens_at": now - HOUR, "closes_at": now + HOUR, "seed": 1, "title": "A task"}
    task = SharedTask.objects.create(owner=owner, **(given | fields))
    for position, name in enumerate(tracks):
        campaign = make_campaign(launch=False, owner=owner, systems=0)
        Track.objects.create(task=task, name=name, campaign=campaign, position=position)
    return task


def make_team(task: SharedTask, name: str = "Owls", **fields: Any) -> Team:
    """A team that takes part, with a captain and one system of the same name."""
    given = {"state": "approved", "publication_name": name}
    team = Team.objects.create(task=task, name=name, **(given | fields))
    TeamMember.objects.create(
        team=team, name=f"Captain of {name}", hash=secrets.token_hex(32), is_captain=True
    )
    TeamSystem.objects.create(team=team, name=name)
    return team


def upload(team: Team, *, track: Track | None = None, **fields: Any) -> SystemUpload:
    """A file of the team's system, as the database judged it."""
    given = {
        "system": team.systems.get(),
        "file_name": "outputs.csv",
        "stored": f"tasks/{secrets.token_hex(8)}",
        "size": 3,
        "sha256": hashlib.sha256(b"abc").hexdigest(),
    }
    track = track or team.task.tracks.get()
    made = SystemUpload.objects.create(team=team, track=track, **(given | fields))
    made.refresh_from_db()
    return made
