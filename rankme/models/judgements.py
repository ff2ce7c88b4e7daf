"""Raters' answers: insert-only, under keys that their browsers made."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .assignments import Assignment, Participant, Trial
from .campaigns import Campaign, Criterion
from .materials import Output
from .record import Record


class Submission(Record):
    """One sent screen. A trigger refuses UPDATE and DELETE.

    `revision` increases with each change; only the newest that is not `surplus` counts. `late` work
    came after the hold had ended; `surplus` work is kept and never counted (a second tab, a change
    after the batch was finished). `chain_sha256` binds each submission to the one before it in the
    same assignment, so that a changed row shows. `version` is the version of the campaign that was
    shown: a foreign key on both columns makes it that of the assignment.
    """

    key = models.UUIDField(unique=True)
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, related_name="submissions", db_index=False, db_constraint=False
    )
    version = models.PositiveSmallIntegerField()
    trial = models.ForeignKey(Trial, models.PROTECT, related_name="submissions", db_index=False)
    screen = models.PositiveSmallIntegerField()
    revision = models.PositiveSmallIntegerField()
    late = models.BooleanField(default=False)
    surplus = models.BooleanField(default=False)
    payload = models.JSONField()
    payload_sha256 = models.CharField(max_length=64)
    chain_sha256 = models.CharField(max_length=64)
    flags = models.JSONField(default=list, blank=True)
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "trial", "screen", "revision"], name="one_row_per_revision"
            ),
            models.CheckConstraint(name="revisions_begin_at_one", condition=Q(revision__gte=1)),
        ]
        indexes = [
            models.Index(fields=["received_at"], name="submissions_by_time"),
            models.Index(fields=["trial"], name="submissions_by_trial"),
        ]

    def __str__(self) -> str:
        return f"{self.trial}, screen {self.screen}, revision {self.revision}"


class SubmissionWords(Record):
    """What a rater wrote on a screen: comments, and texts where the campaign calls them personal.

    Their digest, keyed with `salt`, is in the payload of the submission, which the record's hashes
    are of. A trigger refuses every change but to erase both, once the rater's identity is erased.
    """

    changeable = ("salt", "words")

    submission = models.OneToOneField(
        Submission, models.PROTECT, primary_key=True, related_name="own_words"
    )
    salt = models.CharField(max_length=64, blank=True)
    words = models.JSONField(default=list)
    # The submission was stored with its words inside, and the hashes of its sitting were of them.
    moved = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="words_and_their_salt_go_together",
                condition=Q(salt="", words=[]) | ~Q(salt="") & ~Q(words=[]),
            ),
        ]

    def __str__(self) -> str:
        return f"words of {self.submission_id}"


class WordsEpoch(models.Model):
    """That the words of a campaign's old submissions were moved out of their payloads.

    The hashes before are in no column: together with the words they follow from the payloads, and
    without them nobody can compare a guess with them. `old_sha256` is a digest of the chains' ends
    before, keyed with `salt`, which is erased with the first rater whose words were moved.
    """

    campaign = models.OneToOneField(
        Campaign, models.CASCADE, primary_key=True, related_name="words_epoch"
    )
    salt = models.CharField(max_length=64, blank=True)
    old_sha256 = models.CharField(max_length=64)
    new_sha256 = models.CharField(max_length=64, blank=True)
    # How far it is: sittings are gone through in the order of their numbers.
    last_sitting = models.BigIntegerField(default=0)
    submissions = models.PositiveIntegerField(default=0)
    begun_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"epoch of {self.campaign}"


class Judgement(Record):
    """One value in a submission. A trigger refuses UPDATE and DELETE.

    `output` is empty where a question is about the item alone; `value` is empty for plain text. A
    rater who cannot judge gives neither: `cannot_judge` is the name of the reason, or "" where the
    campaign asks for none, and null for every judgement with a value or a text. `text` has nothing
    that is in the submission's `SubmissionWords`.
    """

    submission = models.ForeignKey(
        Submission, models.PROTECT, related_name="judgements", db_index=False
    )
    criterion = models.ForeignKey(
        Criterion, models.PROTECT, related_name="judgements", db_index=False
    )
    # Indexed, because deleting a draft's output looks for judgements of it.
    output = models.ForeignKey(
        Output, models.PROTECT, related_name="judgements", null=True, blank=True
    )
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    time_ms = models.FloatField(null=True, blank=True)
    cannot_judge = models.CharField(max_length=60, null=True, blank=True)  # noqa: DJ001

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                name="a_value_or_cannot_judge",
                condition=Q(cannot_judge=None) | Q(value=None, text=""),
            ),
            models.UniqueConstraint(
                fields=["submission", "criterion", "output"],
                name="one_value_per_output_and_criterion",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="a_value_is_a_finite_number",
                condition=Q(value=None)
                | Q(value__gte=-1.7976931348623157e308, value__lte=1.7976931348623157e308),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value if self.value is not None else self.text}"


class ScreenTrace(models.Model):
    """How a screen was worked on, in sums, where the campaign keeps traces and raters were told.

    Outside the record and its hashes, so that it can be deleted with who the rater is.
    """

    submission = models.OneToOneField(
        Submission, models.PROTECT, primary_key=True, related_name="trace"
    )
    summary = models.JSONField()

    def __str__(self) -> str:
        return f"{self.submission_id}"


class QuarantinedPayload(Record):
    """A submission that this release cannot read: kept as it came, for a person to look at.

    A trigger refuses every change but to erase the body with its hash.
    """

    changeable = ("body", "body_sha256")

    participant = models.ForeignKey(Participant, models.PROTECT, related_name="quarantined")
    body = models.TextField()
    # Empty where the body is erased, and in rows that are older than this column.
    body_sha256 = models.CharField(max_length=64, default="")
    reason = models.CharField(max_length=200)
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "body_sha256"],
                condition=~Q(body_sha256=""),
                name="one_row_per_unreadable_body",
            ),
        ]

    def __str__(self) -> str:
        return self.reason


class RaterExclusion(Record):
    """A decision to leave a rater out of analyses; it deletes nothing.

    An organiser takes it, or a rule of the campaign: then `rule` has the parts of it that held. Or
    the rater has withdrawn what they gave: then nobody can withdraw the exclusion.
    """

    changeable = ("withdrawn_at",)

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="rater_exclusions")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="exclusions")
    reason = models.CharField(max_length=500)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    rule = models.CharField(max_length=1_000, blank=True, default="", db_default="")
    by_rater = models.BooleanField(default=False, db_default=False)
    decided_at = models.DateTimeField(db_default=Now())
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-decided_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(withdrawn_at=None),
                name="one_standing_exclusion_per_rater",
            ),
            models.CheckConstraint(name="an_exclusion_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="a_person_a_rule_or_the_rater_excludes",
                condition=Q(by_rater=False)
                & (Q(decided_by=None) & ~Q(rule="") | Q(decided_by__isnull=False, rule=""))
                | Q(by_rater=True, decided_by=None, rule=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.reason}"
