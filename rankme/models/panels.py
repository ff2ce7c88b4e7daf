"""Paid raters: accounts at panels, studies, their submissions, webhooks and payments."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Cast, Now
from django.utils.translation import gettext_lazy as _

from .assignments import Participant
from .campaigns import Campaign, new_code
from .record import Record

REHEARSAL = "rehearsal"


class PanelAccountQuerySet(models.QuerySet["PanelAccount"]):
    def real(self) -> Self:
        """Accounts of panels; those that rehearsals made are of no further use."""
        return self.exclude(panel=REHEARSAL)


class PanelAccount(models.Model):
    """Somebody's account at a panel. Token and webhook secret are encrypted, and never shown.

    `code` is the part of the webhook's address that belongs to this account. The panel
    "rehearsal" is a practice panel, which only the rehearsal itself visits.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="panel_accounts"
    )
    name = models.CharField(max_length=100)
    panel = models.CharField(max_length=20, default="prolific")
    workspace = models.CharField(max_length=64)
    project = models.CharField(max_length=64, blank=True, db_default="")
    currency = models.CharField(max_length=3)
    code = models.CharField(max_length=24, unique=True, default=new_code, editable=False)
    token_sealed = models.TextField()
    hook_secret_sealed = models.TextField(blank=True)
    hooked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = PanelAccountQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="one_panel_account_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class PanelStudy(models.Model):
    """A campaign's study at a panel: what was asked for, and what the panel last said about it.

    Money is in minor units of `currency`. `committed` is what the study can cost at most: its
    places, or what was paid if that is more, and its bonuses. Triggers keep it, and a constraint
    keeps it below `ceiling`. `excess` is what places added on the panel's own pages cost beyond the
    ceiling: a trigger cuts it to what is needed, so that nothing else can be spent with it.
    """

    class State(models.TextChoices):
        NEW = "NEW", _("Being created")
        UNPUBLISHED = "UNPUBLISHED", _("Draft")
        SCHEDULED = "SCHEDULED", _("Scheduled")
        PUBLISHING = "PUBLISHING", _("Being published")
        PROCESSING = "PROCESSING", _("Being processed")
        ACTIVE = "ACTIVE", _("Active")
        PAUSED = "PAUSED", _("Paused")
        AWAITING_REVIEW = "AWAITING REVIEW", _("Waiting for review")
        COMPLETED = "COMPLETED", _("Finished")

    class Approval(models.TextChoices):
        AFTER_CHECKS = "after_checks", _("Everyone who finished and is not excluded")
        UNMARKED = "unmarked", _("Everyone who finished and is neither excluded nor marked")
        MANUAL = "manual", _("Nobody automatically")
        ALL = "all", _("Everyone who waits for review")

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="panel_studies")
    account = models.ForeignKey(PanelAccount, models.PROTECT, related_name="studies")
    key = models.CharField(max_length=24, unique=True, default=new_code, editable=False)
    external_id = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=20, choices=State, default=State.NEW)
    name = models.CharField(max_length=120)
    description = models.TextField()
    places = models.PositiveIntegerField()
    reward = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    minutes = models.PositiveIntegerField()
    longest_minutes = models.PositiveIntegerField()
    devices = models.JSONField(default=list)
    filters = models.JSONField(default=list)
    codes = models.JSONField(default=dict)
    # Only some workspaces have signed links.
    is_secure = models.BooleanField(default=False)
    # Links of this study that somebody followed without a valid token.
    untrusted_entries = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    approval = models.CharField(max_length=12, choices=Approval, default=Approval.AFTER_CHECKS)
    tops_up = models.BooleanField(default=False)
    group = models.CharField(max_length=64, blank=True)
    ceiling = models.PositiveIntegerField()
    places_cost = models.PositiveIntegerField(default=0)
    committed = models.PositiveIntegerField(default=0, editable=False)
    excess = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    pauses = models.BooleanField(default=False)
    problem = models.TextField(blank=True)
    synced_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "panel studies"
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=~Q(state="COMPLETED"),
                name="one_study_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["external_id"],
                condition=~Q(external_id=""),
                name="one_row_per_panel_study",
            ),
            models.CheckConstraint(
                name="nothing_exceeds_the_ceiling",
                condition=Q(committed__lte=F("ceiling") + F("excess")),
            ),
            models.CheckConstraint(
                name="published_places_are_set_aside",
                condition=Q(state__in=["NEW", "UNPUBLISHED"])
                | Q(places_cost__gte=Cast(F("places"), models.BigIntegerField()) * F("reward")),
            ),
            models.CheckConstraint(
                name="a_study_has_places_and_a_reward", condition=Q(places__gt=0, reward__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_published(self) -> bool:
        """Whether people may have come from it."""
        return self.state not in (self.State.NEW, self.State.UNPUBLISHED)

    @property
    def address_there(self) -> str:
        """The study's page at Prolific, which only people with access to its workspace can open."""
        return f"https://app.prolific.com/researcher/workspaces/studies/{self.external_id}"

    @property
    def is_open(self) -> bool:
        """Whether people can still come from it, now or after it is resumed."""
        return self.is_published and not self.is_over

    @property
    def is_over(self) -> bool:
        return self.state == self.State.COMPLETED


class PanelSubmission(models.Model):
    """A person's way through a study, as the panel last described it."""

    class State(models.TextChoices):
        RESERVED = "RESERVED", _("Place reserved")
        ACTIVE = "ACTIVE", _("At work")
        TIMED_OUT = "TIMED-OUT", _("Timed out")
        AWAITING_REVIEW = "AWAITING REVIEW", _("Waiting for review")
        APPROVED = "APPROVED", _("Approved")
        PARTIALLY_APPROVED = "PARTIALLY APPROVED", _("Partly paid")
        RETURNED = "RETURNED", _("Returned")
        REJECTED = "REJECTED", _("Rejected")
        SCREENED_OUT = "SCREENED OUT", _("Screened out")

    GONE = (State.TIMED_OUT, State.RETURNED)
    PAID = (State.APPROVED, State.PARTIALLY_APPROVED, State.SCREENED_OUT)

    study = models.ForeignKey(PanelStudy, models.PROTECT, related_name="submissions")
    external_id = models.CharField(max_length=64, unique=True)
    person = models.CharField(max_length=64)
    participant = models.ForeignKey(
        Participant, models.PROTECT, null=True, blank=True, related_name="panel_submissions"
    )
    state = models.CharField(max_length=20, choices=State)
    entered_code = models.CharField(max_length=64, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    return_requested_at = models.DateTimeField(null=True, blank=True)
    # The bonuses that the panel shows for it, in minor units; None until it was asked.
    bonuses_there = models.PositiveIntegerField(null=True, blank=True)
    # When the place that the rater had left here was given to others.
    released_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["study", "state"], name="submissions_by_state")]

    def __str__(self) -> str:
        return f"submission {self.pk}"


class PanelEvent(models.Model):
    """A webhook, once per id. It only says where to look: the submission itself is fetched."""

    account = models.ForeignKey(PanelAccount, models.CASCADE, related_name="events")
    event_id = models.CharField(max_length=64)
    event_type = models.CharField(max_length=60)
    resource = models.CharField(max_length=64)
    received_at = models.DateTimeField(db_default=Now())
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "event_id"], name="an_event_is_received_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["received_at"], condition=Q(done_at=None), name="events_to_be_looked_at"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.event_id}"


class PanelKeys(models.Model):
    """The public keys with which a panel signs its links, as a worker last read them."""

    address = models.CharField(max_length=200, unique=True)
    document = models.JSONField()
    fetched_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "panel keys"

    def __str__(self) -> str:
        return self.address


class PanelPayment(Record):
    """Money for one submission: the row is stored before the panel is asked.

    The panel does not recognise a repeated request, so an answer that is lost makes the row wait
    for a person. What is paid stays paid; who gets how much never changes (a trigger).
    """

    class Kind(models.TextChoices):
        APPROVAL = "approval", _("Reward")
        SHARE = "share", _("Part of the reward")
        BONUS = "bonus", _("Bonus")

    class State(models.TextChoices):
        DRAFTED = "drafted", _("To be paid")
        ASKED = "asked", _("Asked for")
        PAID = "paid", _("Paid")
        REFUSED = "refused", _("Refused")
        LOST = "lost", _("No answer: please check")

    BASE = (Kind.APPROVAL, Kind.SHARE)
    changeable = ("state", "cost", "external_id", "problem", "asked_at", "settled_at")

    study = models.ForeignKey(PanelStudy, models.PROTECT, related_name="payments")
    submission = models.ForeignKey(PanelSubmission, models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=8, choices=Kind)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    # With fees and tax, as far as they are known.
    cost = models.PositiveIntegerField()
    percent = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.DRAFTED)
    external_id = models.CharField(max_length=64, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    asked_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "kind"], name="each_payment_once"),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(kind__in=["approval", "share"]) & ~Q(state="refused"),
                name="one_reward_per_submission",
            ),
            models.CheckConstraint(
                name="a_payment_has_an_amount",
                condition=Q(amount__gt=0, cost__gte=F("amount")),
            ),
            models.CheckConstraint(
                name="payment_state_is_known",
                condition=Q(state__in=["drafted", "asked", "paid", "refused", "lost"]),
            ),
        ]
        indexes = [models.Index(fields=["study", "state"], name="payments_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.submission}"


class PanelCredit(models.Model):
    """The one report to a panel that a rater has finished, where this site makes it."""

    class State(models.TextChoices):
        DRAFTED = "drafted", _("To be reported")
        ASKED = "asked", _("Being reported")
        GRANTED = "granted", _("Granted")
        REFUSED = "refused", _("Refused")
        LOST = "lost", _("No answer")

    participant = models.OneToOneField(Participant, models.PROTECT, related_name="panel_credit")
    state = models.CharField(max_length=7, choices=State, default=State.DRAFTED)
    asked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"credit {self.pk}"
