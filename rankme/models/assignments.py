"""The plan as drawn, who takes part, and who holds which batch."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from rankme.panel_links.outcomes import ENDED_BY_RULES, OUTCOME_TITLES

from .campaigns import Campaign
from .materials import Item, Output
from .record import Record


class Plan(Record):
    """The drawn plan: its design with options and seed, and the balance that it reached."""

    campaign = models.OneToOneField(Campaign, models.PROTECT, related_name="plan")
    design = models.CharField(max_length=40)
    options = models.JSONField()
    seed = models.BigIntegerField()
    balance = models.JSONField()
    drawn_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.design} of {self.campaign}"


class PlanCoverage(models.Model):
    """How often each batch of a plan shows each system and each pair of systems.

    Counted from the plan, and stored because that takes seconds (`rankme.queries.coverage`).
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="plan_coverage")
    systems = models.BinaryField()
    pairs = models.BinaryField()

    def __str__(self) -> str:
        return f"coverage of {self.campaign}"


class Batch(Record):
    """The trials of one sitting, in the plan's order; an assignment has each rater's own."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="batch_number_once")
        ]

    def __str__(self) -> str:
        return f"batch {self.number}"


class Trial(Record):
    """One item with the outputs that are judged together."""

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="trials")
    position = models.PositiveIntegerField()
    item = models.ForeignKey(Item, models.PROTECT, related_name="trials")

    class Meta:
        ordering = ["batch", "position"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="trial_position_once")
        ]

    def __str__(self) -> str:
        return f"trial {self.position} of {self.batch}"


class TrialOutput(Record):
    """An output's place in a trial, as the plan drew it."""

    trial = models.ForeignKey(Trial, models.PROTECT, related_name="places", db_index=False)
    position = models.PositiveSmallIntegerField()
    output = models.ForeignKey(Output, models.PROTECT, related_name="places")

    class Meta:
        ordering = ["trial", "position"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "position"], name="trial_place_once"),
            models.UniqueConstraint(fields=["trial", "output"], name="trial_output_once"),
        ]

    def __str__(self) -> str:
        return f"output {self.output_id} at {self.position}"


class SlotQuerySet(models.QuerySet["Slot"]):
    def free(self) -> SlotQuerySet:
        return self.filter(state=Slot.State.FREE)


class Slot(Record):
    """One of the sittings that a batch needs: `raters_per_trial` slots stand for each batch."""

    class State(models.TextChoices):
        FREE = "free", "Free"
        HELD = "held", "Held"
        DONE = "done", "Done"

    changeable = ("state",)

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="slots", db_index=False)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="slots", db_index=False)
    copy = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=4, choices=State, default=State.FREE)

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "copy"], name="slot_once")]
        indexes = [
            # The claim reads the first free slots in this order, however many are done.
            models.Index(
                fields=["campaign", "copy", "batch"],
                condition=Q(state="free"),
                name="free_slots_in_order",
            ),
            models.Index(fields=["campaign", "state"], name="slots_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.batch}, copy {self.copy}"


class Participant(models.Model):
    """One crowd session: no login, but a signed link and cookie.

    `external_id` is the panel's id for the person and never leaves this table; exports and pages
    of the organiser name the rater by `label`.

    A panel's id is not secret, so it does not prove who follows a link. `browser` names the
    browser in which the rater agreed to take part. Any other one that brings the same id and
    neither the cookie nor a personal link is a second browser: it can add answers, but not replace
    any. Cookies and personal links carry `generation`; raising it ends them all.
    """

    class State(models.TextChoices):
        ARRIVED = "arrived", _("Arrived")
        WORKING = "working", _("Working")
        COMPLETED = "completed", _("Completed")
        SCREENED_OUT = "screened_out", _("Screened out")
        RETURNED = "returned", _("Gave the work back")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participants")
    panel = models.CharField(max_length=20)
    external_id = models.CharField(max_length=200)
    session_id = models.CharField(max_length=200, blank=True)
    study_id = models.CharField(max_length=200, blank=True, default="", db_default="")
    label = models.CharField(max_length=20)
    state = models.CharField(max_length=12, choices=State, default=State.ARRIVED)
    language = models.CharField(max_length=10, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    # The version whose consent they gave; empty for raters from before this was stored.
    consent_version = models.PositiveSmallIntegerField(null=True, blank=True)
    # The statements that they ticked, word for word (`Texts.statements`).
    ticked = models.JSONField(default=list, blank=True, db_default=[])
    entry_answers = models.JSONField(default=dict, blank=True)
    entered_at = models.DateTimeField(null=True, blank=True)
    instructed_at = models.DateTimeField(null=True, blank=True)
    # By the number of the example: how many tries there were, the last one's digest, and whether
    # one passed (`rankme.actions.sitting.practice`).
    practice = models.JSONField(default=dict, blank=True, db_default={})
    practised_at = models.DateTimeField(null=True, blank=True)
    # The version of the campaign whose texts they saw last before their work.
    version = models.PositiveSmallIntegerField()
    # What was answered after the work; skipped questions leave the time alone.
    end_answers = models.JSONField(default=dict, blank=True, db_default={})
    end_answered_at = models.DateTimeField(null=True, blank=True)
    completion_code = models.CharField(max_length=80, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    # Decides the code and the pay; empty as long as the visit goes on.
    outcome = models.CharField(
        max_length=20,
        choices=[(outcome.value, _(title)) for outcome, title in OUTCOME_TITLES.items()],
        blank=True,
        default="",
        db_default="",
    )
    browser = models.CharField(max_length=22, blank=True, default="", db_default="")
    second_browser_at = models.DateTimeField(null=True, blank=True)
    generation = models.PositiveIntegerField(default=0, db_default=0)
    comment = models.TextField(blank=True)
    # When they said on their own page that they take no further part.
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # When it was forgotten who they are (`rankme.actions.sitting.erasing`).
    erased_at = models.DateTimeField(null=True, blank=True)
    arrived_at = models.DateTimeField(db_default=Now())

    # Whether the request being answered comes from a second browser. Never stored.
    is_second_browser = False

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "panel", "external_id"], name="one_participant_per_panel_id"
            ),
            models.UniqueConstraint(fields=["campaign", "label"], name="rater_label_once"),
            models.CheckConstraint(
                name="a_code_belongs_to_an_outcome",
                condition=(
                    Q(state="completed", completed_at__isnull=False)
                    & Q(outcome__in=["completed", "late"])
                    & ~Q(completion_code="")
                )
                | Q(state="returned", outcome="returned", completed_at=None)
                | Q(
                    state="screened_out",
                    outcome__in=sorted(outcome.value for outcome in ENDED_BY_RULES),
                    completed_at=None,
                )
                | ~Q(state="completed") & Q(outcome="", completion_code="", completed_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Invitation(models.Model):
    """A personal link, made by the organiser for one named person."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=200, blank=True)
    # The hash of the link to all work of this person; the same in several campaigns.
    work_page = models.CharField(max_length=64, blank=True, db_default="", default="")
    # The sealed address, where reminders are wanted.
    mail = models.TextField(blank=True, db_default="", default="")
    # When the person asked for no more mail about this link.
    mail_stopped_at = models.DateTimeField(null=True, blank=True)
    # A reminder that waits to be sent, and the last one that was.
    reminder_asked_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(
                fields=["work_page"], condition=~Q(work_page=""), name="invitations_by_work_page"
            )
        ]

    def __str__(self) -> str:
        return self.name or f"invitation {self.pk}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def live(self) -> AssignmentQuerySet:
        """Assignments whose holder may still work on them."""
        return self.filter(state=Assignment.State.HELD)

    def overdue(self) -> AssignmentQuerySet:
        """Live by their state, but their lease has run out by the database's clock."""
        return self.live().filter(leased_until__lt=Now())

    def counting(self) -> AssignmentQuerySet:
        """The assignments whose judgements reach the statistics: at most one per slot."""
        return self.filter(counts=True)


class Assignment(Record):
    """A participant's leased hold on a slot.

    What is stored and what is counted are different facts: `counts` says whose sitting stands for
    the slot. It is the first one completed; until there is one, the live holder's; until somebody
    else takes the slot, the abandoned one with the most answered screens.

    `version` is the version of the campaign of which all its screens are, from the first to the
    last: foreign keys in the database tie it to the campaign's versions, and its submissions to it.
    """

    class State(models.TextChoices):
        HELD = "held", _("Held")
        COMPLETED = "completed", _("Completed")
        EXPIRED = "expired", _("Lease ran out")
        RETURNED = "returned", _("Returned")
        FREED = "freed", _("Freed by the organiser")

    changeable = ("state", "counts", "leased_until", "ended_at")

    # The campaign and batch are repeated here because the constraints below need them.
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="assignments")
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="assignments", db_index=False)
    slot = models.ForeignKey(Slot, models.PROTECT, related_name="assignments")
    participant = models.ForeignKey(
        Participant, models.PROTECT, related_name="assignments", db_index=False
    )
    version = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.HELD)
    counts = models.BooleanField(default=True)
    # [[trial id, [output positions of the plan, in the order shown]], ...] in the order shown.
    presentation = models.JSONField()
    # The trials whose suggested marks this rater is not shown.
    held_out = models.JSONField(default=list, blank=True, db_default=[])
    leased_until = models.DateTimeField()
    claimed_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slot"], condition=Q(state="held"), name="one_holder_per_slot"
            ),
            models.UniqueConstraint(
                fields=["participant"], condition=Q(state="held"), name="one_live_batch_per_rater"
            ),
            models.UniqueConstraint(
                fields=["participant", "batch"], name="a_rater_meets_a_batch_once"
            ),
            # For the foreign key with which submissions keep their sitting's version.
            models.UniqueConstraint(fields=["id", "version"], name="a_sitting_has_one_version"),
            models.UniqueConstraint(
                fields=["slot"], condition=Q(counts=True), name="a_slot_counts_once"
            ),
            models.CheckConstraint(
                name="only_a_held_batch_has_no_end",
                condition=Q(state="held", ended_at=None)
                | (~Q(state="held") & Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(F("leased_until"), condition=Q(state="held"), name="live_leases_by_end"),
            models.Index(fields=["batch"], name="sittings_by_batch"),
        ]

    def __str__(self) -> str:
        return f"{self.slot} held by {self.participant}"
