"""Shared tasks with teams, made row by row as the actions make them."""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rankme.actions.campaign import campaigns
from rankme.actions.shared_task import teams
from rankme.actions.shared_task.sealing import seal
from rankme.actions.shared_task.unsealing import unseal
from rankme.models import (
    SharedTask,
    SystemUpload,
    Team,
    TeamMember,
    TeamSystem,
    Track,
    UploadCheck,
)
from tests.campaigns import make_campaign, make_owner
from tests.runs import asked, executed, rate

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
        "system": fields.get("system") or team.systems.get(),
        "file_name": "outputs.csv",
        "stored": f"tasks/{secrets.token_hex(8)}",
        "size": 3,
        "sha256": hashlib.sha256(b"abc").hexdigest(),
    }
    track = track or team.task.tracks.get()
    made = SystemUpload.objects.create(team=team, track=track, **(given | fields))
    made.refresh_from_db()
    return made


def submit(
    team: Team,
    *,
    role: str = "primary",
    is_valid: bool = True,
    texts: str = "",
    **fields: Any,
) -> SystemUpload:
    """An upload with a stored file of one line for each item, checked, and counted as `role`.

    Each line is `texts`, by default the name of the system in small letters, and the place of the
    item.
    """
    system = fields.setdefault("system", team.systems.first())
    track = fields.setdefault("track", team.task.tracks.first())
    texts = texts or system.name.lower()
    lines = (f"{texts} {item.position}\n" for item in track.campaign.items.all())
    content = "".join(lines).encode()
    made = upload(
        team,
        file_name=f"{system.name}.txt",
        stored=default_storage.save(f"tasks/{secrets.token_hex(8)}", ContentFile(content)),
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        **fields,
    )
    UploadCheck.objects.create(upload=made, state="done", is_valid=is_valid)
    SystemUpload.objects.filter(pk=made.pk).update(role=role)
    made.refresh_from_db()
    return made


def close(task: SharedTask) -> None:
    """Let the close, and the grace after it, be over."""
    SharedTask.objects.filter(pk=task.pk).update(
        closes_at=timezone.now() - timedelta(minutes=1), grace_seconds=0
    )


def judged_task(*names: str, **fields: Any) -> SharedTask:
    """A sealed task whose only campaign was launched, rated and closed; nobody knows the names."""
    task = make_task(**fields)
    for name in names:
        submit(make_team(task, name))
    close(task)
    return judged(seal(task, by=task.owner))


def judged(task: SharedTask) -> SharedTask:
    """Launch, rate and close the campaign of the only track; it has a batch for each system."""
    campaign = task.tracks.get().campaign
    campaigns.launch_campaign(campaign, by=task.owner)
    campaign.refresh_from_db()
    rate(campaign, raters=min(3, campaign.systems.count()))
    campaigns.close_campaign(campaign, by=task.owner)
    return SharedTask.objects.get(pk=task.pk)


def unsealed(task: SharedTask) -> SharedTask:
    """Analyse the campaign blind, then tell the names."""
    executed(asked(task.tracks.get().campaign), pictures=())
    return unseal(task, by=task.owner, reason="The other host is ill.")


def at(name: str, *parts) -> str:
    """The address of a page."""
    return reverse(f"rankme:{name}", args=parts)


def host(name: str = "host") -> Client:
    """The browser of somebody with an account."""
    client = Client()
    client.force_login(make_owner(name))
    return client


def secret_of(team: Team) -> str:
    """The link of one more member."""
    captain = team.members.get(is_captain=True)
    return teams.add_member(team, name="Bo", by=captain)[1]


def member_of(team: Team) -> Client:
    """The browser of one more member, who has opened the link."""
    client = Client()
    client.get(at("team-enter", secret_of(team)))
    return client
