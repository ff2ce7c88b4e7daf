"""Checks on raters: pages whose correct answer is known, and what the campaign's rules decided."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .assignments import Participant, Trial
from .campaigns import Campaign
from .materials import Output
from .record import Record


class CheckTrial(Record):
    """The texts and the expected answer that make a trial a check.

    The trial has no outputs of the plan, so it is in no count of them. Triggers refuse judgements
    on it: answers to checks are in the payloads of their submissions alone. `source` is the trial
    with which it is compared, where there is one.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="check_trials")
    trial = models.OneToOneField(Trial, models.PROTECT, related_name="as_check")
    source = models.ForeignKey(
        Trial, models.PROTECT, related_name="checks_of", null=True, blank=True
    )
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=20)
    criterion = models.CharField(max_length=60)
    # {"input", "reference", "context", "outputs": [texts in the plan's order]}
    shown = models.JSONField()
    # See `rankme.checks.drawing`.
    expected = models.JSONField()

    class Meta:
        ordering = ["trial"]
        constraints = [
            models.CheckConstraint(
                name="a_check_is_not_its_own_source",
                condition=Q(source=None) | ~Q(source=models.F("trial")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.trial}"


class DamagedText(models.Model):
    """A damaged copy of an output as the organiser wrote it, instead of the drawn one."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="damaged_texts")
    check_name = models.CharField(max_length=60)
    output = models.ForeignKey(Output, models.CASCADE, related_name="+")
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "check_name", "output"], name="one_damaged_text_per_output"
            ),
            models.CheckConstraint(name="a_damaged_text_is_not_empty", condition=~Q(text="")),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class QuizAttempt(Record):
    """One rater's answers to all questions about the instructions at once."""

    participant = models.ForeignKey(Participant, models.PROTECT, related_name="quiz_attempts")
    number = models.PositiveSmallIntegerField()
    answers = models.JSONField()
    sent_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="quiz_attempt_once")
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.participant}"


class RuleDecision(Record):
    """The first time a rule of this kind caught a rater.

    `parts` are the alternatives of the rule that held, as they are written in it; `measures` are
    the numbers on which it was decided.
    """

    class Action(models.TextChoices):
        EXCLUDE = "exclude", _("Excluded")
        FLAG = "flag", _("Marked")
        GATE = "gate", _("Turned away")

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="rule_decisions")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="rule_decisions")
    action = models.CharField(max_length=8, choices=Action)
    rule = models.TextField()
    parts = models.JSONField()
    measures = models.JSONField()
    decided_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["decided_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "action"], name="a_rule_catches_a_rater_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.action} ({', '.join(self.parts)})"
