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
