"""Making and changing a shared task: its times, hosts and tracks."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.campaign.campaigns import create_campaign
from rankme.errors import RefusedAction
from rankme.models import SharedTask, TaskHost, Team, TeamMember, Track
from rankme.protocols.definition import Definition

from .events import note
from .rules import rules_as_refusals

# What the stored hashes of a track are of, item by item.
SOURCE = ("key", "input", "context")
REFERENCE = ("key", "reference")
CHANGEABLE = (
    "title",
    "call",
    "terms",
    "registration",
    "opens_at",
    "preregister_until",
    "closes_at",
    "grace_seconds",
    "late",
    "most_uploads",
    "most_uploads_a_day",
    "most_judged",
    "teams_named",
    "teams_named_at",
    "teams_first_days",
)
MOST_HOSTS, MOST_TRACKS = 50, 50


def tasks_of(user: User) -> QuerySet[SharedTask]:
    """The tasks that the account owns or hosts."""
    hosted = TaskHost.objects.filter(user=user).values("task")
    return SharedTask.objects.filter(Q(owner=user) | Q(pk__in=hosted))


@transaction.atomic
def create_task(owner: User, **given: Any) -> SharedTask:
    """Make a task without tracks, from the fields of `CHANGEABLE`."""
    with rules_as_refusals():
        task = SharedTask.objects.create(owner=owner, seed=secrets.randbelow(2**31), **given)
    note(task, gettext_noop("task made"), by=owner)
    return task


@transaction.atomic
def change_task(task: SharedTask, *, by: User, **given: Any) -> SharedTask:
    """Change what was sent; note each field that is another now."""
    task = locked(task)
    changed = {
        name: {"from": getattr(task, name), "to": value}
        for name, value in given.items()
        if name in CHANGEABLE and getattr(task, name) != value
    }
    if not changed:
        return task
    for name, values in changed.items():
        setattr(task, name, values["to"])
    with rules_as_refusals():
        task.save(update_fields=list(changed))
    document = json.loads(json.dumps(changed, default=str))
    note(task, gettext_noop("task changed"), by=by, changed=document)
    return task


@transaction.atomic
def add_host(task: SharedTask, username: str, *, by: User) -> TaskHost:
    """Let another account of the site run the task, too."""
    task = locked(task)
    account = User.objects.filter(username=username, is_active=True).first()
    if account is None:
        raise RefusedAction(_("There is no account with this name. Ask for its exact name."))
    if account.pk == task.owner_id:
        raise RefusedAction(_("This account owns the task."))
    if task.hosts.count() >= MOST_HOSTS:
        raise RefusedAction(_("There are many hosts. Remove one of them first."))
    with rules_as_refusals():
        host = task.hosts.create(user=account)
    note(task, gettext_noop("host added"), by=by, user=username)
    return host


@transaction.atomic
def remove_host(host: TaskHost, *, by: User) -> None:
    """End what an account may do in the task; what it did stays in the history."""
    note(host.task, gettext_noop("host removed"), by=by, user=host.user.get_username())
    host.delete()


@transaction.atomic
def add_track(
    task: SharedTask,
    name: str,
    definition: Definition,
    *,
    is_development: bool = False,
    by: User,
) -> Track:
    """Make a track with a draft campaign, whose items will be the sources.

    The campaign belongs to the owner of the task, who edits it on its own pages.
    """
    task = locked(task)
    refuse_if_sealed(task)
    if task.tracks.count() >= MOST_TRACKS:
        raise RefusedAction(_("There are many tracks. Delete one of them first."))
    definition = definition.model_copy(update={"title": campaign_title(task, name)})
    with rules_as_refusals():
        track = task.tracks.create(
            name=name,
            campaign=create_campaign(task.owner, definition),
            is_development=is_development,
            position=task.tracks.count(),
        )
    note(task, gettext_noop("track added"), by=by, track=name)
    return track


def campaign_title(task: SharedTask, name: str) -> str:
    return f"{task.title}: {name}"[:200]


@transaction.atomic
def remove_track(track: Track, *, by: User) -> None:
    """Take a track out of the task as long as nobody has uploaded to it; its campaign stays."""
    task = locked(track.task)
    refuse_if_sealed(task)
    if not track.campaign.is_draft:
        raise RefusedAction(_("The campaign of this track is launched, so it stays."))
    if track.uploads.exists():
        raise RefusedAction(_("Teams have uploaded to this track, so it stays."))
    note(task, gettext_noop("track removed"), by=by, track=track.name)
    track.delete()


def source_pack(track: Track) -> bytes:
    """The sources as lines of JSON: keys, inputs and contexts, never references.

    Once the task is open, the hashes of this pack and of the references are stored, and the pack
    is refused if the sources are no longer the ones that teams have.
    """
    pack = _lines(track, SOURCE)
    if not pack:
        raise RefusedAction(_("This track has no sources yet. Its hosts upload the items."))
    fix_sources(track)
    track.refresh_from_db(fields=["sources_sha256"])
    if track.sources_sha256 and track.sources_sha256 != _sha256(pack):
        raise RefusedAction(
            _("The sources have changed since the task opened. Ask the hosts to restore them.")
        )
    return pack


def pack_for(member: TeamMember, track: Track) -> bytes:
    """The sources for a member: teams have them once the task opens, and hosts before that."""
    if member.team.kind == Team.Kind.TEAM and not has_opened(track.task):
        raise RefusedAction(_("The sources are here once the task opens."))
    return source_pack(track)


def fix_sources(track: Track) -> None:
    """Store the hashes of the sources and the references, once the task is open."""
    if not has_opened(track.task) or track.sources_sha256 or not track.campaign.items.exists():
        return
    Track.objects.filter(pk=track.pk, sources_sha256="").update(
        sources_sha256=_sha256(_lines(track, SOURCE)),
        references_sha256=_sha256(_lines(track, REFERENCE)),
    )


def refuse_other_sources(track: Track) -> None:
    """Teams wrote for the sources that they were given: people judge their outputs with these."""
    if track.sources_sha256 and track.sources_sha256 != _sha256(_lines(track, SOURCE)):
        raise RefusedAction(
            _(
                "The sources of the track “%(track)s” have changed since the task opened, and "
                "teams wrote for those of then. Restore them, then seal the task."
            )
            % {"track": track.name}
        )


def has_other_references(track: Track) -> bool:
    """Whether the references are no longer those of the opening, corrected for example."""
    opened_with = track.references_sha256
    return bool(opened_with) and opened_with != _sha256(_lines(track, REFERENCE))


def has_opened(task: SharedTask) -> bool:
    """Whether the task is open, or was, by the database's clock."""
    return SharedTask.objects.filter(pk=task.pk, opens_at__lte=Now()).exists()


def refuse_if_sealed(task: SharedTask) -> None:
    if task.sealed_at is not None:
        raise RefusedAction(_("The task is sealed: this can no longer change."))


def locked(task: SharedTask) -> SharedTask:
    """The task, which nobody else changes meanwhile; uploads go on."""
    rows = SharedTask.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("owner").get(pk=task.pk)


def _lines(track: Track, names: tuple[str, ...]) -> bytes:
    rows = track.campaign.items.order_by("position").values_list(*names)
    lines = (
        json.dumps({"item" if name == "key" else name: value for name, value in found if value})
        for found in (list(zip(names, row, strict=True)) for row in rows.iterator())
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
