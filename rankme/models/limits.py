"""Rate limits of clients."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class RateBucket(models.Model):
    """A client's remaining allowance, which refills over time."""

    mark = models.CharField(max_length=64, primary_key=True)
    left = models.FloatField()
    filled_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.mark


class Heartbeat(models.Model):
    """When something that happens again and again was last seen to happen, on any host."""

    name = models.CharField(max_length=20, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

    @classmethod
    def note(cls, name: str) -> None:
        cls.objects.update_or_create(name=name, defaults={"seen_at": Now()})
