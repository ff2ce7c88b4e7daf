"""Keys for scripts, each with a role, campaigns, an end and a throttle."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from .campaigns import Campaign, Role


class ApiKey(models.Model):
    """What a script may do in the name of an account; never more than the account itself.

    Only the hash is stored. A key stays after its end, so that its script learns why it is
    refused.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_keys")
    # Empty: a script got it for a name and a password, and ends it with the next one.
    name = models.CharField(max_length=100, blank=True)
    hash = models.CharField(max_length=40, unique=True)
    role = models.CharField(max_length=10, choices=Role)
    in_all_campaigns = models.BooleanField(default=True)
    campaigns = models.ManyToManyField(Campaign, related_name="api_keys", blank=True)
    calls_per_minute = models.PositiveIntegerField(default=600)
    made_at = models.DateTimeField(db_default=Now())
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.CheckConstraint(name="key_role_is_known", condition=Q(role__in=list(Role))),
            models.CheckConstraint(
                name="key_ends_after_it_was_made", condition=Q(ends_at__gt=F("made_at"))
            ),
            models.CheckConstraint(
                name="key_allows_some_calls", condition=Q(calls_per_minute__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return self.name or str(self.pk)
