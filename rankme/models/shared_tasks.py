"""Shared tasks: who submits what until when, what counts, and which name a code hides.

A task has tracks, each with one campaign, whose items are the track's sources. Teams upload the
outputs of their systems. When the task is sealed, each output that is judged becomes a code, and
its name appears nowhere until the task is unsealed.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _

from .campaigns import Campaign, new_code
from .jobs import Job
from .record import Record


class SharedTask(models.Model):
    """A call to teams, with its times, limits and terms.

    All times are judged by the database's clock (a trigger on `SystemUpload`).
    """

    class Registration(models.TextChoices):
        OPEN = "open", _("Anybody with the link takes part at once")
        APPROVE = "approve", _("A host approves each team; it can upload before that")
        CLOSED = "closed", _("Invited teams alone")

    class Late(models.TextChoices):
        REFUSE = "refuse", _("Late uploads are refused")
        MARK = "mark", _("Late uploads are taken and marked; hosts decide about each")

    class Naming(models.TextChoices):
        AT_ONCE = "at_once", _("at once")
        DATE = "date", _("from a day on")
        PUBLICATION = "publication", _("when the results are published")
        NEVER = "never", _("never")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="shared_tasks")
    code = models.CharField(max_length=24, unique=True, default=new_code, editable=False)
    title = models.CharField(max_length=200)
    # The task of the year before. Tasks are never deleted, so there is no constraint to check.
    copied_from = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="copies",
        db_constraint=False,
        db_index=False,
    )
    call = models.TextField(blank=True)
    terms = models.TextField(blank=True)
    registration = models.CharField(
        max_length=10, choices=Registration, default=Registration.APPROVE
    )
    opens_at = models.DateTimeField()
    preregister_until = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField()
    # An upload that began before the close may end this much later.
    grace_seconds = models.PositiveSmallIntegerField(default=300)
    late = models.CharField(max_length=10, choices=Late, default=Late.REFUSE)
    # For a team and a track.
    most_uploads = models.PositiveSmallIntegerField(default=7)
    most_uploads_a_day = models.PositiveSmallIntegerField(null=True, blank=True)
    # How many primary systems of a track people judge; empty: all.
    most_judged = models.PositiveSmallIntegerField(null=True, blank=True)
    teams_named = models.CharField(max_length=12, choices=Naming, default=Naming.PUBLICATION)
    teams_named_at = models.DateTimeField(null=True, blank=True)
    # After the unseal, teams read their own results and may object for so long before the public
    # reads names; empty: nobody waits.
    teams_first_days = models.PositiveSmallIntegerField(null=True, blank=True)
    seed = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())
    # Codes are drawn. The hash is of the salt and of who has which code: nobody can change that
    # later, and the salt is told with the names.
    sealed_at = models.DateTimeField(null=True, blank=True)
    seal_salt = models.CharField(max_length=64, blank=True)
    seal_sha256 = models.CharField(max_length=64, blank=True)
    # Two people unseal, or one with a reason.
    unseal_asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    unseal_asked_at = models.DateTimeField(null=True, blank=True)
    unsealed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    unsealed_at = models.DateTimeField(null=True, blank=True)
    unseal_reason = models.TextField(blank=True)
    # Since when everybody can read the results.
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What the call says about the room for systems; empty: nothing.
    room = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="task_closes_after_it_opens", condition=Q(closes_at__gt=F("opens_at"))
            ),
            models.CheckConstraint(
                name="task_preregistration_ends_before_the_close",
                condition=Q(preregister_until=None) | Q(preregister_until__lte=F("closes_at")),
            ),
            models.CheckConstraint(
                name="task_teams_are_named_on_a_day",
                condition=~Q(teams_named="date") | Q(teams_named_at__isnull=False),
            ),
            models.CheckConstraint(
                name="task_is_unsealed_after_it_was_sealed",
                condition=Q(unsealed_at=None) | Q(sealed_at__isnull=False),
            ),
            models.CheckConstraint(
                name="two_people_or_a_reason_unseal",
                condition=Q(unsealed_at=None)
                | (Q(unsealed_by__isnull=False) & ~Q(unseal_reason=""))
                | (
                    Q(unseal_asked_by__isnull=False)
                    & Q(unsealed_by__isnull=False)
                    & ~Q(unseal_asked_by=F("unsealed_by"))
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_sealed(self) -> bool:
        """Whether codes hide the names now."""
        return self.sealed_at is not None and self.unsealed_at is None

    @property
    def teams_first_until(self) -> datetime | None:
        """When the time ends in which teams alone read their results."""
        if self.unsealed_at is None or self.teams_first_days is None:
            return None
        return self.unsealed_at + timedelta(days=self.teams_first_days)


class TaskHost(models.Model):
    """An account that runs a shared task with its owner."""

    task = models.ForeignKey(SharedTask, models.CASCADE, related_name="hosts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="hosted_tasks")
    added_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "user"], name="one_row_per_host")]

    def __str__(self) -> str:
        return f"{self.user} hosts {self.task}"


class Track(models.Model):
    """A language or kind of a task, with its campaign: the campaign's items are the sources.

    The hashes are of the sources and of the sealed references as they were when the task opened.
    """

    task = models.ForeignKey(SharedTask, models.CASCADE, related_name="tracks")
    name = models.CharField(max_length=60)
    campaign = models.OneToOneField(Campaign, models.PROTECT, related_name="track")
    # Teams see the automatic scores of their uploads at once, and nothing of it is judged.
    is_development = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField(default=0)
    sources_sha256 = models.CharField(max_length=64, blank=True)
    references_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["task", "position", "id"]
        constraints = [models.UniqueConstraint(fields=["task", "name"], name="track_name_once")]

    def __str__(self) -> str:
        return self.name


class Team(models.Model):
    """Who submits. Hosts have a team of their own for baselines, and one to rehearse with."""

    class Kind(models.TextChoices):
        TEAM = "team", _("Team")
        HOSTS = "hosts", _("Baselines of the hosts")
        REHEARSAL = "rehearsal", _("Rehearsal of the hosts")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waits for approval")
        APPROVED = "approved", _("Takes part")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    task = models.ForeignKey(SharedTask, models.CASCADE, related_name="teams")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.TEAM)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    # The name in the paper; `name` is the short one of tables and files.
    name = models.CharField(max_length=32)
    publication_name = models.CharField(max_length=80)
    institution = models.CharField(max_length=200, blank=True)
    citation = models.TextField(blank=True)
    accepted_terms_at = models.DateTimeField(null=True, blank=True)
    registered_at = models.DateTimeField(db_default=Now())
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["task", "id"]
        constraints = [
            models.UniqueConstraint("task", Lower("name"), name="team_name_once"),
            models.CheckConstraint(
                name="team_name_is_plain", condition=Q(name__regex=r"^[A-Za-z0-9][A-Za-z0-9_.-]+$")
            ),
            models.UniqueConstraint(
                fields=["task", "kind"],
                condition=~Q(kind="team"),
                name="hosts_have_one_team_of_each_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """A person of a team, who comes by a link. Only the link's hash is stored."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    name = models.CharField(max_length=100)
    email = models.EmailField(blank=True)
    hash = models.CharField(max_length=64, unique=True)
    is_captain = models.BooleanField(default=False)
    added_at = models.DateTimeField(db_default=Now())
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["team", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team"],
                condition=Q(is_captain=True, removed_at=None),
                name="one_captain_per_team",
            )
        ]

    def __str__(self) -> str:
        return self.name


class TeamInvitation(models.Model):
    """A link with which one team registers where hosts invite. Only its hash is stored."""

    task = models.ForeignKey(SharedTask, models.CASCADE, related_name="team_invitations")
    hash = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField(db_default=Now())
    revoked_at = models.DateTimeField(null=True, blank=True)
    team = models.OneToOneField(
        Team, models.SET_NULL, null=True, blank=True, related_name="invitation"
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.note or str(self.pk)


class TeamSystem(models.Model):
    """A system that a team has announced; before the term, that reserves a place."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=60)
    description = models.TextField(blank=True)
    is_constrained = models.BooleanField(default=True)
    # A baseline that was judged the year before. The code goes with its campaign if that is
    # deleted; the system is then an ordinary baseline.
    judged_before = models.ForeignKey(
        "SystemCode",
        models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    registered_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["team", "id"]
        constraints = [
            models.UniqueConstraint("team", Lower("name"), name="system_name_once_per_team")
        ]

    def __str__(self) -> str:
        return self.name


class UploadTicket(models.Model):
    """That an upload has begun, by the database's clock: it may end after the close."""

    key = models.UUIDField(unique=True, default=uuid.uuid4)
    team = models.ForeignKey(Team, models.CASCADE, related_name="tickets")
    track = models.ForeignKey(Track, models.CASCADE, related_name="tickets")
    began_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return str(self.key)


class SystemUpload(Record):
    """A file with the outputs of one system. Rows and files are never changed or deleted.

    A trigger writes `number`, `received_at`, `in_grace` and `is_late`, whatever is sent, and
    refuses what the task's times and limits do not allow. Only what counts may change: nothing
    does until the team says so.
    """

    changeable = ("role", "withdrawn_at")

    class Role(models.TextChoices):
        NONE = "none", _("Does not count")
        PRIMARY = "primary", _("Primary")
        CONTRASTIVE = "contrastive", _("Contrastive")

    team = models.ForeignKey(Team, models.PROTECT, related_name="uploads")
    track = models.ForeignKey(Track, models.PROTECT, related_name="uploads")
    system = models.ForeignKey(TeamSystem, models.PROTECT, related_name="uploads")
    member = models.ForeignKey(
        TeamMember, models.PROTECT, null=True, blank=True, related_name="uploads"
    )
    ticket = models.OneToOneField(
        UploadTicket, models.PROTECT, null=True, blank=True, related_name="upload"
    )
    # Counts a team's uploads to a track.
    number = models.PositiveIntegerField(default=0, editable=False)
    file_name = models.CharField(max_length=200)
    stored = models.CharField(max_length=200, editable=False)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField(db_default=Now(), editable=False)
    in_grace = models.BooleanField(default=False, editable=False)
    is_late = models.BooleanField(default=False, editable=False)
    role = models.CharField(max_length=12, choices=Role, default=Role.NONE)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["team", "track", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "track", "number"], name="uploads_are_numbered"
            ),
            models.UniqueConstraint(
                fields=["team", "track"],
                condition=Q(role="primary", withdrawn_at=None),
                name="one_primary_per_team_and_track",
            ),
            models.CheckConstraint(
                name="upload_role_is_known",
                condition=Q(role__in=["none", "primary", "contrastive"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} {self.number}"


class UploadCheck(Job):
    """Reads an upload in a worker: every problem with its place, warnings, automatic scores."""

    upload = models.OneToOneField(SystemUpload, models.CASCADE, related_name="check_job")
    is_valid = models.BooleanField(null=True)
    problems = models.JSONField(default=list, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    scores = models.JSONField(default=dict, blank=True)

    class Meta(Job.Meta):
        ordering = ["-requested_at"]

    def __str__(self) -> str:
        return f"check of {self.upload}"


class SystemCode(Record):
    """The code under which raters, organisers and analysts know an upload, or the reference."""

    track = models.ForeignKey(Track, models.PROTECT, related_name="codes")
    code = models.CharField(max_length=8)
    # Empty for the reference.
    upload = models.OneToOneField(
        SystemUpload, models.PROTECT, null=True, blank=True, related_name="code"
    )

    class Meta:
        ordering = ["track", "code"]
        constraints = [
            models.UniqueConstraint(fields=["track", "code"], name="code_once_per_track"),
            models.UniqueConstraint(
                fields=["track"], condition=Q(upload=None), name="one_reference_per_track"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Dispute(Record):
    """What a team objects to in its results, and the one answer of the hosts.

    A trigger takes it only in the days that the task gives teams, by the database's clock.
    """

    changeable = ("answer", "answered_by", "answered_at")

    team = models.ForeignKey(Team, models.CASCADE, related_name="disputes")
    track = models.ForeignKey(Track, models.CASCADE, related_name="disputes")
    member = models.ForeignKey(TeamMember, models.PROTECT, related_name="disputes")
    text = models.TextField()
    made_at = models.DateTimeField(db_default=Now())
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"dispute of {self.team}"


class TaskEvent(Record):
    """One act of a host or a team. Nobody can change it later."""

    task = models.ForeignKey(SharedTask, models.PROTECT, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    team = models.ForeignKey(Team, models.PROTECT, null=True, blank=True, related_name="events")
    member = models.ForeignKey(
        TeamMember, models.PROTECT, null=True, blank=True, related_name="events"
    )
    verb = models.CharField(max_length=60)
    detail = models.JSONField(default=dict)
    happened_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-happened_at", "-id"]

    def __str__(self) -> str:
        return f"{self.verb} ({self.happened_at:%Y-%m-%d %H:%M})"
