"""What the site notes about its own processes, for the person who operates it."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now


class Heartbeat(models.Model):
    """When something that happens again and again was last seen to happen, on any host."""

    name = models.CharField(max_length=20, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

    @classmethod
    def note(cls, name: str) -> None:
        cls.objects.update_or_create(name=name, defaults={"seen_at": Now()})

    @classmethod
    def was_noted(cls, name: str, *, within: timedelta) -> bool:
        """Whether it was seen so recently, by the database's clock."""
        return cls.objects.filter(name=name, seen_at__gt=Now() - within).exists()


class SiteProcess(models.Model):
    """A web server, a worker or beat, as it was last seen."""

    class Kind(models.TextChoices):
        WEB = "web"
        WORKER = "worker"
        BEAT = "beat"

    host = models.CharField(max_length=255)
    kind = models.CharField(max_length=6, choices=Kind)
    number = models.PositiveIntegerField()  # of its main process on that host
    release = models.CharField(max_length=40)
    clock_seconds = models.FloatField()  # by how many the host's clock is ahead of the database's
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["host", "kind", "number"], name="one_row_for_each_process"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.host}:{self.number}"
