"""The versions of a launched campaign: what it was at each time, who changed it and why."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .campaigns import Campaign
from .record import Record


class CampaignVersion(Record):
    """A launched campaign's definition as it was from a time on. The launch writes number 1.

    `items` and `systems` say how much of the material the plan covers: what came later waits for
    an extension. `extension` says what an extension added.
    """

    class Change(models.TextChoices):
        LAUNCH = "launch", _("Launched")
        DEFINITION = "definition", _("Definition changed")
        EXTENSION = "extension", _("Plan extended")
        REOPENING = "reopening", _("Opened again")

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="versions", db_index=False)
    number = models.PositiveSmallIntegerField()
    change = models.CharField(max_length=10, choices=Change)
    definition = models.JSONField()
    definition_sha256 = models.CharField(max_length=64)
    items = models.PositiveIntegerField()
    systems = models.PositiveIntegerField()
    extension = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="version_number_once"),
            models.CheckConstraint(name="versions_begin_at_one", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="the_first_version_is_the_launch",
                condition=Q(number=1, change="launch") | (Q(number__gt=1) & ~Q(change="launch")),
            ),
            models.CheckConstraint(
                name="a_change_has_a_reason", condition=Q(change="launch") | ~Q(reason="")
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.campaign}"
