"""Looks at a campaign while it runs: asked for, computed by a worker, and kept."""

from __future__ import annotations

import hashlib
import json

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from .campaigns import Campaign
from .jobs import Job, one_at_a_time
from .record import Record

LOOKED = gettext_noop("looked at while it ran")  # the verb of the audit events


class LookRequest(Job):
    """Computes a look; it fails with the reason where there are too few raters."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="look_requests")

    class Meta(Job.Meta):
        ordering = ["-requested_at", "-id"]
        constraints = [one_at_a_time("one_look_at_a_time")]

    def __str__(self) -> str:
        return f"look at {self.campaign}"


class Look(Record):
    """What one look saw. A trigger refuses UPDATE and DELETE.

    `raters` is how many began before the first whose sitting had not ended. The audit event of the
    same transaction has the row's hash, so that its chain shows a changed or missing row.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="looks")
    number = models.PositiveSmallIntegerField()
    raters = models.PositiveIntegerField()
    data_sha256 = models.CharField(max_length=64)
    # By criterion, what `analysis.sequential` found.
    result = models.JSONField()
    proposes_to_stop = models.BooleanField()
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    taken_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="look_number_once")
        ]

    def __str__(self) -> str:
        return f"look {self.number} at {self.campaign}"

    @property
    def sha256(self) -> str:
        """A hash of what was seen, which its audit event has."""
        facts = [self.number, self.raters, self.data_sha256, self.result, self.proposes_to_stop]
        document = json.dumps(facts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(document.encode()).hexdigest()
