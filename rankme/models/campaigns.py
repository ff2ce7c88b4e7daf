"""Campaigns, their criteria, and who may work on them."""

from __future__ import annotations

import secrets
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy

from .jobs import Job, one_at_a_time
from .record import Record

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# Verbs of the audit events that say who read judgements with their systems.
SEEN = gettext_noop("judgements seen")
ANALYSED = gettext_noop("analysis requested")
# The verb of the event that contains the preregistration.
PREREGISTERED = gettext_noop("plan registered")
# The verb of the event that contains what the planner promised.
PROMISED = gettext_noop("answer of the planner recorded")
LETTERS_AND_DIGITS = string.ascii_letters + string.digits


def new_code(length: int = 12) -> str:
    """A short random name for links; it is not secret, but nobody can enumerate such names.

    Letters and digits alone: a command would take a leading hyphen for an option.
    """
    return "".join(secrets.choice(LETTERS_AND_DIGITS) for _place in range(length))


class Role(models.TextChoices):
    """What somebody is in a campaign; `rankme.permissions` says what each may do."""

    OWNER = "owner", _("Owner")
    EDITOR = "editor", _("Editor")
    MONITOR = "monitor", pgettext_lazy("role", "Monitor")
    ANALYST = "analyst", _("Analyst")
    CURATOR = "curator", _("Curator")
    AUDITOR = "auditor", _("Auditor")
    VIEWER = "viewer", _("Viewer")


# A campaign has one owner, who is in its own row; all others are members.
MEMBER_ROLES = [role for role in Role if role is not Role.OWNER]
MEMBER_CHOICES = [(role.value, role.label) for role in MEMBER_ROLES]


# Its deletion has begun: what is left of it is of no use to anybody.
BEING_DELETED = Q(deletions__begun_at__isnull=False)


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def open_to(
        self, user: User | AnonymousUser, roles: Sequence[str] = tuple(Role)
    ) -> CampaignQuerySet:
        """The campaigns in which this user has one of these roles; none that is being deleted."""
        if not user.is_authenticated:
            return self.none()
        member = Q(memberships__user=user, memberships__role__in=roles)
        if Role.OWNER in roles:
            member |= Q(owner=user)
        return self.filter(member).exclude(BEING_DELETED).distinct()


class Campaign(models.Model):
    """One evaluation: what is asked, of what material, in which design, by which crowd.

    `definition` is the validated campaign file (see `rankme.protocols.definition`); the web form
    and the YAML file are two ways to write the same document. After the launch it is that of the
    newest version, whose number is `version`; a draft has none.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")
        PUBLISHED = "published", _("Published")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="campaigns")
    code = models.CharField(max_length=24, unique=True, default=new_code, editable=False)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    definition = models.JSONField()
    version = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    seed = models.BigIntegerField()
    is_archive = models.BooleanField(
        default=False, help_text="Judgements were collected elsewhere and imported."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # People who did not agree to take part. Nothing else is known about them.
    refusals = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    launched_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # From when on nobody needs to know who its raters are; empty while it is not closed.
    identities_until = models.DateTimeField(null=True, blank=True)
    identities_erased_at = models.DateTimeField(null=True, blank=True)
    # Accounts whose list of campaigns leaves it out.
    hidden_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="hidden_campaigns")

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="campaign_state_is_known",
                condition=Q(state__in=["draft", "running", "paused", "closed", "published"]),
            ),
            models.CheckConstraint(
                name="only_a_draft_was_never_launched",
                condition=Q(state="draft", launched_at=None)
                | (~Q(state="draft") & Q(launched_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def is_running(self) -> bool:
        return self.state == self.State.RUNNING

    @property
    def is_over(self) -> bool:
        """Whether it was closed, after which nobody can take part any more."""
        return self.state in (self.State.CLOSED, self.State.PUBLISHED)


class Membership(models.Model):
    """An account in a campaign, with its role.

    `username` is the account's name when it came in. Until 2.0 owners invited by name, and rows
    without an account are not members.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    username = models.CharField(max_length=150)
    # Before there were roles, members could do what editors can.
    role = models.CharField(
        max_length=10,
        choices=MEMBER_CHOICES,
        default=Role.EDITOR,
        db_default=Role.EDITOR.value,
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", null=True
    )
    added_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="one_membership_per_account"),
            models.UniqueConstraint(
                fields=["campaign", "username"],
                condition=Q(user=None),
                name="one_open_invitation_per_name",
            ),
            models.CheckConstraint(name="member_role_is_known", condition=Q(role__in=MEMBER_ROLES)),
            models.CheckConstraint(
                name="only_an_account_opens_a_campaign",
                condition=Q(opened_at=None) | Q(user__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.username} in {self.campaign}"


class MemberInvitation(models.Model):
    """A link with which one account becomes a member. Only its hash is stored."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="member_invitations")
    hash = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10, choices=MEMBER_CHOICES)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    made_at = models.DateTimeField(db_default=Now())
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="invited_role_is_known", condition=Q(role__in=MEMBER_ROLES)
            ),
            models.CheckConstraint(
                name="only_what_was_not_revoked_is_accepted",
                condition=Q(revoked_at=None) | Q(accepted_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.campaign}"


class RequestKey(models.Model):
    """The key under which a script made a campaign: a repeated request finds the same one."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="request_keys")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "key"], name="request_key_once_per_owner")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.campaign}"


class CampaignLaunch(Job):
    """Draws and stores a plan that is too large for a request."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="launches")

    class Meta(Job.Meta):
        ordering = ["-requested_at", "-id"]
        constraints = [one_at_a_time("one_launch_at_a_time")]

    def __str__(self) -> str:
        return f"launch of {self.campaign}"


class PlanExtension(Job):
    """A large extension: drawn by a worker, stored once an organiser gives a reason."""

    class Phase(models.TextChoices):
        DRAW = "draw", _("Drawing the extension")
        STORE = "store", _("Storing the extension")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="extensions")
    phase = models.CharField(max_length=10, choices=Phase, default=Phase.DRAW)
    raters_per_trial = models.PositiveSmallIntegerField()
    # Of the screens in batches of new systems, how many show earlier ones.
    mixed_percent = models.PositiveSmallIntegerField(default=25, db_default=25)
    # For what it is drawn: the campaign's version and material.
    base = models.PositiveSmallIntegerField()
    items = models.PositiveIntegerField()
    systems = models.PositiveIntegerField()
    drawn = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True)

    class Meta(Job.Meta):
        ordering = ["-requested_at", "-id"]
        constraints = [
            one_at_a_time("one_extension_at_a_time"),
            models.CheckConstraint(
                condition=models.Q(mixed_percent__lte=75), name="new_batches_are_mostly_new"
            ),
        ]

    def __str__(self) -> str:
        return f"extension of {self.campaign}"


class Criterion(models.Model):
    """One question to the rater; its wording and instrument are in the campaign's definition."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="criteria")
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["campaign", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="criterion_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class AuditEvent(Record):
    """One action of a person on a campaign.

    The database numbers the events of each campaign, and those of none, and binds each one to the
    one before it by a hash, so that a changed or missing event shows (`manage.py verify`). Events
    outlive their campaign, and an account that acted can be deactivated but not deleted.
    """

    campaign = models.ForeignKey(
        Campaign,
        models.DO_NOTHING,
        related_name="audit_events",
        null=True,
        blank=True,
        db_constraint=False,
    )
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    verb = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)
    happened_at = models.DateTimeField(db_default=Now())
    # Both are written by a trigger, which ignores what is sent.
    number = models.PositiveIntegerField(default=0, editable=False)
    chain_sha256 = models.CharField(max_length=64, default="", editable=False)

    class Meta:
        ordering = ["-happened_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "number"],
                name="audit_events_are_numbered",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.verb} ({self.happened_at:%Y-%m-%d %H:%M})"

    @property
    def details(self) -> list[tuple[str, str]]:
        """The details as people read them: names without underscores, lists with commas."""
        return [
            (
                name.replace("_", " "),
                ", ".join(map(str, value)) if isinstance(value, list) else str(value),
            )
            for name, value in self.detail.items()
            if not isinstance(value, dict)  # a document, which has a page or file of its own
        ]
