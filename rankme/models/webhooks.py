"""Webhooks: whom a campaign tells, what happened, and each message about it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .campaigns import Campaign


class WebhookEvent(models.Model):
    """Something that happened to a campaign, stored once (`key`)."""

    class Kind(models.TextChoices):
        LAUNCHED = "launched", _("Launched")
        HALF_DONE = "half_done", _("Half of the batches are done")
        DONE = "done", _("All batches are done")
        REPORT_READY = "report_ready", _("A report is ready")
        MONEY_TROUBLE = "money_trouble", _("A payment or study needs a person")
        RECORD_TROUBLE = "record_trouble", _("The record is damaged")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="webhook_events")
    # The message's id: a receiver that has seen it has this event already.
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=20, choices=Kind)
    key = models.CharField(max_length=80)
    detail = models.JSONField(default=dict)
    happened_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "key"], name="webhook_event_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.campaign}"


class Webhook(models.Model):
    """An address that is told what happens to a campaign. The secret is sealed."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    kinds = models.JSONField(default=list)
    sealed_secret = models.TextField()
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.campaign}"

    @property
    def titles(self) -> list[str]:
        """What it is told, in words."""
        return [str(WebhookEvent.Kind(kind).label) for kind in self.kinds]


class WebhookDelivery(models.Model):
    """One message to one address: sent once, tried again with growing pauses, then given up."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Given up")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    tried_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="one_message_per_event")
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(state="waiting"), name="webhook_messages_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"
