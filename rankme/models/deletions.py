"""Campaigns that are to be deleted, and those that were."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .campaigns import Campaign
from .record import Record

DAYS_OF_WAITING = 14


class CampaignDeletion(Record):
    """That a launched campaign is deleted once its owner has had time to change their mind.

    The row outlives the campaign. A trigger writes `asked_at` and `due_at`, and refuses to begin
    before that day; from then on nobody can cancel.
    """

    changeable = ("cancelled_at", "begun_at", "finished_at")

    campaign = models.ForeignKey(
        Campaign, models.DO_NOTHING, related_name="deletions", db_constraint=False
    )
    code = models.CharField(max_length=24)
    asked_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now())
    cancelled_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=Q(cancelled_at=None, finished_at=None),
                name="one_deletion_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"deletion of {self.code}"
