"""The base of all long work: a row with a state, a progress, and its worker."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .leases import JobLease


class Job(models.Model):
    """Long work as a row: the queue only carries its number to a worker.

    A worker claims the row by a conditional UPDATE while it holds the row's lease, and keeps
    `heartbeat_at` fresh. `attempts` counts the claims since the last part of the work was stored.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("Queued")
        WORKING = "working", _("Working")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    progress = models.FloatField(default=0.0, help_text="Share done, 0 to 1")
    step = models.CharField(max_length=200, blank=True, help_text="What is being done now")
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_by = models.CharField(max_length=200, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    lease: JobLease  # only in the worker that has claimed this row

    class Meta:
        abstract = True
        # Asked for every few seconds, to send again what nobody works on, however many are over.
        indexes = [
            models.Index(
                fields=["requested_at"],
                condition=Q(state__in=["queued", "working"]),
                name="%(class)s_under_way",
            )
        ]

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED, self.State.CANCELLED)


def one_at_a_time(name: str) -> models.UniqueConstraint:
    """A campaign has at most one such job that waits or is worked on."""
    return models.UniqueConstraint(
        fields=["campaign"], condition=Q(state__in=["queued", "working"]), name=name
    )
