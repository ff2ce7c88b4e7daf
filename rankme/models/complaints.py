"""Problems with items, as raters report them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .assignments import Assignment, Participant, Trial
from .campaigns import Campaign
from .record import Record


class Complaint(Record):
    """One report of a rater about a screen, under the key that the browser made for it.

    `trial` is empty for a practice example. Only whether somebody has dealt with it changes, and
    a trigger lets the text be erased.
    """

    changeable = ("dealt_with_at", "text")

    key = models.UUIDField(unique=True)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="complaints")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="complaints")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="complaints")
    trial = models.ForeignKey(
        Trial, models.PROTECT, related_name="complaints", null=True, blank=True
    )
    screen = models.PositiveSmallIntegerField()
    text = models.TextField()
    received_at = models.DateTimeField(db_default=Now())
    dealt_with_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_complaint_says_something", condition=~Q(text="")),
        ]

    def __str__(self) -> str:
        return self.text[:60]
